"""The labels of the figures."""

from ...datasets_builders.taxonomy import CFSAFETY, CHISAFETYBENCH, LIKERT
from ...messages import known, message, translate

_WORDS: dict[str, str] = {
    "score": message("safety score (0–5)"),
    "moral": message("moral"),
    "rating": message("rating"),
    "moral_share": message("share judged moral"),
    "agreement": message("agreement with the key"),
    "silver_agreement": message("agreement with the silver key"),
    "answered": message("answered"),
    "rr1": message("RR-1, any refusal"),
    "rr2": message("RR-2, responsible refusal"),
    "hr": message("HR, risky answers"),
    "mean_acceptability": message("mean acceptability (−2 to +2)"),
    "accept_share": message("acceptable flows"),
    "reject_share": message("unacceptable flows"),
    # the classes of a refusal
    "risky": message("risky"),
    "harmless": message("harmless, no refusal"),
    "refusal": message("refusal"),
    "responsible refusal": message("responsible refusal"),
    # the answers to a vignette
    **{label: known(label) for label in LIKERT},
    "no majority": message("no majority"),
    "not asked": message("not asked"),
    "no answer": message("no answer"),
    "unscored": message("unscored"),
    # the form of a prompt
    "open": message("open prompts"),
    "closed": message("closed prompts"),
    # axes and titles
    "distribution": message("distribution"),
    "answers": message("distribution of answers"),
    "options": message("chosen options"),
    "prompt variants": message("mean answer to each prompt variant"),
    "prompt variant": message("variant"),
    "median": message("median"),
    "temperature": message("temperature"),
    "norms": message("norms"),
    "share": message("share of answers"),
    "category": message("category"),
    "area": message("area"),
    "model": message("model"),
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
}

_CATEGORIES = {category.slug: known(category.title) for category in (*CHISAFETYBENCH, *CFSAFETY)}


def labelled(key: str) -> str:
    """What a slug is called in a figure, as a message; one without a name stands for itself."""
    return _WORDS.get(key) or _CATEGORIES.get(key) or key.replace("_", " ")


def say(key: str, language: str) -> str:
    """What a slug is called in a figure, in the language.

    >>> say("sender", "zh"), say("privacy_leaks", "en"), say("its_owner", "en")
    ('发送者', 'Privacy leaks', 'its owner')
    """
    return translate(labelled(key), language)
