"""Arrays to numbers with intervals: plain numpy here, one `evaluate` module per subfolder.

The functions that people look for stand here by their names;
neither `evaluate` nor `datasets` is needed for any of them. docs/metrics.md has them all; one that
is called like its module is imported from that: `from normscope.metrics.majority import majority`.

>>> from normscope import metrics
>>> [(row.name, row.estimate.value) for row in metrics.refusal_rates([0, 1, 2, 3, 3])]
[('rr1', 0.6), ('rr2', 0.4), ('hr', 0.2)]
"""

from ..errors import UsageError, nearest
from ..hub_folders import hub_folder
from .answers import Answers as Answers
from .association import associations as associations
from .cfsafety import cfsafety_score as cfsafety_score
from .cfsafety import open_prompts as open_prompts
from .cfsafety import score_shape as score_shape
from .concordance import norm_agreement as norm_agreement
from .criterion import criterion_score as criterion_score
from .detection import class_rates as class_rates
from .detection import reliability_curve as reliability_curve
from .differences import rate_difference as rate_difference
from .estimate import Estimate as Estimate
from .estimate import Statistic as Statistic
from .facets import variance_components as variance_components
from .factors import factor_effects as factor_effects
from .inputs import Rule as Rule
from .intervals import clopper_pearson as clopper_pearson
from .intervals import mean_interval as mean_interval
from .intervals import wilson as wilson
from .norms import norm_consensus as norm_consensus
from .options import best_constant as best_constant
from .options import risk_identification as risk_identification
from .paired import paired_mean_difference as paired_mean_difference
from .paired import paired_rate_difference as paired_rate_difference
from .ppi import prediction_powered_mean as prediction_powered_mean
from .raters import cohen_kappa as cohen_kappa
from .raters import rater_agreement as rater_agreement
from .rates import macro_mean as macro_mean
from .rates import mean as mean
from .rates import rate as rate
from .refusal import refusal_rates as refusal_rates
from .refusal import turn_differences as turn_differences
from .reliability import flip_rate as flip_rate
from .reliability import krippendorff_alpha as krippendorff_alpha
from .reliability import raw_agreement as raw_agreement
from .shift import norm_shift as norm_shift
from .significance import benjamini_hochberg as benjamini_hochberg
from .significance import cohens_h as cohens_h
from .significance import friedman as friedman
from .significance import holm as holm
from .significance import repeated_anova as repeated_anova
from .significance import sign_test as sign_test
from .significance import wilcoxon as wilcoxon
from .survey import agreement_with as agreement_with
from .survey import survey_agreement as survey_agreement
from .variants import variant_difference as variant_difference

_FOLDER = hub_folder("metrics")


def names() -> list[str]:
    """The `evaluate` modules there are.

    >>> names()[:3]
    ['cfsafety_score', 'norm_consensus', 'refusal_rates']
    """
    scripts = _FOLDER.glob("*/*.py")
    return sorted(script.stem for script in scripts if script.stem == script.parent.name)


def path(name: str) -> str:
    """The folder of the `evaluate` module, for `evaluate.load(path(name))`.

    >>> path("refusal_rates").endswith("refusal_rates")
    True
    """
    if name not in names():
        raise UsageError(f"no metric {name!r}: {nearest(name, names())}")
    return str(_FOLDER / name)
