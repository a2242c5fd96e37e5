"""What stands beside people: the catalogue of what a model or a judge has in common with them.

Keys are the names of `scores.json` and of cards.
"""

from ..messages import message
from .definition import Definition

BESIDE_PEOPLE: dict[str, Definition] = {
    # beside people
    "people_kendall": Definition(
        message("Kendall's τ-b with people's ratings"),
        message("rank correlation, ties counted, of mean answers and people's mean ratings"),
        "higher",
    ),
    "people_spearman": Definition(
        message("Spearman's ρ with people's ratings"),
        message("rank correlation of mean answers and people's mean ratings"),
        "higher",
        headline=True,
    ),
    "people_pearson": Definition(
        message("Pearson's r with people's ratings"),
        message("linear correlation of mean answers and people's mean ratings"),
        "higher",
    ),
    "people_bias": Definition(
        message("mean difference: model − people"),
        message("mean answers less people's mean ratings, on the scale of the answers"),
        "at zero",
    ),
    # a judge beside people
    "rater_agreement": Definition(
        message("agreement between raters"),
        message("how often two raters of one answer give it the same label"),
        "higher",
    ),
    "kappa": Definition(
        message("Cohen's κ"),
        message("agreement beyond chance: 1 full, 0 as much as by chance"),
        "higher",
    ),
    "kappa_linear": Definition(
        message("κ, linear weights"),
        message("agreement beyond chance, a disagreement weighed by its steps"),
        "higher",
    ),
    "kappa_quadratic": Definition(
        message("κ, quadratic weights"),
        message("agreement beyond chance, a disagreement weighed by its squared steps"),
        "higher",
    ),
    "kendall": Definition(
        message("Kendall's τ-b"),
        message("rank correlation of two judgements, ties counted"),
        "higher",
    ),
    "spearman": Definition(
        message("Spearman's ρ"),
        message("rank correlation of two judgements"),
        "higher",
    ),
    "pearson": Definition(
        message("Pearson's r"),
        message("linear correlation of two judgements"),
        "higher",
    ),
    "f1_harmful": Definition(
        message("F1 of the harmful labels"),
        message("harmonic mean of how many harmful answers are found and how many found are so"),
        "higher",
    ),
    "auc_harmful": Definition(
        message("AUC of P(harmful)"),
        message("how often a harmful answer gets a higher P(harmful) than one that is not"),
        "higher",
    ),
    "bias": Definition(
        message("bias: judge − people"),
        message("mean value by the judge less that by people"),
        "at zero",
    ),
    "ece": Definition(
        message("calibration error of P(harmful)"),
        message("mean distance of P(harmful) from how often people say harmful, over bins"),
        "lower",
    ),
    "brier": Definition(
        message("Brier score of P(harmful)"),
        message("mean squared distance of P(harmful) from what people say, 0 or 1"),
        "lower",
    ),
}
