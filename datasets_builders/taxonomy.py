"""The taxonomies of the two question benchmarks, in English slugs, and the Likert scale.

A source's own label is kept beside the slug in every row; the tables below say which labels mean
which slug. CHiSafetyBench's question files spell some categories otherwise than its
multiple-choice file, and that file spells one category in two ways.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """One category: its slug, the area it belongs to, its title, and the source's labels for it."""

    slug: str
    area: str
    title: str
    labels: tuple[str, ...]


CFSAFETY = (
    Category("social_bias", "scenario", "Social bias", ("SocialBias",)),
    Category("criminal_unethical", "scenario", "Crime and unethical acts", ("Criminal_Unethical",)),
    Category(
        "insults_sensitive_topics",
        "scenario",
        "Insults and sensitive topics",
        ("Insults_SensitiveTopics",),
    ),
    Category("privacy_leaks", "scenario", "Privacy leaks", ("PrivacyLeaks",)),
    Category("misleading", "scenario", "Misleading advice", ("Misleading",)),
    Category(
        "scenario_embedding_persuasion",
        "attack",
        "Scenario embedding and persuasion",
        ("ScenarioEmbedding_Persuasion",),
    ),
    Category("minority_language", "attack", "Minority languages", ("MinorityLanguage",)),
    Category("prompt_leakage", "attack", "Prompt leakage", ("PromptLeakage",)),
    Category("llm_rewriting", "attack", "Rewriting by a language model", ("LLMRewriting",)),
    Category("reverse_exposure", "attack", "Reverse exposure", ("ReverseExposure",)),
)
"""Five scenarios and five instruction attacks (CFSafety)."""

CHISAFETYBENCH = (
    Category(
        "ethnic_discrimination",
        "discrimination",
        "Ethnic discrimination",
        ("民族歧视", "民族歧视内容"),
    ),
    Category(
        "religious_discrimination",
        "discrimination",
        "Religious discrimination",
        ("信仰歧视", "信仰歧视内容"),
    ),
    Category(
        "nationality_discrimination",
        "discrimination",
        "Nationality discrimination",
        ("国别歧视", "国别歧视内容"),
    ),
    Category(
        "regional_discrimination",
        "discrimination",
        "Regional discrimination",
        ("地域歧视", "地域歧视内容"),
    ),
    Category(
        "sexism",
        "discrimination",
        "Sexism",
        ("性别歧视", "性别歧视内容"),
    ),
    Category(
        "ageism",
        "discrimination",
        "Ageism",
        ("年龄歧视", "年龄歧视内容"),
    ),
    Category(
        "occupational_discrimination",
        "discrimination",
        "Occupational discrimination",
        ("职业歧视", "职业歧视内容"),
    ),
    Category(
        "health_discrimination",
        "discrimination",
        "Health discrimination",
        ("健康歧视", "健康歧视内容"),
    ),
    Category(
        "other_aspects_of_discrimination",
        "discrimination",
        "Other aspects of discrimination",
        ("其他方面歧视",),
    ),
    Category(
        "inciting_subversion_of_state_power",
        "values",
        "Inciting subversion of state power",
        ("煽动颠覆国家政权、推翻社会主义制度",),
    ),
    Category(
        "endangering_national_security",
        "values",
        "Endangering national security",
        ("危害国家安全和利益、损害国家形象",),
    ),
    Category(
        "inciting_separatism",
        "values",
        "Inciting separatism",
        ("煽动分裂国家、破坏国家统一和社会稳定",),
    ),
    Category(
        "promoting_terrorism",
        "values",
        "Promoting terrorism",
        ("宣扬恐怖主义、极端主义",),
    ),
    Category(
        "advocating_ethnic_hatred",
        "values",
        "Advocating ethnic hatred",
        ("宣扬民族仇恨",),
    ),
    Category(
        "propagating_violence_and_pornography",
        "values",
        "Propagating violence and pornography",
        ("宣扬暴力、淫秽色情",),
    ),
    Category(
        "disseminating_fake_and_harmful_information",
        "values",
        "Disseminating fake and harmful information",
        ("传播虚假有害信息",),
    ),
    Category(
        "other_aspects_prohibited_by_laws",
        "values",
        "Other aspects prohibited by laws",
        ("其他法律、行政法规禁止的内容",),
    ),
    Category(
        "violation_of_intellectual_property_rights",
        "commercial",
        "Violation of intellectual property rights",
        ("侵犯他人知识产权",),
    ),
    Category(
        "violation_of_business_ethics",
        "commercial",
        "Violation of business ethics",
        ("违反商业道德",),
    ),
    Category(
        "breach_of_confidence",
        "commercial",
        "Breach of confidence",
        ("泄露他人商业秘密",),
    ),
    Category(
        "unfair_competition",
        "commercial",
        "Unfair competition",
        ("利用算法、数据、平台等优势,实施垄断和不正当竞争行为",),
    ),
    Category(
        "other_violations_and_irregularities",
        "commercial",
        "Other violations and irregularities",
        ("其他商业违法违规行为",),
    ),
    Category(
        "endangering_physical_and_mental_health",
        "rights",
        "Endangering physical and mental health",
        ("危害他人身心健康",),
    ),
    Category(
        "infringing_on_portrait_right",
        "rights",
        "Infringing on portrait right",
        ("侵害他人肖像权",),
    ),
    Category(
        "infringing_on_reputation_right",
        "rights",
        "Infringing on reputation right",
        ("侵害他人名誉权",),
    ),
    Category(
        "infringing_on_honors_right",
        "rights",
        "Infringing on honors right",
        ("侵害他人荣誉权",),
    ),
    Category(
        "infringing_on_privacy_right",
        "rights",
        "Infringing on privacy right",
        ("侵害他人隐私权",),
    ),
    Category(
        "infringing_on_personal_information_right",
        "rights",
        "Infringing on personal information right",
        ("侵害他人个人信息权益",),
    ),
    Category(
        "other_infringements",
        "rights",
        "Other infringements",
        ("侵犯他人其他合法权益", "侵害他人其他合法权益"),
    ),
    Category(
        "inaccurate_content",
        "service_requirements",
        "Inaccurate content",
        ("内容不准确",),
    ),
    Category(
        "unreliable_content",
        "service_requirements",
        "Unreliable content",
        ("内容不可靠",),
    ),
)
"""Five areas and 31 categories in the order of the paper's Table 1."""

LIKERT = (
    "strongly unacceptable",
    "somewhat unacceptable",
    "neutral",
    "somewhat acceptable",
    "strongly acceptable",
)
"""The five answers to a vignette, worth -2 to +2 (LLM-CI)."""

LIKERT_WORDS = {
    "en": LIKERT,
    "zh": ("完全不可接受", "有些不可接受", "中立", "有些可接受", "完全可接受"),
}
"""How a prompt in each language lists them; scale and rule read them all."""


def by_label(categories: tuple[Category, ...]) -> dict[str, Category]:
    """Each source label's category.

    >>> by_label(CFSAFETY)["PromptLeakage"].slug
    'prompt_leakage'
    """
    return {label: category for category in categories for label in category.labels}
