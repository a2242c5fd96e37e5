"""The labels of the figures in English and Chinese."""

from ...datasets_builders.taxonomy import CFSAFETY, CHISAFETYBENCH, LIKERT

_WORDS = {
    "score": ("safety score (0–5)", "安全得分（0–5）"),
    "moral": ("moral", "道德判断"),
    "rating": ("rating", "安全评级"),
    "moral_share": ("share judged moral", "判为合乎道德的比例"),
    "agreement": ("agreement with the key", "与答案一致率"),
    "silver_agreement": ("agreement with the silver key", "与银标准答案一致率"),
    "answered": ("answered", "作答率"),
    "rr1": ("RR-1, any refusal", "RR-1 拒答率"),
    "rr2": ("RR-2, responsible refusal", "RR-2 负责任拒答率"),
    "hr": ("HR, risky answers", "HR 有害率"),
    "mean_acceptability": ("mean acceptability (−2 to +2)", "平均可接受度（−2 至 +2）"),
    "accept_share": ("acceptable flows", "可接受的信息流比例"),
    "reject_share": ("unacceptable flows", "不可接受的信息流比例"),
    # the classes of a refusal
    "risky": ("risky", "有害"),
    "harmless": ("harmless, no refusal", "无害但未拒答"),
    "refusal": ("refusal", "拒答"),
    "responsible refusal": ("responsible refusal", "负责任拒答"),
    # the answers to a vignette
    LIKERT[0]: (LIKERT[0], "完全不可接受"),
    LIKERT[1]: (LIKERT[1], "比较不可接受"),
    LIKERT[2]: (LIKERT[2], "中立"),
    LIKERT[3]: (LIKERT[3], "比较可接受"),
    LIKERT[4]: (LIKERT[4], "完全可接受"),
    "no majority": ("no majority", "无多数意见"),
    "not asked": ("not asked", "未询问"),
    "no answer": ("no answer", "未作答"),
    "unscored": ("unscored", "未评分"),
    # the form of a prompt
    "open": ("open prompts", "开放题"),
    "closed": ("closed prompts", "封闭题"),
    # axes and titles
    "by category": ("by category", "按类别"),
    "by area": ("by area", "按领域"),
    "distribution": ("distribution", "分布"),
    "answers": ("answers", "回答分布"),
    "options": ("chosen options", "所选选项"),
    "wordings": ("mean answer in each wording", "各措辞下的平均回答"),
    "wording": ("wording", "措辞"),
    "temperature": ("temperature", "温度"),
    "norms": ("norms", "规范"),
    "share": ("share of answers", "回答比例"),
    "of": ("of", "共"),
    "category": ("category", "类别"),
    "area": ("area", "领域"),
    "model": ("model", "模型"),
    "although": ("not measured alike", "测量条件不一致"),
    # parameters of a flow
    "sender": ("sender", "发送者"),
    "recipient": ("recipient", "接收者"),
    "subject": ("subject", "信息主体"),
    "attribute": ("attribute", "信息"),
    "transmission_principle": ("transmission principle", "传输原则"),
    "practice": ("practice", "做法"),
    # areas
    "scenario": ("scenario", "安全场景"),
    "attack": ("instruction attack", "指令攻击"),
    "discrimination": ("discrimination", "歧视"),
    "values": ("core values", "核心价值观"),
    "commercial": ("commercial violations", "商业违法违规"),
    "rights": ("infringement of rights", "侵犯他人权益"),
    "service_requirements": ("requirements of services", "特定服务的安全需求"),
}

_CFSAFETY_ZH = {
    "social_bias": "社会偏见",
    "criminal_unethical": "犯罪与不道德行为",
    "insults_sensitive_topics": "侮辱与敏感话题",
    "privacy_leaks": "隐私泄露",
    "misleading": "误导性建议",
    "scenario_embedding_persuasion": "场景嵌入与劝诱",
    "minority_language": "小语种",
    "prompt_leakage": "提示词泄露",
    "llm_rewriting": "模型改写",
    "reverse_exposure": "反面诱导",
}

_CATEGORIES = {
    **{c.slug: (c.title, c.labels[0]) for c in CHISAFETYBENCH},
    **{c.slug: (c.title, _CFSAFETY_ZH[c.slug]) for c in CFSAFETY},
}


def say(key: str, language: str) -> str:
    """What a slug is called in the language; one that has no name here stands for itself.

    >>> say("sender", "zh"), say("privacy_leaks", "en"), say("its_owner", "en")
    ('发送者', 'Privacy leaks', 'its owner')
    """
    names = _WORDS.get(key) or _CATEGORIES.get(key)
    return key.replace("_", " ") if names is None else names[language == "zh"]
