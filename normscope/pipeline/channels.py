"""The channels in which the model under test, or the judge, answered, and how they disagree.

Which of them counts is said once, in `records.judgements`.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from ..categorical import Bools, Categorical
from ..judges.respondent import ACCEPTABILITY, OPTION
from ..metrics.estimate import Estimate, Statistic
from ..metrics.inputs import Floats
from ..metrics.rates import OVER_VARIANTS, averaged, exact, rate
from ..reasons import Origin, Reason, is_ours
from ..records.judgement import Source
from ..records.judgements import Judgements, at_lowest_temperature, by_temperature

LABELS, TEXT = "labels", "text"
_SOURCES = {
    LABELS: (Source.MODEL_LOGITS, Source.JUDGE_LOGITS),
    TEXT: (Source.TEXT_RULE, Source.JUDGE_TEXT),
}
_OF_MODEL = (OPTION, ACCEPTABILITY)


def breakdowns(judgements: Judgements) -> Iterator[tuple[str, str, Judgements]]:
    """By channel and by temperature, where there are several: the dimension, its level, the rows.

    Temperatures are those of the replies in text, whichever channel counts. In a channel answers
    to vignettes are those at the lowest.
    """
    channels = {name: _of_channel(judgements, name) for name in _SOURCES}
    if all(map(len, channels.values())):
        for name, rows in channels.items():
            yield "channel", name, at_lowest_temperature(rows)
    for temperature, rows in by_temperature(judgements).items():
        yield "temperature", f"{temperature:g}", rows


def unanswered(judgements: Judgements) -> list[Statistic]:
    """How often the model gave no answer that could be read, by its reason, in each channel.

    Of the options and vignettes that it answered itself, vignettes at the lowest temperature. The
    share of all that was requested; answers that we failed to get make its lowest and highest case.
    """
    result = []
    of_model = at_lowest_temperature(judgements[judgements.criterion.isin(_OF_MODEL)])
    channels = {name: _of_channel(of_model, name) for name in _SOURCES}
    used = {name: rows for name, rows in channels.items() if len(rows)}
    for name, rows in used.items():
        group = "reason" if len(used) == 1 else f"reason in {name}"
        failed = _failed(rows.reason)
        reasons = map(Reason, _names(rows.reason))
        for reason in sorted(r for r in reasons if r.origin is Origin.RESPONDENT):
            share = _share(np.where(failed, np.nan, rows.reason.equals(reason)), rows)
            result.append(Statistic("unanswered", "rate", share, group=group, member=reason))
    return result


def unanswered_vignettes(judgements: Judgements) -> list[Statistic]:
    """The share of all answers to vignettes that are none, whatever the model's reason.

    LLM-CI's share of invalid answers. Of the judgements that count; empty without vignettes.
    """
    answers = judgements[judgements.criterion.isin((ACCEPTABILITY,))]
    if not len(answers):
        return []
    reasons = [r for r in _names(answers.reason) if Reason(r).origin is Origin.RESPONDENT]
    failed = _failed(answers.reason)
    share = _share(np.where(failed, np.nan, answers.reason.isin(reasons)), answers)
    return [Statistic("unanswered", "rate", share)]


def most_frequent_label(judgements: Judgements) -> list[Statistic]:
    """The share of the model's own answers that are the one label it gave most often.

    Of the answers that have a label; of labels that are alike in number the first given counts.
    """
    answers = _answers(judgements[judgements.criterion.isin(_OF_MODEL)]).seen()
    answered = answers.codes[answers.codes >= 0]
    if not len(answered):
        return []
    most = int(np.bincount(answered).argmax())
    share = exact(np.asarray(answered == most, dtype=np.float64))
    label = answers.names[most]
    return [Statistic("most_frequent_label", "rate", share, group="label", member=label)]


def channel_disagreement(judgements: Judgements) -> list[Statistic]:
    """How the text differs from the labels, over every answer in text beside that in labels.

    Answers are the model's to an item, or a judge's verdicts on a response under a criterion.

    `channel_disagreement`: of those where both gave a class, the share in which they differ.
    `answered_in_labels_only` and `answered_in_text_only`: shares of all, where one alone gave one.
    A reading that failed on our side leaves the pair unscored. Empty unless both were recorded.
    """
    beside = _labels_beside(judgements)
    texts = np.flatnonzero(_in_channel(judgements, TEXT) & (beside >= 0))
    if not len(texts):
        return []
    answers, failed = _answers(judgements), _failed(judgements.reason)
    first, second = answers.codes[beside[texts]], answers.codes[texts]
    ours = failed[beside[texts]] | failed[texts]
    paired = judgements[texts]
    outcomes = {
        "answered_in_labels_only": (first >= 0) & (second < 0),
        "answered_in_text_only": (second >= 0) & (first < 0),
    }
    # what failed on our side stays in as unscored, so that it opens lowest and highest
    used = np.flatnonzero(ours | ((first >= 0) & (second >= 0)))
    differing = _share(np.where(ours, np.nan, first != second)[used], paired[used])
    return [
        Statistic("channel_disagreement", "rate", differing),
        *(
            Statistic(name, "rate", _share(np.where(ours, np.nan, hit), paired))
            for name, hit in outcomes.items()
        ),
    ]


def _labels_beside(judgements: Judgements) -> np.ndarray:
    """For each row the one that says the same and was read from labels; −1 for none."""
    place = judgements.across_channels
    labels = np.flatnonzero(_in_channel(judgements, LABELS))
    row_of = np.full(len(judgements), -1, dtype=np.intp)
    row_of[place[labels]] = labels
    beside: np.ndarray = row_of[place]
    return beside


def _answers(judgements: Judgements) -> Categorical:
    """The class that each row gave; null for none."""
    # without a key to hold it against, an option was chosen all the same
    answered = (judgements.reason.codes < 0) | judgements.reason.equals(Reason.NO_KEY)
    return judgements.favourite.where(answered)


def _failed(reasons: Categorical) -> Bools:
    """The rows without an answer by our failure."""
    return reasons.isin(reason for reason in _names(reasons) if is_ours(reason))


def _names(column: Categorical) -> Iterable[str]:
    return column.seen().names


def _in_channel(judgements: Judgements, name: str) -> Bools:
    return judgements.source.isin(_SOURCES[name])


def _of_channel(judgements: Judgements, name: str) -> Judgements:
    """The judgements in one channel."""
    return judgements[_in_channel(judgements, name)]


def _share(hits: Floats, judgements: Judgements) -> Estimate:
    """A share of answers: over variants where there are any, for vignettes are no sample."""
    variants = judgements.of_items("variant_id")
    if any(_names(variants)):
        return averaged(hits, variants, target="new prompt variants", method=OVER_VARIANTS)
    return rate(hits, clusters=judgements.clusters)
