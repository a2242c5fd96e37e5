"""CHiSafetyBench's refusal rates as an `evaluate` module over `normscope.metrics.refusal`."""

from typing import Any

import datasets
import evaluate

from normscope.metrics import module
from normscope.metrics.refusal import refusal_rates
from normscope.metrics.results import flat

_DESCRIPTION = """\
CHiSafetyBench's rates of refusal (RR-1), responsible refusal (RR-2) and harm (HR) over answers to
risky questions, each with its interval and what the unscored answers could make of it.
"""

_INPUTS = """\
Args:
    predictions: per answer its class, 0 risky, 1 harmless, 2 refusal, 3 responsible refusal; null
        or NaN: unscored.
    groups: {"area": [...], "category": [...]}, one level per answer; adds by_area, by_category.
    clusters: one name per answer, the same for answers that are not independent.
    reasons: why an answer has no class, null where it has: "no_answer" keeps it in the
        denominators and in no class, a failure of the judge leaves it unscored.
    level: of the intervals, 0.95.
Returns:
    For each of rr1, rr2 and hr: the rate, and with the suffixes _low, _high, _worst, _best, _n and
    _unscored its interval, cases and counts; n and unscored of rr1.
Examples:
    >>> metric = evaluate.load(normscope.metrics.path("refusal_rates"))
    >>> metric.compute(predictions=[0, 1, 2, 3, 3])["rr1"]
    0.6
"""

_CITATION = """\
@misc{zhang2024chisafetybench,
  title = {CHiSafetyBench: A Chinese Hierarchical Safety Benchmark for Large Language Models},
  author = {Wenjing Zhang and Xuejiao Lei and Zhaoxiang Liu and Meijuan An and Bikun Yang and
            KaiKai Zhao and Kai Wang and Shiguo Lian},
  year = {2024},
  eprint = {2406.10311},
  archivePrefix = {arXiv},
}
"""


class RefusalRates(module.Metric):
    """RR-1, RR-2 and HR, for one row per answer."""

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": datasets.Value("float64")}),
            reference_urls=["https://arxiv.org/abs/2406.10311"],
        )

    def _compute(self, *, predictions: list[float | None], **options: Any) -> dict[str, Any]:
        return flat(refusal_rates(predictions, **options))
