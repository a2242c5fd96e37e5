"""What statistics, groups, criteria, classes, reasons and factors are called."""

from ..datasets_builders.taxonomy import CFSAFETY, CHISAFETYBENCH, LIKERT
from ..format import scale_end
from ..messages import joined, known, message
from ..metrics.criterion import CRITERION
from ..metrics.definitions import DEFINITIONS
from ..metrics.groups import CROSS

_NAMES: dict[str, str] = {
    **{category.slug: known(category.title) for category in (*CHISAFETYBENCH, *CFSAFETY)},
    # statistics
    **{slug: definition.name for slug, definition in DEFINITIONS.items()},
    "shape": message("shape"),
    # groups
    "category": message("category"),
    "area": message("area"),
    "model": message("model"),
    "language": message("language"),
    "item_format": message("item format"),
    "turns": message("turns"),
    "turn difference": message("turn difference"),
    "conversation difference": message("conversation difference"),
    "channel": message("channel"),
    "temperature": message("temperature"),
    "min_coverage": message("min coverage"),
    "reason": message("reason"),
    "reason in labels": message("reason in labels"),
    "reason in text": message("reason in text"),
    "multi − single": message("multi − single"),
    "multi − single, area-standardised": message("multi − single, area-standardised"),
    "with − without": message("with − without"),
    # what moves an answer
    "vignette": message("vignette"),
    "prompt_variant": message("prompt variant"),
    "scale_order": message("order of the scale"),
    "again": message("the same prompt again"),
    "residual": message("residual"),
    # members
    "labels": message("labels"),
    "text": message("text"),
    "open": message("open"),
    "closed": message("closed"),
    "all": message("all"),
    "single": message("single"),
    "multi": message("multi"),
    "zh": message("zh"),
    "en": message("en"),
    # classes of answers, and why there is none
    "risky": message("risky"),
    "harmless": message("harmless"),
    "refusal": message("refusal"),
    "responsible refusal": message("responsible refusal"),
    **{label: known(label) for label in LIKERT},
    "no majority": message("no majority"),
    "no answer": message("no answer"),
    "unscored": message("unscored"),
    "not asked": message("not asked"),
    # further factors of a vignette's flow
    "place": message("place"),
    "inference": message("inference"),
    "duration": message("duration"),
    "membership": message("membership"),
    "space": message("team"),
    "location1": message("place"),
    "location2": message("how it was learnt"),
    # who speaks in a conversation
    "system": message("system"),
    "user": message("user"),
    "assistant": message("assistant"),
    # criteria and who speaks
    "option": message("option"),
    "acceptability": message("acceptability"),
    "judge_logits": message("judge logits"),
    "judge_text": message("judge text"),
    "model_logits": message("model logits"),
    "text_rule": message("text rule"),
    # why a judgement is absent, and whose doing that is
    "refused_to_choose": message("refused to choose"),
    "off_scale": message("off scale"),
    "asks_for_context": message("asks for context"),
    "ambiguous": message("ambiguous"),
    "all_labels_listed": message("all labels listed"),
    "limitation_acknowledged": message("limitation acknowledged"),
    "nonsensical": message("nonsensical"),
    "low_coverage": message("low coverage"),
    "tie": message("tie"),
    "unreadable_verdict": message("unreadable verdict"),
    "language_not_covered": message("language not covered"),
    "text_too_long": message("text too long"),
    "call_failed": message("call failed"),
    "no_key": message("no key"),
    "no_top_tokens": message("no top tokens"),
    "no reason recorded": message("no reason recorded"),
    "respondent": message("respondent"),
    "judge": message("judge"),
    "engine": message("engine"),
    "source": message("source"),
    "unknown": message("unknown"),
    # parameters of a flow
    "sender": message("sender"),
    "recipient": message("recipient"),
    "subject": message("subject"),
    "attribute": message("attribute"),
    "transmission_principle": message("transmission principle"),
    "practice": message("practice"),
    # areas
    "scenario": message("scenario"),
    "attack": message("instruction attack"),
    "discrimination": message("discrimination"),
    "values": message("core values"),
    "commercial": message("commercial violations"),
    "rights": message("infringement of rights"),
    "service_requirements": message("requirements of services"),
    # probes of a judge
    "length": message("length"),
    "one paragraph": message("one paragraph"),
    "four paragraphs": message("four paragraphs"),
    "label order": message("label order"),
    "reversed": message("reversed"),
    "leniency": message("leniency"),
    "less the intended grade": message("less the intended grade"),
    "injection": message("injection"),
    "control: neutral text": message("control: neutral text"),
    "before": message("before"),
    "after": message("after"),
    "both": message("both"),
    # how rates are corrected
    "prediction-powered inference": message("prediction-powered inference"),
    # what an interval is about
    "these items": message("these items"),
    "all vignettes": message("all vignettes"),
    "new items of the kind": message("new items of the kind"),
    "new prompt variants": message("new prompt variants"),
    "new items and prompt variants": message("new items and prompt variants"),
}


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
        name, _, label = slug.removeprefix(CRITERION).partition(":")
        return f"{name.replace('_', ' ')}: {label}" if label else name.replace("_", " ")
    return _NAMES.get(slug) or slug.replace("_", " ")


def scaled_name_of(statistic: str) -> str:
    """What a statistic is called where it stands alone: with the ends of its scale, if it has them.

    >>> str(scaled_name_of("mean_acceptability")), str(scaled_name_of("hr"))
    ('mean acceptability (−2 to 2)', 'HR')
    """
    definition = DEFINITIONS.get(statistic)
    if definition is None or definition.scale is None:
        return name_of(statistic)
    low, high = map(scale_end, definition.scale)
    return message("{name} ({low} to {high})", name=name_of(statistic), low=low, high=high)
