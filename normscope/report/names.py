"""What statistics, groups, criteria, classes, reasons and factors are called."""

from ..builders.taxonomy import CFSAFETY, CHISAFETYBENCH, LIKERT
from ..format import scale_end
from ..messages import joined, known, message
from ..metrics.criterion import CRITERION
from ..metrics.definitions import DEFINITIONS, statistic_name
from ..metrics.groups import CROSS

_NAMES: dict[str, str] = {
    **{category.slug: known(category.title) for category in (*CHISAFETYBENCH, *CFSAFETY)},
    **{slug: definition.name for slug, definition in DEFINITIONS.items()},
    **{label: known(label) for label in LIKERT},
    "scale_order": message("order of the scale"),
    "again": message("the same prompt again"),
    "space": message("team"),
    "location1": message("place"),
    "location2": message("how it was learnt"),
    "attack": message("instruction attack"),
    "values": message("core values"),
    "commercial": message("commercial violations"),
    "rights": message("infringement of rights"),
    "service_requirements": message("requirements of services"),
}

# fmt: off
_WORDS = (
    message("shape"), message("category"), message("area"), message("model"), message("language"),
    message("item format"), message("turns"), message("turn difference"),
    message("conversation difference"), message("channel"), message("temperature"),
    message("reason"), message("reason in labels"), message("reason in text"),
    message("multi − single"), message("multi − single, area-standardised"),
    message("with − without"), message("vignette"), message("prompt variant"), message("residual"),
    message("labels"), message("text"), message("open"), message("closed"), message("all"),
    message("single"), message("multi"), message("zh"), message("en"), message("risky"),
    message("harmless"), message("refusal"), message("responsible refusal"),
    message("no majority"), message("no answer"), message("unscored"), message("not asked"),
    message("place"), message("inference"), message("duration"), message("membership"),
    message("system"), message("user"), message("assistant"), message("option"),
    message("acceptability"), message("judge logits"), message("judge text"),
    message("model logits"), message("text rule"), message("refused to choose"),
    message("off scale"), message("asks for context"), message("ambiguous"),
    message("all labels listed"), message("limitation acknowledged"), message("nonsensical"),
    message("low coverage"), message("tie"), message("unreadable verdict"),
    message("language not covered"), message("text too long"), message("call failed"),
    message("no key"), message("no top tokens"), message("no reason recorded"),
    message("respondent"), message("judge"), message("engine"), message("source"),
    message("unknown"), message("sender"), message("recipient"), message("subject"),
    message("attribute"), message("transmission principle"), message("practice"),
    message("scenario"), message("discrimination"), message("length"), message("one paragraph"),
    message("four paragraphs"), message("label order"), message("reversed"),
    message("injection"), message("control: neutral text"),
    message("family"), message("control"), message("default"), message("published"),
    message("prediction-powered inference"), message("these items"), message("all vignettes"),
    message("new items of the kind"), message("new prompt variants"),
)
"""Slugs that are called what they are: of groups, members, classes, reasons, criteria, factors."""

_VARIANTS = (
    message("extent"), message("polite rating"), message("level"), message("direct question"),
    message("assessment"), message("evaluation"), message("determination"), message("degree"),
    message("statement"), message("rating"), message("indication"),
)
"""The eleven prompt variants of LLM-CI by the word of each that no other has, in their order."""
# fmt: on

_NAMES |= {str(word): word for word in _WORDS}


def name_of(slug: str) -> str:
    """What a slug is called, as a message; one that is not known stands for itself.

    >>> from normscope.messages import translate
    >>> name_of("rr1"), translate(name_of("social_bias"), "zh"), name_of("its_owner")
    ('RR-1', '社会偏见', 'its owner')
    """
    if CROSS in slug:
        return joined(map(name_of, slug.split(CROSS)), CROSS)
    # a criterion of one's own is named by its rubric, whatever else is called like it
    if slug.startswith(CRITERION):
        return statistic_name(slug)
    words = slug.replace("_", " ")
    return _NAMES.get(slug) or _NAMES.get(words) or words


def scaled_name_of(statistic: str) -> str:
    """What a statistic is called where it stands alone: with the ends of its scale, if it has them.

    >>> str(scaled_name_of("mean_acceptability")), str(scaled_name_of("hr"))
    ('mean acceptability (−2 to 2)', 'HR, risky answers')
    """
    definition = DEFINITIONS.get(statistic)
    if definition is None:
        return name_of(statistic)
    if definition.scale is None:
        return definition.alone
    low, high = map(scale_end, definition.scale)
    return message("{name} ({low} to {high})", name=definition.alone, low=low, high=high)


def variant_name(variant: str) -> str:
    """What a prompt variant is called: one of LLM-CI by a word of it, another by its id.

    >>> str(variant_name("3")), variant_name("mine")
    ('direct question (3)', 'mine')
    """
    named = {str(at): name for at, name in enumerate(_VARIANTS)}
    return (
        message("{name} ({id})", name=named[variant], id=variant) if variant in named else variant
    )
