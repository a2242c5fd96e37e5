"""What is wrong with a context's file, by the English format string of the check, in Chinese."""

CONTEXTS: dict[str, str] = {
    # where, and the remedies that follow a value
    "{place}: {told}": "{place}：{told}",
    "YAML:{place}: {note}": "YAML 第 {place} 行：{note}",
    "YAML: {note}": "YAML：{note}",
    "did you mean {name}?": "是否指 {name}？",
    "known: {names}": "已知：{names}",
    # the file
    "not valid YAML: {note}": "不是有效的 YAML：{note}",
    "mapping values are not allowed here": "此处不允许键值对",
    "found character {sign} that cannot start any token": "发现不能作为开头的字符 {sign}",
    "found unexpected end of stream": "文件意外结束",
    "could not find expected {sign}": "缺少应有的 {sign}",
    "expected the node content, but found {token}": "应有内容，却遇到 {token}",
    "expected {wanted}, but found {token}": "应为 {wanted}，却遇到 {token}",
    "a key is a word, not a list or a mapping": "键必须是一个词，不能是列表或映射",
    "aliases (*) are not allowed; write the value out": "不允许使用别名（*）；请把值写全",
    "nested or repeated beyond reason": "嵌套或重复过多",
    "key {key} stands twice": "键 {key} 出现两次",
    "missing key {key}": "缺少键 {key}",
    "unknown key {key}; {note}": "未知的键 {key}；{note}",
    "Input should be a valid string, not {value}": "应为文本，而不是 {value}",
    "Input should be a valid string": "应为文本",
    "Input should be a valid integer, not {value}": "应为整数，而不是 {value}",
    "Input should be a valid integer, unable to parse string as an integer, not {value}":
    "应为整数，而不是 {value}",
    "Input should be a valid integer": "应为整数",
    "Input should be a valid number, not {value}": "应为数字，而不是 {value}",
    "Input should be a valid number, unable to parse string as a number, not {value}":
    "应为数字，而不是 {value}",
    "Input should be a valid number": "应为数字",
    "Input should be a valid boolean, not {value}": "应为 true 或 false，而不是 {value}",
    "Input should be a valid tuple, not {value}": "应为列表，而不是 {value}",
    "Input should be a valid tuple": "应为列表",
    "Input should be a valid dictionary, not {value}": "应为键值对，而不是 {value}",
    "Input should be a valid dictionary": "应为键值对",
    "Input should be a dictionary or an instance of {kind}, not {value}":
    "应为键值对（{kind}），而不是 {value}",
    "Input should be a dictionary or an instance of {kind}": "应为键值对（{kind}）",
    "Input should be {one} or {other}, not {value}": "应为 {one} 或 {other}，而不是 {value}",
    "no keys are in it; `normscope context new` writes a file to begin with":
    "文件中没有键；`normscope context new` 会写出一个起始文件",
    "this is still a blank; fill it in or take it out": "这里还是空白；请填写或删去",
    "the file is called {path}; it must be {name}.yaml, or rename it":
    "文件名为 {path}；应为 {name}.yaml，或改名",
    "{number} are too many; at most {most}": "{number} 个太多；最多 {most} 个",
    "{number} levels are too many; at most {most}": "{number} 个水平太多；最多 {most} 个",
    "a vignette would have up to {length} characters; at most {most}":
    "情境可能长达 {length} 个字符；最多 {most} 个",
    # names and what stands at the head
    "{name} must be lower-case letters, digits and underscores, as in 'smart_home'":
    "{name} 只能含小写字母、数字和下划线，如 'smart_home'",
    "{name} ends like one of the configs that are made of it; choose another":
    "{name} 的结尾与由它生成的配置相同；请另取名",
    "{name} is a config of its own; choose another": "{name} 本身就是一个配置名；请另取名",
    "{language} is not a language tag such as 'en' or 'zh'":
    "{language} 不是 'en' 或 'zh' 这样的语言标签",
    "it is empty": "内容为空",
    "it is empty; say it": "内容为空；请写明",
    "it is empty; say why": "内容为空；请说明原因",
    "it is empty; name at least one person or group": "内容为空；请至少写一个人或团体",
    "there is none, so that nobody may use the wording; name one, as in 'CC-BY-4.0'":
    "没有许可证，因此无人可以使用这些措辞；请写明，如 'CC-BY-4.0'",
    "a bundled context has this name; choose another": "已有同名的内置情境；请另取名",
    "the published prompts are English; build with your own: --prompts FILE":
    "已发表的提示词是英文的；请用自己的提示词构建：--prompts FILE",
    # factors and levels
    "{name} is not a parameter; {note}": "{name} 不是参数；{note}",
    "{name} stands in several places: give it once, under factors, constants or absent (with a "
    "reason)": "{name} 出现在多处：请只在 factors、constants 或 absent（附原因）之一写一次",
    "{name} is missing: give it once, under factors, constants or absent (with a reason)":
    "缺少 {name}：请在 factors、constants 或 absent（附原因）之一写一次",
    "the tables have a column of that name; choose another": "表中已有同名的列；请另取名",
    "no template has the slot {slot}; use it or take it out": "没有模板含 {slot}；请使用它或删去",
    "levels_for needs tied_to: which factor are the levels tied to?":
    "levels_for 需要 tied_to：这些水平依附于哪个因素？",
    "a tied factor has levels_for, not levels": "依附的因素应写 levels_for，而不是 levels",
    "{name} is no factor that stands before it in the file": "{name} 不是文件中位于它之前的因素",
    "it says nothing for {factor} {level}": "没有为 {factor} 的 {level} 写出水平",
    "this is no level of {factor}; {note}": "这不是 {factor} 的水平；{note}",
    "there are no levels": "没有水平",
    "level {level} stands twice": "水平 {level} 出现两次",
    "level {level} begins or ends with a space": "水平 {level} 的开头或结尾有空格",
    "a level is empty; say `optional: true` if the slot may be left empty":
    "有一个水平为空；若该位置可以留空，请写 `optional: true`",
    "{level} begins without an article, as others do not": "{level} 没有冠词，而其他水平有",
    "{level} is nearly {other}": "{level} 与 {other} 几乎相同",
    "{name} is no factor; {note}": "{name} 不是因素；{note}",
    "{level} is no level of {factor}; {note}": "{level} 不是 {factor} 的水平；{note}",
    "it is empty and would leave out everything": "内容为空，会排除一切",
    # templates
    "there is none; a context needs at least one template": "没有模板；情境至少需要一个模板",
    "only what the context calls absent can be constant here":
    "此处只有情境中标为 absent 的才能设为常量",
    "there is no null_control, the template without {slot}: without it nobody can tell what the "
    "condition adds": "没有 null_control（不含 {slot} 的模板）：没有它就无法得知条件的作用",
    "it must be the template without {slot}, and only that": "它必须是去掉 {slot} 的模板，仅此而已",
    "a brace without its partner in {template}": "{template} 中有不成对的花括号",
    "it begins or ends with a space: {template}": "开头或结尾有空格：{template}",
    "there is no slot in it": "其中没有可填的位置",
    "slot {slot} is no factor; {note}": "{slot} 不是因素；{note}",
    "{slot} is tied to {parent}, which is not in it": "{slot} 依附于 {parent}，而后者不在其中",
    "it corrects nothing; take it out": "它没有更正任何内容；请删去",
    "it is longer than {most} characters": "超过 {most} 个字符",
    "{text} stands {n} times": "{text} 出现 {n} 次",
    "give at least one that is plainly acceptable and one that is plainly unacceptable":
    "请至少给出一个明显可接受的和一个明显不可接受的锚点",
    # ratings
    "the scale goes from {low} to {high}; low must be the lower end":
    "量表从 {low} 到 {high}；low 必须是低端",
    "{mean} is not on the scale of {low} to {high}": "{mean} 不在 {low} 至 {high} 的量表上",
    "no practice {practice}; {note}": "没有名为 {practice} 的做法；{note}",
    "these levels were rated before; one rating each": "这些水平已有评分；每组只能有一个",
    "a standard deviation is not below 0, as {sd} is": "标准差不能小于 0，而这里是 {sd}",
    "{n} people rated nothing; leave n out if unknown": "{n} 个人没有评分；若不知道请省去 n",
    # what comes out of it
    "the product makes {size} vignettes; at most {most} are made: use fewer levels, tie factors, "
    "or split it into several contexts":
    "组合会产生 {size} 个情境，最多 {most} 个：请减少水平、让因素相互依附，或拆成几个情境",
    "exclusions leave nothing of {practice}": "排除之后 {practice} 不剩任何情境",
    "two combinations of levels give the same text, {text}; make their levels or templates differ":
    "两种水平组合得到同一文本 {text}；请让水平或模板有所区别",
    "no vignette has {wrong}; take the correction out": "没有情境含 {wrong}；请删去这条更正",
    "no vignette has the levels {levels}; correct the rating or take it out":
    "没有情境具有水平 {levels}；请改正这条评分或删去",
    "{n} of its vignettes are nearly those of the context {other}, as {mine} is to {theirs}":
    "其中 {n} 个情境与 {other} 的几乎相同，例如 {mine} 与 {theirs}",
    # oddities of wording, and data of persons
    "{told_kind} in {text}, as in {vignette}": "{text} 中{told_kind}，例如 {vignette}",
    "{told_kind} in {text}": "{text} 中{told_kind}",
    "two spaces": "有两个空格",
    "a space before punctuation": "标点前有空格",
    "punctuation twice": "标点重复",
    "a word twice": "一个词重复",
    "two articles": "有两个冠词",
    "'a' before a vowel": "元音前用了 'a'",
    "'an' before a consonant": "辅音前用了 'an'",
    "{told_kind}: no personal data; make it up in words, or use example.org":
    "{told_kind}：不得含个人数据；请用文字编造，或用 example.org",
    "an e-mail address": "含电子邮件地址",
    "a social security number": "含社会保障号",
    "an identity number": "含身份证号",
    "an account number": "含账号",
    "a phone number": "含电话号码",
    "a card number": "含银行卡号",
}  # fmt: skip
