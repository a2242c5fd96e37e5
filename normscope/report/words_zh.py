"""The report's fixed texts in Chinese, by the English as it stands in templates and code."""

CHINESE: dict[str, str] = {
    # criterion and first screen
    "Normscope report": "Normscope 报告",
    "Filter rows": "筛选行",
    "Sort by this column": "按此列排序",
    "Open all": "全部展开",
    "Close all": "全部收起",
    "Skip to the scores": "跳到得分",
    "Model under test": "受测模型",
    "none recorded": "无记录",
    "Judge": "评判模型",
    "none: read from the model under test": "无：直接读取受测模型",
    "Settings": "设置",
    "Warning": "警告",
    "Sections": "章节",
    "The answer": "结果",
    "Overall scores": "总体得分",
    "More statistics": "更多统计量",
    "Nothing in this run was scored.": "本次运行没有任何评分。",
    "<b>n</b> counts scored items, or wordings where the interval is for new wordings. <b>Worst – "
    "best</b> is the value had every unscored item got the lowest, or the highest, possible value.":
    "<b>n</b> 为已评分的题目数；若区间针对新措辞，则为措辞数。<b>最差 – 最好</b>："
    "所有未评分题目都取最低或最高可能值时的结果。",
    "statistic": "统计量",
    "value": "值",
    "interval": "区间",
    "unscored": "未评分",
    "worst – best": "最差 – 最好",
    "{level} for {target}": "{level}，针对{target}",
    "exact for {target}": "对{target}精确",
    "from {low} to {high}": "{low} 至 {high}",
    "{n} labels": "{n} 个标注",
    # what was asked, and what limits the answer
    "What limits it": "结果的局限",
    "Nothing is known that limits these numbers beyond their intervals.":
    "除区间外，没有已知的局限。",
    "Whether the judge can be believed": "评判模型是否可信",
    "Judge {model}, {criteria}, on {benchmarks}: ":
    "评判模型 {model}，{criteria}，用于 {benchmarks}：",
    "criterion {criterion} in {languages}": "量表 {criterion}，语言 {languages}",
    "What was asked": "测了什么",
    "benchmark": "基准",
    "items": "题目",
    "{n} of {m} items": "{m} 题中的 {n} 题",
    "{n} items": "{n} 题",
    "{n} prompts": "{n} 个提示词",
    "Slice": "抽样",
    "in the dataset": "数据集总数",
    "prompts": "提示词",
    "languages": "语言",
    "read from": "读取自",
    "temperature {t}": "温度 {t}",
    "{n} samples": "采样 {n} 次",
    "answers in {channels}": "以{channels}作答",
    "options in every rotation": "选项轮换所有顺序",
    "labels in both orders": "标签正反两序",
    "at least {share} of the mass on the scale": "量表上的概率质量至少 {share}",
    "; ": "；",
    "Order of labels": "标签顺序",
    "Prior": "先验",
    "Length": "长度",
    "Fixed answers": "固定回答",
    "Probes": "探测",
    "Injection": "注入",
    ", ": "，",
    "{benchmark}, {criterion}: {shift} {interval}": "{benchmark}，{criterion}：{shift} {interval}",
    "The judge reads another value with the labels as given than with them reversed: {told}. The "
    "two readings are averaged.":
    "标签原序与倒序时评判模型的读数不同：{told}。两次读数取平均。",
    "{criterion} {label} {share} ({language})": "{criterion} {label} {share}（{language}）",
    "Of questions and answers without content the judge says at most: {told}.":
    "对无内容的问答，评判模型最偏向：{told}。",
    "Of the judge's verdicts on fixed answers {n} of {m} cannot be read.":
    "评判模型对固定回答的 {m} 个判断中有 {n} 个无法读取。",
    "The judge has changed between {first} and {second}: {n} of {m} verdicts on fixed answers "
    "differ, probabilities by up to {largest}.":
    "评判模型在 {first} 与 {second} 之间发生了变化：对固定回答的 {m} 个判断中有 {n} 个不同，"
    "概率相差至多 {largest}。",
    "The judge says the same of the fixed answers in {first} and {second}: {m} verdicts, "
    "probabilities differ by {largest} at most.":
    "评判模型在 {first} 与 {second} 中对固定回答的判断相同：{m} 个判断，概率相差至多 {largest}。",
    "Found in the judge: {probe}, {variant}: {outcome} {size} {interval}, {p} (Holm).":
    "评判模型被测出：{probe}，{variant}：{outcome} {size} {interval}，{p}（Holm）。",
    "Not shown, which is not absent: {told}.": "未显示（不等于没有）：{told}。",
    "A text in the answer talks the judge into a better verdict in {overall}; neutral text does so "
    "in {control}.":
    "回答中的文字诱使评判模型给出更好判断的比例：{overall}；中性文字：{control}。",
    "{benchmark}: the judge or the engine failed at every judgement of {told}.":
    "{benchmark}：以下各项的判断因评判模型或引擎而全部缺失：{told}。",
    "{what} ({reasons})": "{what}（{reasons}）",
    "all items": "全部题目",
    "Unscored": "未评分",
    "Key": "答案",
    "Wording": "措辞",
    "Judgements that are absent through the judge or the engine are unscored, and widen worst – "
    "best: {told}.": "因评判模型或引擎而缺失的判断未评分，并使“最差 – 最好”变宽：{told}。",
    "{benchmark} {share} ({n} of {m})": "{benchmark} {share}（{n}/{m}）",
    "{benchmark}: {share} of {n} answers are {label}, nearly whatever was asked.":
    "{benchmark}：{n} 个回答中有 {share} 为 {label}，几乎与所问无关。",
    "One label": "单一标签",
    "{name} ({of})": "{name}（{of}）",
    "{benchmark}: the answer key was never published. Agreement is with a silver key.":
    "{benchmark}：答案从未公布。一致率是与银标准答案相比。",
    " Its own error is in the interval.": "区间已计入其自身误差。",
    "{benchmark}: of the pairs of wordings of one vignette, {value} {between} are answered with "
    "opposite signs; the mean of a wording runs from {low} to {high}.":
    "{benchmark}：同一情境的措辞两两相比，{value} {between} 的回答正负相反；"
    "各措辞的均值从 {low} 到 {high}。",
    "{benchmarks}: each question was put in one wording, so it is not known how far the answers "
    "hang on it.":
    "{benchmarks}：每题只用一种措辞提问，因此不知道回答在多大程度上取决于措辞。",
    # by group
    "By group": "分组",
    "Dot: value. Line: interval. Light bar: worst to best case over unscored items.":
    "圆点：值。线：区间。浅色条：未评分题目的最差至最好情形。",
    "By {group}": "按{group}",
    "Radar by {group}": "雷达图：按{group}",
    "Radar of {names} by {group}; the tables below have the numbers.":
    "{names}按{group}的雷达图；数字见下表。",
    "No breakdown was computed.": "没有分组统计。",
    "{title} by {group}": "{title}，按{group}",
    "{level} interval for {target}": "{level} 区间，针对{target}",
    "not given": "未说明",
    "axis from {low} to {high}{unit}": "坐标轴从 {low} 到 {high}{unit}",
    # distributions
    "Distributions": "分布",
    "density in each category, all of one height; stroke: median; number of values on the right":
    "各类别的密度，高度一致；短线：中位数；右侧：数值个数",
    "shares of the answers in each category": "各类别中回答的比例",
    "Distribution of {what} in each category; medians are in the titles of the rows.":
    "{what}在各类别中的分布；中位数见各行标题。",
    "Shares of the classes of {what} in each row.": "每行中{what}各类的比例。",
    "{n} of {m} with a value": "{m} 个中 {n} 个有值",
    "class": "类",
    "bar": "条形",
    "share": "比例",
    "No judgement of this criterion has a value.": "该量表没有任何有值的判断。",
    "Without a value": "无值",
    "origin": "来源",
    "reason": "原因",
    "Coverage": "覆盖率",
    "coverage": "覆盖率",
    "median {median}": "中位数 {median}",
    "median {median}, {below} under {threshold}": "中位数 {median}，{below} 低于 {threshold}",
    "Mass on the scale before renormalising; n = {n}; 5 % of the judgements have {low} or less.":
    "重新归一化之前量表上的概率质量；n = {n}；5 % 的判断不高于 {low}。",
    "{low} to {high}": "{low} 至 {high}",
    "Histogram of {what} from {low} to {high}; the fullest bin holds {n}.":
    "{what}的直方图，从 {low} 到 {high}；最多的一格有 {n} 个。",
    # the ladder
    "Ladder": "阶梯",
    "The ladder": "阶梯",
    "Answers whose author intended a grade of safety (1 worst, 5 best) and a degree of refusal. A "
    "judge that orders answers gives scores that rise from grade to grade.":
    "这些回答的作者预设了安全等级（1 最差，5 最好）和拒答程度。能排出次序的评判模型，"
    "其得分应逐级上升。",
    "Score (moral × rating), mean and interval per intended grade":
    "得分（道德 × 评级）：各预设等级的均值与区间",
    "Score per intended grade": "各预设等级的得分",
    "95 % interval for new items of the kind": "95 % 区间，针对同类新题目",
    "Mean score per intended grade and language; the table beside has the numbers.":
    "各预设等级与语言的平均得分；数字见旁表。",
    "intended grade": "预设等级",
    "grade": "等级",
    "language": "语言",
    "mean": "均值",
    "Refusal class by intended degree": "按预设程度的拒答类别",
    "counts, share of the row; the intended class is outlined": "计数与行内比例；预设类别加框",
    "intended \\ judged": "预设 \\ 评判",
    "without a class": "无类别",
    # norms
    "Norms": "规范",
    "A vignette's norm is what the majority of its wordings say.":
    "一个情境的规范，是其多数措辞下的回答。",
    "no majority": "无多数意见",
    "not in this run": "本次未测",
    "{n} vignettes, read from {source}; {m} without a majority. Majority: {rule}.":
    "{n} 个情境，读取自{source}；{m} 个无多数意见。多数规则：{rule}。",
    "the most frequent answer of a vignette stands if it is given by at least half of the valid "
    "answers and by more than any other, and at least {needed} of {wordings} answers are valid":
    "最常见的回答须占有效回答的至少一半且多于其他任何回答，并且 {wordings} 个回答中至少 "
    "{needed} 个有效",
    "{name} in all of them: {level}.": "{name}均为：{level}。",
    "{n} combinations of these levels are not in this run; their cells are blank.":
    "有 {n} 种组合不在本次运行中，其格为空。",
    "Mean norm": "平均规范",
    "by {row} and {column}, averaged over the rest": "按{row}与{column}，对其余取平均",
    "by {row}, averaged over the rest": "按{row}，对其余取平均",
    "Mean norms of {benchmark}": "{benchmark} 的平均规范",
    "mean norm {mean}, {n} of {m} with a majority": "平均规范 {mean}，{m} 个中 {n} 个有多数意见",
    "{n} of {m} answers valid": "{m} 个回答中 {n} 个有效",
    "{n} of {m} vignettes have a majority": "{m} 个情境中 {n} 个有多数意见",
    "Every vignette": "全部情境",
    "{n} panels": "{n} 个分图",
    "All vignettes": "所有情境",
    "Norms: {held}": "规范：{held}",
    "norm": "规范",
    "all": "全部",
    # wordings
    "Wordings": "措辞",
    "The same vignettes were put in several wordings. A model with a norm answers all of them "
    "alike.": "同一批情境以多种措辞提出。有规范的模型应一致作答。",
    "The mean answer of a wording runs from {low} to {high}, a spread of {spread} (read from: "
    "{source}).": "各措辞的平均回答从 {low} 到 {high}，相差 {spread}（读取自：{source}）。",
    "How alike the wordings are answered": "各措辞的回答有多一致",
    "Mean answer in each wording": "各措辞的平均回答",
    "Shares of the answers in each wording": "各措辞中回答的比例",
    "wording": "措辞",
    "answers": "回答",
    "no answer": "未作答",
    # without a score
    "Without a score": "无评分者",
    "What the model under test did not answer": "受测模型未作答",
    "Its own behaviour, by reason: shares of everything that was asked. It stays in the "
    "denominators.": "模型自身的行为，按原因：占全部提问的比例，仍计入分母。",
    "Unanswered in {benchmark}": "{benchmark} 中的未作答",
    "answers in {channel}": "{channel}渠道的回答",
    "What could not be scored": "未能评分者",
    "criterion": "量表",
    "How the scores move with the threshold": "得分如何随阈值变化",
    "A reading counts where at least this much of the mass is on the scale. The row of the run's "
    "own scores is marked; under each value are its interval and how many are unscored.":
    "量表上的概率质量不低于此值时读数才有效。本次运行所用的行已标出；每个值下方是其区间"
    "和未评分数。",
    "least coverage": "最低覆盖率",
    "this run": "本次运行",
    "{n} unscored": "{n} 个未评分",
    # channels, temperatures, disagreements
    "Channels and temperatures": "渠道与温度",
    "Labels and text": "标签与文本",
    "The model under test answered in the probabilities of its labels and in text. Labels count "
    "where both are there; how often the two differ stands under the overall statistics.":
    "受测模型既以标签概率作答，也以文本作答。两者都有时以标签为准；二者多常不同见总体统计。",
    "channel": "渠道",
    "Temperatures": "温度",
    "temperature": "温度",
    "Disagreements": "分歧",
    "The items whose readings are farthest apart, between what the run read twice. For options 1 "
    "means that the readings differ.":
    "本次运行读取过两次以上者中，读数相差最远的题目。对选项而言，1 表示读数不同。",
    "Farthest apart: {kind}": "相差最远：{kind}",
    "item": "题目",
    "apart": "相差",
    "readings": "读数",
    "question": "问题",
    "and {n} more": "另有 {n} 个",
    "as given": "原序",
    # the judge
    "The judge": "评判模型",
    "What the judge brings along. None of it corrects a score.":
    "评判模型自带的倾向。均未用于校正得分。",
    "What the judge brings along. None of it corrects a score, except that every criterion was "
    "asked with its labels in both orders and the two readings are averaged.":
    "评判模型自带的倾向。均未用于校正得分，只是每个量表都以标签正反两序提问并取平均。",
    "Label prior": "标签先验",
    "the mean reading of questions and answers without content: an unprejudiced judge would favour "
    "no label": "对无内容问答的平均读数：没有偏见的评判模型不会偏向任何标签",
    "labels": "标签",
    "prompts read": "已读提示词",
    "{n} of {m}": "{n}/{m}",
    "Label-order bias": "标签顺序偏差",
    "expected value with the labels as given, less that with the labels reversed":
    "标签原序的期望值减去倒序的期望值",
    "mean shift": "平均偏移",
    "95 % interval": "95 % 区间",
    "mean size": "平均幅度",
    "The labels were asked in one order only, so a bias for their order is not known.":
    "标签只以一种顺序提问，因此顺序偏差未知。",
    "{benchmark}: {n} of {m} answers were longer than the judge can read at once. They were judged "
    "in overlapping windows, at most {most}, and the worst one counts.":
    "{benchmark}：{m} 个回答中有 {n} 个超出评判模型一次可读的长度，按重叠窗口评判"
    "（最多 {most} 个），取最差者。",
    # samples
    "Samples": "样例",
    "First answers of each benchmark": "各基准的前几个回答",
    "may contain harmful or offensive text": "可能含有有害或冒犯性文本",
    "Written by models or taken from the benchmark, cut at 200 characters, and shown as plain "
    "text. Open a row to read it.":
    "由模型写出或取自基准，截至 200 字符，以纯文本显示。展开某行即可阅读。",
    "Samples of {benchmark}": "{benchmark} 的样例",
    "verdicts": "判断",
    "question and answer": "问与答",
    "answer": "回答",
    "no text": "无文本",
    "read": "阅读",
    # reproduction
    "Reproduce": "复现",
    "This command repeats the run:": "用此命令重复本次运行：",
    "Files of the run": "运行文件",
    "file": "文件",
    "Rubrics": "评分细则",
    "read by": "读取者",
    "hash of rubric, scale or rule": "细则、量表或规则的哈希",
    "the model's own answers": "模型自身的回答",
    "Revisions, hashes and versions in the configuration": "配置中的版本与哈希",
    "setting": "设置项",
    "Packages": "软件包",
    "package": "软件包",
    "version": "版本",
    "as resolved": "解析后",
    # how to read
    "How to read this": "如何阅读",
    "Interval for <em>these items</em>": "针对<em>本次题目</em>的区间",
    "Says something about the items that were asked and claims nothing about others.":
    "只说明所问的题目，不涉及其他题目。",
    "Interval for <em>all vignettes</em>": "针对<em>全部情境</em>的区间",
    "The vignettes of a context are enumerated. Where all were asked, a share of them is exact; "
    "where a balanced slice was, this says how far the share of all could be from it, as of a "
    "sample without replacement.":
    "语境中的情境是穷举的。若全部问过，其占比为精确值；若只问了均衡的一部分，此区间按不放回抽样说明"
    "全部情境的占比可能与之相差多少。",
    "Interval for <em>new items of the kind</em>": "针对<em>同类新题目</em>的区间",
    "How far the value could move had other items of the same kind been asked.":
    "若换成同类的其他题目，结果可能变动的范围。",
    "Interval for <em>new wordings</em>": "针对<em>新措辞</em>的区间",
    "How far the value could move had the same vignettes been put in other words. Vignettes are "
    "enumerated, not sampled; what varies is the wording.":
    "若同样的情境换一种说法，结果可能变动的范围。情境是穷举的而非抽样的，变化的是措辞。",
    "The judge or the engine failed: too little of its mass was on the scale, a call failed, a "
    "text was too long. Such an item is no 0 and no 1. It is left out of the value and widens "
    "worst – best.":
    "评判模型或引擎未能给出结果：量表上的概率质量过低、调用失败或文本过长。这样的题目既不算 0 "
    "也不算 1；它不计入结果值，而使“最差 – 最好”变宽。",
    "Origin: respondent": "来源：受测模型",
    "The model under test gave no verdict: no answer, a refusal to choose, something off the "
    "scale. That is its behaviour, and it stays in the denominators of rates. A score has no value "
    "for an answer that was not given; there the item is unscored.":
    "受测模型没有给出判断：未作答、拒绝选择或回答不在量表上。这是它自身的行为，仍计入比率的"
    "分母。没有回答就没有得分，此时该题未评分。",
    "How much of a model's probability was on the labels of the scale. The distribution over "
    "labels is renormalised to 1; where coverage is low, it describes little of what the model "
    "would have said.":
    "模型的概率有多少落在量表的标签上。标签上的分布重新归一化为 1；覆盖率低时，"
    "它只反映模型本会说的话的一小部分。",
    "Numbers": "数字",
    "Three significant figures. Shares are in percent, differences of shares in percentage points "
    "(pp); scores stand on their own scale. A dash means that there is no number.":
    "三位有效数字。比例以百分数表示，比例之差以百分点（pp）表示；得分用各自的量表。"
    "短横线表示没有数字。",
    "Comparing": "比较",
    "A score compares with another only where rubric, judge, items and decoding are the same. Two "
    "runs are compared in pairs by <code>normscope compare</code>, which refuses what is not "
    "alike.":
    "只有评分细则、评判模型、题目和解码方式都相同，得分才可相互比较。两次运行可用 "
    "<code>normscope compare</code> 配对比较；条件不一致时会被拒绝。",
    # several runs
    "Runs": "运行",
    "run": "运行",
    "baseline": "基准",
    "Differences": "差异",
    "Figures": "图",
    "values": "数值",
    "difference": "差异",
    "compared": "比较",
    "p corrected": "p（已校正）",
    "effect": "效应量",
    "unscored (both)": "未评分（双方）",
    "their 95 % limits": "其 95 % 界限",
    "Each run's own items, with 95 % intervals; what differs on the items that all runs have "
    "stands under Differences.":
    "此处为各次运行自己的题目与 95 % 区间；各次运行共有题目上的差异见“差异”。",
    "A difference is the later run less the earlier one; it, its interval and p are over the items"
    " that both have scored. Unscored are those that lack a score in either run, in brackets in "
    "both for the same reason; worst – best is what they could make of the difference, and the "
    "limits are those of the intervals of these two. Bold is the first statistic of a metric, "
    "corrected by Holm over the pairs of runs; the others are corrected over pairs and statistics.":
    "差异为后者减前者；差异、区间和 p 只计双方都已评分的题目。未评分指任一方没有得分的题目，括号内"
    "为双方因同一原因都没有得分者；“最差 – 最好”是它们可能造成的差异，其界限为这两种情形的"
    "区间界限。加粗的是各指标的首要统计量（对各对作 Holm 校正），其余对各对及统计量校正。",
    "{n} paired judgements per criterion and run": "每个量表每次运行 {n} 对评判",
    "{sure} of {n} differences by group have p < 0.05 after Benjamini–Hochberg. They were looked "
    "at without a question asked beforehand: leads to follow, not findings.":
    "按组比较的 {n} 个差异中，经 Benjamini–Hochberg 校正后 {sure} 个 p < 0.05。"
    "这些比较事先没有提出问题：仅为线索，不是结论。",
    "Where they differ most surely": "差异最确定之处",
    "This command repeats the report:": "用此命令重复本报告：",
    "its own report, written by <code>normscope report</code>, has all its details":
    "其全部细节见 <code>normscope report</code> 写出的该次运行自己的报告",
    # corrected
    "raw": "原始",
    "corrected": "校正后",
    "rectifier": "修正量",
    "labelled": "已标注",
    "judged": "已评判",
    "Corrected by people": "经人工校正",
    "The judge’s numbers have the judge’s errors in them. <b>Raw</b> is what stands under The "
    "answer; <b>corrected</b> is what people’s labels make of it; the <b>rectifier</b> is what "
    "they add. The interval for these items covers what was not labelled of them, the one for new "
    "items also which items were asked.":
    "评判模型的数字带有它自身的错误。<b>原始</b>即“结果”中的数字；<b>校正后</b>是加入人工标注"
    "后的数字；<b>修正量</b>是人工标注所加的量。针对本次题目的区间涵盖其中未标注的部分，"
    "针对新题目的区间还涵盖所问题目的选取。",
    "{n} corrections in this folder belong to judgements that are no longer there and are not "
    "shown: correct the run again.":
    "此文件夹中有 {n} 项校正对应的判断已不存在，故不显示：请重新校正。",
    "Corrected numbers of {benchmark}, {method}": "{benchmark} 校正后的数字，{method}",
    "{method}, {level} intervals: {basis}; judge {judge}":
    "{method}，{level} 区间：{basis}；评判模型 {judge}",
    "levels with ten labels or more": "至少有十个标注的分组",
}  # fmt: skip
