"""What statistics, groups, criteria, classes and reasons are called, in English and in Chinese."""

from .charts.words import say

_NAMES: dict[str, tuple[str, str]] = {
    # statistics
    "score": ("score", "安全得分"),
    "moral": ("moral", "道德判断"),
    "rating": ("rating", "安全评级"),
    "moral_share": ("moral share", "判为合乎道德的比例"),
    "rr1": ("RR-1", "RR-1 拒答率"),
    "rr2": ("RR-2", "RR-2 负责任拒答率"),
    "hr": ("HR", "HR 有害率"),
    "agreement": ("agreement with the key", "与答案一致率"),
    "silver_agreement": ("agreement with the silver key", "与银标准答案一致率"),
    "best_constant": ("best constant answer", "最佳恒定答案"),
    "silver_best_constant": (
        "best constant answer by the silver key",
        "按银标准答案的最佳恒定答案",
    ),
    "rater_agreement": ("agreement between raters", "评分者之间一致率"),
    "kappa": ("Cohen's κ", "Cohen κ 系数"),
    "kappa_quadratic": ("κ, quadratic weights", "κ（二次权重）"),
    "answered": ("answered", "作答率"),
    "chance": ("chance", "随机水平"),
    "agreement_all_orders": ("agreement in all orders", "所有选项顺序下均一致"),
    "silver_agreement_all_orders": (
        "agreement with the silver key in all orders",
        "所有选项顺序下均与银标准答案一致",
    ),
    "order_flips": ("order flips", "随选项顺序而变的比例"),
    "channel_disagreement": ("channel disagreement", "两种渠道不一致率"),
    "answered_in_labels_only": ("answered in labels only", "仅以标签作答"),
    "answered_in_text_only": ("answered in text only", "仅以文本作答"),
    "simple_majority": ("simple majority", "简单多数"),
    "super_majority": ("super majority", "绝对多数"),
    "undecided": ("undecided", "未形成多数"),
    "no_answer": ("no answer", "未作答"),
    "unanimous": ("unanimous", "完全一致"),
    "accept_share": ("accept share", "可接受的比例"),
    "reject_share": ("reject share", "不可接受的比例"),
    "neutral_share": ("neutral share", "中立的比例"),
    "mean_acceptability": ("mean acceptability", "平均可接受度"),
    "wording_variance": ("wording variance", "措辞间方差"),
    "flip_rate": ("flip rate", "正负翻转率"),
    "raw_agreement": ("raw agreement", "措辞间一致率"),
    "alpha": ("alpha", "α 系数"),
    "unanswered": ("unanswered", "未作答比例"),
    # groups
    "language": ("language", "语言"),
    "item_format": ("item format", "题型"),
    "turns": ("turns", "对话轮次"),
    "turn difference": ("turn difference", "多轮与单轮之差"),
    "history difference": ("history difference", "有无对话历史之差"),
    "channel": ("channel", "渠道"),
    "temperature": ("temperature", "温度"),
    "min_coverage": ("min coverage", "最低覆盖率"),
    "reason": ("reason", "原因"),
    "reason in labels": ("reason in labels", "标签渠道的原因"),
    "reason in text": ("reason in text", "文本渠道的原因"),
    "multi − single": ("multi − single", "多轮 − 单轮"),
    "multi − single, area-standardised": (
        "multi − single, area-standardised",
        "多轮 − 单轮（按领域标准化）",
    ),
    "with − without": ("with − without", "有历史 − 无历史"),
    # members
    "labels": ("labels", "标签"),
    "text": ("text", "文本"),
    "open": ("open", "开放题"),
    "closed": ("closed", "封闭题"),
    "all": ("all", "全部"),
    "single": ("single", "单轮"),
    "multi": ("multi", "多轮"),
    "zh": ("zh", "中文"),
    "en": ("en", "英文"),
    "harmless": ("harmless", "无害但未拒答"),
    # criteria and who speaks
    "option": ("option", "选项"),
    "acceptability": ("acceptability", "可接受度"),
    "judge_logits": ("judge logits", "评判模型的概率"),
    "model_logits": ("model logits", "受测模型的概率"),
    "text_rule": ("text rule", "文本规则"),
    # why a judgement is absent, and whose doing that is
    "refused_to_choose": ("refused to choose", "拒绝选择"),
    "off_scale": ("off scale", "不在量表上"),
    "asks_for_context": ("asks for context", "要求补充情境"),
    "ambiguous": ("ambiguous", "含糊"),
    "all_labels_listed": ("all labels listed", "罗列所有标签"),
    "limitation_acknowledged": ("limitation acknowledged", "承认自身局限"),
    "nonsensical": ("nonsensical", "无意义"),
    "low_coverage": ("low coverage", "覆盖率过低"),
    "language_not_covered": ("language not covered", "语言未覆盖"),
    "text_too_long": ("text too long", "文本过长"),
    "call_failed": ("call failed", "调用失败"),
    "no_key": ("no key", "无答案"),
    "no reason recorded": ("no reason recorded", "未记录原因"),
    "respondent": ("respondent", "受测模型"),
    "judge": ("judge", "评判模型"),
    "engine": ("engine", "引擎"),
    "source": ("source", "数据来源"),
    "unknown": ("unknown", "未知"),
    # probes of a judge
    "length": ("length", "篇幅"),
    "one paragraph": ("one paragraph", "加一段"),
    "four paragraphs": ("four paragraphs", "加四段"),
    "label order": ("label order", "标签顺序"),
    "reversed": ("reversed", "倒序"),
    "content-free prior": ("content-free prior", "无内容先验"),
    "leniency": ("leniency", "宽松程度"),
    "less the intended grade": ("less the intended grade", "减去预设等级"),
    "paraphrase": ("paraphrase", "细则换一种说法"),
    "second wording": ("second wording", "第二种措辞"),
    "quoting": ("quoting", "引用"),
    "a refusal that quotes": ("a refusal that quotes", "引用了有害内容的拒答"),
    "self-preference": ("self-preference", "偏爱自己"),
    # between what answers disagree
    "wordings": ("wordings", "措辞之间"),
    "samples": ("samples", "多次采样之间"),
    "orders": ("orders of the options", "选项顺序之间"),
    "channels": ("channels", "渠道之间"),
    "criteria": ("moral and rating", "道德判断与安全评级之间"),
    # what an interval is about
    "these items": ("these items", "本次题目"),
    "all vignettes": ("all vignettes", "全部情境"),
    "new items of the kind": ("new items of the kind", "同类新题目"),
    "new wordings": ("new wordings", "新措辞"),
    "new items and wordings": ("new items and wordings", "新题目与新措辞"),
}


def name_of(slug: str, language: str) -> str:
    """What a slug is called; a text that is no known slug stands for itself, without underscores.

    >>> name_of("rr1", "en"), name_of("social_bias", "zh"), name_of("mean_score", "en")
    ('RR-1', '社会偏见', 'mean score')
    """
    names = _NAMES.get(slug)
    return say(slug, language) if names is None else names[language == "zh"]
