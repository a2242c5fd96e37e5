"""What runs, cards, comparisons and errors say, by its English format string, in Chinese."""

PARTS: dict[str, str] = {
    "{wrong} of {n} at {confidence}": "置信度 {confidence}：{wrong}/{n}",
    "{field}: card {card}, this run {used}": "{field}：卡为 {card}，本次为 {used}",
    "{run} has {held}": "{run} 为 {held}",
    "dataset revision": "数据集版本",
    "min_coverage": "最低覆盖率",
    "rubric hash": "评分细则哈希",
    "option_orders": "选项顺序",
    "judge {field}": "评判模型 {field}",
    "decoding {field}": "解码设置 {field}",
    "channel of {criterion}": "{criterion} 的渠道",
    "reading of {criterion}": "{criterion} 的读取方式",
    "the judge's {field}": "评判模型的 {field}",
    "the judge's package {name}": "评判模型所用软件包 {name}",
    "{n} of {run}": "{run} 的 {n} 行",
}  # fmt: skip
"""What is said within a sentence only."""

SENTENCES: dict[str, str] = {
    # how an interval was made
    "exact": "精确值",
    "t": "t 区间",
    "t over {n} clusters": "t 区间（{n} 个聚类）",
    "Wilson": "Wilson 区间",
    "Wilson over {n} clusters": "Wilson 区间（{n} 个聚类）",
    "Wilson's limit for a share": "比例的 Wilson 界",
    "Wilson's limit for a share over {n} clusters": "比例的 Wilson 界（{n} 个聚类）",
    "Wilson's limit over {n} wordings": "Wilson 界（{n} 种措辞）",
    "Newcombe, independent": "Newcombe 区间（独立样本）",
    "Newcombe, independent, standardised over {n} strata":
    "Newcombe 区间（独立样本），按 {n} 层标准化",
    "Tango": "Tango 区间（配对样本）",
    "Tango over {n} clusters": "Tango 区间（配对样本，{n} 个聚类）",
    "Tango, {n} of {m}": "Tango 区间（配对样本，{m} 取 {n}）",
    "Wilson, {n} of {m}": "Wilson 区间（{m} 取 {n}）",
    "Wilson, {n} of at most {m}": "Wilson 区间（至多 {m} 取 {n}）",
    "one cluster: the bounds": "仅一个聚类：取界值",
    "one value: the bounds": "仅一个值：取界值",
    "nothing scored": "无评分",
    "no spread to make an interval from": "没有差异可用于构造区间",
    "no wording is answered in both": "没有一种措辞在两者中都有回答",
    "no item has two answers that could differ": "没有题目有两个可以不同的回答",
    "jackknife over {n} wordings, t": "刀切法 t 区间（{n} 种措辞）",
    "none of {n} wordings departs from the others: no interval": "{n} 种措辞无差别：无区间",
    "{n} wordings are too few for a jackknife": "仅 {n} 种措辞，不足以用刀切法",
    "bootstrap of {n} clusters, {resamples} resamples":
    "自助法（{n} 个聚类，{resamples} 次重采样）",
    "no interval: the {n} clusters say too little": "无区间：{n} 个聚类信息不足",
    "worst case {told_worst}; best case {told_best}":
    "最差情形：{told_worst}；最好情形：{told_best}",
    "{told}, over the scored": "{told}，仅限已评分者",
    "{told}, all equal": "{told}，全部相同",
    "{told}, no spread": "{told}，无差异",
    "{told}, over {n} clusters": "{told}，{n} 个聚类",
    "{told}, over {n} and {m} clusters": "{told}，{n} 与 {m} 个聚类",
    "{told}, over {n} vignettes": "{told}，{n} 个情境",
    "{told}, on the means of {n} variants": "{told}，基于 {n} 个变体的均值",
    "{told}, on the means of {n} wordings": "{told}，基于 {n} 种措辞的均值",
    "{told}; {n} of {m} variants asked": "{told}；问过 {m} 个变体中的 {n} 个",
    "{told}, on the shares of {n} items ({answers} answers)":
    "{told}，基于 {n} 组（{answers} 个回答）",
    "{told}, on the shares of {n} wordings ({answers} answers)":
    "{told}，基于 {n} 组（{answers} 个回答）",
    "{told}, and the key's own error (wrong of those checked: {each})":
    "{told}，并计入银标准答案自身的误差（核查中的错误数：{each}）",
    "{told}; published arithmetic, not renormalised": "{told}；按发表的算法，未重新归一化",
    # notes on models
    "This run was to repeat {run}, and differs in {field}: then {then}, now {now}.":
    "本次运行本应重复 {run}，但 {field} 不同：当时为 {then}，现在为 {now}。",
    "This run repeats {run} with another {field} (then {then}, now {now}), which should move a "
    "number by rounding only.":
    "本次运行重复 {run}，但 {field} 不同（当时为 {then}，现在为 {now}），数值应只有舍入差别。",
    "The server of the model under test answered as {first}, and later as {later}: its answers "
    "need not be of one model.":
    "受测模型的服务器先以 {first}、后以 {later} 作答：其回答未必出自同一个模型。",
    "The server of the judge answered as {first}, and later as {later}: its answers need not be of "
    "one model.":
    "评判模型的服务器先以 {first}、后以 {later} 作答：其评判未必出自同一个模型。",
    "The model under test ({model}) is {note}.": "受测模型（{model}）：{note}。",
    "The judge ({model}) is {note}.": "评判模型（{model}）：{note}。",
    "The model under test ({model}) was loaded in {dtype}; its checkpoint says {stored}.":
    "受测模型（{model}）以 {dtype} 加载；其检查点标明 {stored}。",
    "The judge ({model}) was loaded in {dtype}; its checkpoint says {stored}.":
    "评判模型（{model}）以 {dtype} 加载；其检查点标明 {stored}。",
    "The judge is {note}.": "评判模型：{note}。",
    "This judge is {note}.": "此评判模型：{note}。",
    "The judge ({model}) is the model under test itself: it judges its own words.":
    "评判模型（{model}）就是受测模型本身：它在评判自己的话。",
    "The judge ({model}) is of the family of the model under test ({families}): it may favour its "
    "own kind.": "评判模型（{model}）与受测模型同属 {families} 系列：可能偏袒同类。",
    "untrained: its numbers mean nothing": "未经训练，其数字没有意义",
    "untrained (it has seen the form of an answer, with random labels): its numbers mean nothing":
    "未经训练（只见过答案的形式，标签是随机的），其数字没有意义",
    "the small bundled judge, no replacement for a large one in an audit; how good it is stands on "
    "its card, {path}": "内置的小型评判模型，在审计中不能代替大型评判模型；其优劣见评判卡 {path}",
    "Judged by the small bundled judge, which is no replacement for a large one. Its card says how "
    "far it agrees with people.":
    "由内置的小型评判模型评判，它不能代替大型评判模型。它与人工的一致程度见其评判卡。",
    "{benchmark}: a balanced slice of {n} of {m} items.":
    "{benchmark}：仅取 {m} 题中均衡的 {n} 题。",
    # judges' cards
    "A judge's card was passed by: {note}": "一张评判模型卡被跳过：{note}",
    "no card, agreement with people is unknown.": "没有评判卡，与人工的一致性未知。",
    "no card in this language (there is one in {languages}), agreement with people is unknown.":
    "没有此语言的评判卡（已有的语言：{languages}），与人工的一致性未知。",
    "No public set has people's labels of refusal degrees in Chinese; `normscope annotate` makes "
    "them from a run.":
    "没有公开的中文拒答程度人工标注；可用 `normscope annotate` 从一次运行中制作。",
    "the card does not hold here ({each}), agreement with people is unknown.":
    "评判卡在此不适用（{each}），与人工的一致性未知。",
    "agrees with people at {measured}, measured on {labels}, {n} answers to {m} questions, {date}.":
    "与人工一致性：{measured}；测于 {labels}（{m} 个问题的 {n} 个回答），{date}。",
    "how it agrees with people is not known: {note}, measured on {labels}, {n} answers to {m} "
    "questions, {date}.":
    "与人工的一致性未知：{note}；测于 {labels}（{m} 个问题的 {n} 个回答），{date}。",
    "Contaminated: {labels} is among the judge's declared training data ({matched}); a judge "
    "looks better on what it has learnt from.":
    "数据污染：{labels} 属于评判模型声明的训练数据（{matched}）；模型在学过的内容上显得更好。",
    "Another part of the set {labels} is among the judge's declared training data ({matched}): "
    "these answers are new to it, their kind is not.":
    "数据集 {labels} 的另一部分属于评判模型声明的训练数据（{matched}）："
    "这些回答它没有见过，但同类回答见过。",
    "Agrees with people at {measured} ({labels}, {n} answers to {m} questions).":
    "与人工一致性：{measured}（{labels}，{m} 个问题的 {n} 个回答）。",
    "How it agrees with people is not known: {note} ({labels}, {n} answers to {m} questions).":
    "与人工的一致性未知：{note}（{labels}，{m} 个问题的 {n} 个回答）。",
    "Nothing was scored: the card says nothing of how the judge agrees with people.":
    "没有任何评分：此卡不能说明评判模型与人工的一致性。",
    "Unscored, and in none of these numbers: {n} of {m} answers ({share}).":
    "未评分且不计入以上数字：{m} 个回答中的 {n} 个（{share}）。",
    "Language {language}: no evidence. Nothing here says how the judge does in it.":
    "语言 {language}：没有证据，无从得知评判模型在该语言中的表现。",
    "Language {language}: no evidence. Nothing here says how the judge does in it. {told}":
    "语言 {language}：没有证据，无从得知评判模型在该语言中的表现。{told}",
    "Not shown to be better than a list of keywords: {gain}.": "未显示优于关键词表：{gain}。",
    "Better than a list of keywords: {gain}.": "优于关键词表：{gain}。",
    "Worse than a list of keywords: {gain}.": "劣于关键词表：{gain}。",
    "There is no keyword list for this criterion to compare with.": "此量表没有可比较的关键词表。",
    "Whether it is better than a keyword list is not known: {note}.":
    "是否优于关键词表未知：{note}。",
    "Its bias is not known: {note}.": "其偏差未知：{note}。",
    "No bias is shown: judge less people {bias} on the scale {low} to {high}.":
    "未显示偏差：评判模型减人工为 {bias}（量表 {low} 至 {high}）。",
    "Its values are above people's: by {bias} on the scale {low} to {high}.":
    "其数值高于人工：{bias}（量表 {low} 至 {high}）。",
    "Its values are below people's: by {bias} on the scale {low} to {high}.":
    "其数值低于人工：{bias}（量表 {low} 至 {high}）。",
    # corrections by people's labels, or by a card
    "prediction-powered inference": "预测驱动推断",
    "Rogan–Gladen": "Rogan–Gladen 校正",
    "{labelled} answers labelled by one person, a random sample of {n}":
    "一人标注的 {labelled} 个回答，为 {n} 个的随机样本",
    "{labelled} answers labelled by one person, a random sample of {n}, stratified by {strata}":
    "一人标注的 {labelled} 个回答，为 {n} 个的随机样本，按 {strata} 分层",
    "{labelled} answers labelled by {raters} people, a random sample of {n}":
    "{raters} 人标注的 {labelled} 个回答，为 {n} 个的随机样本",
    "{labelled} answers labelled by {raters} people, a random sample of {n}, stratified by "
    "{strata}": "{raters} 人标注的 {labelled} 个回答，为 {n} 个的随机样本，按 {strata} 分层",
    "the judge's card of {date} ({n} answers to {m} questions of {labels})":
    "{date} 的评判卡（{labels} 中 {m} 个问题的 {n} 个回答）",
    "This believes that the judge errs here as often as where its card was measured. Labels of a "
    "sample of this run would not have to believe it.":
    "此处假定评判模型在这里出错的频率与其评判卡测量处相同。标注本次运行的样本就不必作此假定。",
    "Condition number of the confusion matrix: {condition}; {note}.":
    "混淆矩阵的条件数：{condition}；{note}。",
    "{share} % of the draws had a negative share, which was set to 0":
    "{share} % 的抽取中有负的比例，已设为 0",
    "People agree on {criterion} at α {alpha} before adjudication.":
    "裁定之前，各人对 {criterion} 的一致性为 α {alpha}。",
    "One rater: how far people agree is not known.": "只有一位标注者：人与人的一致程度未知。",
    "{n} ties were settled by another person.": "{n} 个平局由另一人裁定。",
    "{n} labels are missing: those that are there are taken for a random part of their stratum.":
    "缺少 {n} 个标注：已有的被视为其所在层的随机部分。",
    "Of {n} nobody could tell the label; the others are taken to stand for them.":
    "有 {n} 个无人能判断标签；以其余的代表它们。",
    "{n} answers failed on our side: nothing here is said of them.":
    "{n} 个回答因我们这边的失败而缺失：此处不涉及它们。",
    "The run was judged under another rubric than people were shown ({hash}): their difference is "
    "part of the correction.":
    "评判所用的评分细则与标注者所见的（{hash}）不同：二者的差异包含在校正中。",
    # comparisons
    "not measured alike: {told}": "测量方式不同：{told}",
    "{benchmark}, {told_field}: {each}": "{benchmark}，{told_field}：{each}",
    "{told_field}: {each}; this moves a reading by rounding, not more":
    "{told_field}：{each}；对读数的影响仅限于舍入",
    "{benchmark}: rows that some other run lacks are left out, {each}":
    "{benchmark}：其他运行没有的行未计入，{each}",
    "{name} is compared with nothing: not every run has it": "{name} 未参与比较：并非每次运行都有",
    "{benchmark}: {first} and {second} have the same judgement in every one of {n} rows; an "
    "interval about 0 is what so many can exclude":
    "{benchmark}：{first} 与 {second} 在全部 {n} 行中评判相同；"
    "以 0 为中心的区间是这么多行所能排除的范围",
    "the runs were not measured alike, so that a difference would not be the models' (--although "
    "goes on and writes it on the result):":
    "各次运行的测量方式不同，差异未必来自模型（--although 可继续，并在结果上注明）：",
    "the runs have no benchmark in common: {each}": "各次运行没有共同的基准：{each}",
    "{benchmark}: no row of the runs is about the same item, wording, order of the scale and "
    "sample; compare slices alike":
    "{benchmark}：各次运行没有一行对应同一题目、措辞、量表顺序和样本；请比较相同的切片",
    "the vignettes do not vary in any factor: no norms heatmap":
    "情境在任何因素上都没有变化：没有规范热图",
    "the norms heatmap shows the first {n} of {m} runs": "规范热图只显示 {m} 次运行中的前 {n} 次",
    "norms heatmaps of {n} of {m} levels of {factors}":
    "规范热图：{factors} 的 {m} 个水平中的 {n} 个",
    "lines of more than {most} models cannot be told apart: radars, ridges and temperatures show "
    "the first {n} of {m} runs, heatmaps all":
    "超过 {most} 个模型的线条无法分辨："
    "雷达图、山脊图和温度图只显示 {m} 次运行中的前 {n} 次，热图显示全部",
    "no figures: {note}": "没有图：{note}",
    "{module} is not installed: {remedy}": "未安装 {module}：{remedy}",
    "{n} of {m} figures are left out for their size; `normscope compare` writes them all":
    "因篇幅略去 {m} 幅图中的 {n} 幅；`normscope compare` 会写出全部",
    "no font with Chinese characters is installed, so the labels are English: install one, for "
    "example {font} (package fonts-noto-cjk), or one of {others}":
    "未安装含中文字符的字体，故图中标签为英文：请安装一种，例如 {font}（软件包 fonts-noto-cjk），"
    "或 {others} 之一",
}  # fmt: skip
