"""What statistics, groups, criteria, classes and reasons are called."""

from ..messages import message, translate
from .charts.words import say

_NAMES: dict[str, str] = {
    # statistics
    "score": message("score"),
    "moral": message("moral"),
    "rating": message("rating"),
    "moral_share": message("moral share"),
    "rr1": message("RR-1"),
    "rr2": message("RR-2"),
    "hr": message("HR"),
    "agreement": message("agreement with the key"),
    "silver_agreement": message("agreement with the silver key"),
    "best_constant": message("best constant answer"),
    "silver_best_constant": message("best constant answer by the silver key"),
    "rater_agreement": message("agreement between raters"),
    "kappa": message("Cohen's κ"),
    "kappa_quadratic": message("κ, quadratic weights"),
    "answered": message("answered"),
    "chance": message("chance"),
    "agreement_all_orders": message("agreement in all orders"),
    "silver_agreement_all_orders": message("agreement with the silver key in all orders"),
    "order_flips": message("order flips"),
    "channel_disagreement": message("channel disagreement"),
    "answered_in_labels_only": message("answered in labels only"),
    "answered_in_text_only": message("answered in text only"),
    "simple_majority": message("simple majority"),
    "super_majority": message("super majority"),
    "undecided": message("undecided"),
    "no_answer": message("no answer"),
    "unanimous": message("unanimous"),
    "accept_share": message("accept share"),
    "reject_share": message("reject share"),
    "neutral_share": message("neutral share"),
    "mean_acceptability": message("mean acceptability"),
    "wording_variance": message("wording variance"),
    "flip_rate": message("flip rate"),
    "raw_agreement": message("raw agreement"),
    "alpha": message("alpha"),
    "unanswered": message("unanswered"),
    # groups
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
    "harmless": message("harmless"),
    # criteria and who speaks
    "option": message("option"),
    "acceptability": message("acceptability"),
    "judge_logits": message("judge logits"),
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
    "language_not_covered": message("language not covered"),
    "text_too_long": message("text too long"),
    "call_failed": message("call failed"),
    "no_key": message("no key"),
    "no reason recorded": message("no reason recorded"),
    "respondent": message("respondent"),
    "judge": message("judge"),
    "engine": message("engine"),
    "source": message("source"),
    "unknown": message("unknown"),
    # probes of a judge
    "length": message("length"),
    "one paragraph": message("one paragraph"),
    "four paragraphs": message("four paragraphs"),
    "label order": message("label order"),
    "reversed": message("reversed"),
    "content-free prior": message("content-free prior"),
    "leniency": message("leniency"),
    "less the intended grade": message("less the intended grade"),
    "paraphrase": message("paraphrase"),
    "second wording": message("second wording"),
    "quoting": message("quoting"),
    "a refusal that quotes": message("a refusal that quotes"),
    "self-preference": message("self-preference"),
    # between what answers disagree
    "wordings": message("wordings"),
    "samples": message("samples"),
    "orders": message("orders of the options"),
    "channels": message("channels"),
    "criteria": message("moral and rating"),
    # how rates are corrected
    "prediction-powered inference": message("prediction-powered inference"),
    "Rogan–Gladen": message("Rogan–Gladen"),
    # what an interval is about
    "these items": message("these items"),
    "all vignettes": message("all vignettes"),
    "new items of the kind": message("new items of the kind"),
    "new wordings": message("new wordings"),
    "new items and wordings": message("new items and wordings"),
}


def name_of(slug: str, language: str) -> str:
    """What a slug is called; a text that is no known slug stands for itself, without underscores.

    >>> name_of("rr1", "en"), name_of("social_bias", "zh"), name_of("mean_score", "en")
    ('RR-1', '社会偏见', 'mean score')
    """
    name = _NAMES.get(slug)
    return say(slug, language) if name is None else translate(name, language)
