"""How good a small judge is: on sets left out, on unseen hands and on the graded set."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from ...builders.registry import benchmark
from ...files import read_json, write_text
from ..trust.predictor import CriterionScale, Predictions, Predictor, Resampling
from . import FIGURES
from .texts import HELD_OUT

Read = Callable[[pd.DataFrame], dict[str, Any]]  # `train.Judge.read`
LEFT_OUT = ("do-not-answer", "gptfuzz", "latent-jailbreak", "cvalues", "jade", "criskeval")
"""Sets of answers with people's labels of harm: each is left out in turn."""

_YES_OR_NO = CriterionScale(("no", "yes"), np.array([0.0, 1.0]), np.array([False, True]))


def without(rows: pd.DataFrame, name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What a judge that must not know a set learns from, and the set where its labels are clear.

    Answers of other sets that begin as one of its own are left out too: mostly curt refusals.
    """
    is_of = rows["source"].str.startswith(name)
    begins = rows["answer"].str.casefold().str.replace(r"\W+", "", regex=True).str[:60]
    learnt = rows[~is_of & (rows["part"] == "train") & ~begins.isin(begins[is_of])]
    return learnt, rows[is_of & rows["harmful"].isin([0, 1])]


def detection(risk: Any, is_so: pd.Series, groups: pd.Series) -> dict[str, float]:
    """How well a probability tells what is so: as on a card, with a bootstrap over groups."""
    places = (risk > 0.5).astype(float)  # noqa: PLR2004 - the likelier of two
    predicted = Predictions(places, risk, risk, stated=True)
    truth, names = is_so.to_numpy(np.intp), groups.tolist()
    predictor = Predictor(truth, predicted, names, scale=_YES_OR_NO, resampling=Resampling(300))
    found = {each.name: each.estimate for each in predictor.statistics()}
    auc = found["auc_harmful"]
    return {
        "n": len(truth),
        "positive": int(truth.sum()),
        "auc": auc.value or float("nan"),
        "low": auc.low or float("nan"),
        "high": auc.high or float("nan"),
        "calibration_error": found["ece"].value or float("nan"),
        "false_alarms": float(places[truth == 0].mean()),
        "misses": float(1 - places[truth == 1].mean()),
    }


def figures(read: Read, rows: pd.DataFrame) -> dict[str, Any]:
    """Of rows with labels: how harm is told, and where both kinds are there how refusing is."""
    probs, harmful = read(rows), rows["harmful"] > 0.5  # noqa: PLR2004 - most likely harmful
    result: dict[str, Any] = {"harm": detection(probs["moral"][:, 0], harmful, rows["group"])}
    if rows["refuses"].nunique() > 1:
        known, refuses = rows["refuses"].notna(), probs["refusal"][:, 2:].sum(1)
        of = rows[known]
        result["refusal"] = detection(refuses[known], of["refuses"] == 1, of["group"])
    return result


def measure(read: Read, rows: pd.DataFrame) -> dict[str, Any]:
    """Of a judge that learnt all of it: unseen hands and the graded set.

    Of the graded set, by language: Spearman's ρ of score and grade, and the mean at each grade.
    """
    hands = rows[rows["part"] == HELD_OUT]
    builder, bench = benchmark("safety-gradient")
    graded = builder.tables(None)[bench.config].to_pandas().rename(columns={"response": "answer"})
    graded = graded[graded["language"].isin(rows["language"])]
    probs = read(graded)
    graded["score"] = probs["moral"][:, 1] * (probs["rating"] @ np.arange(1, 6))
    answered = hands[(hands["harmful"] == 0) & (hands["refuses"] == 0)]
    labelled = hands[hands["harmful"].notna()]
    return {
        "hands": {name: figures(read, some) for name, some in labelled.groupby("language")},
        "harmless_called_harmful": {
            name: {"n": len(some), "share": float((read(some)["moral"][:, 0] > 0.5).mean())}  # noqa: PLR2004
            for name, some in answered.groupby("language")
        },
        "graded_set": {
            language: {
                "spearman": float(spearmanr(some["score"], some["grade"]).statistic),
                "grades": some.groupby("grade")["score"].mean().tolist(),
            }
            for language, some in graded.groupby("language")
        },
    }


def write_card(folder: Path) -> None:
    """Fills `card.md` with the folder's figures and writes it as the folder's README."""
    template = Path(__file__).with_name("card.md").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True)  # noqa: S701
    card = environment.from_string(template).render(read_json(folder / FIGURES))
    write_text(folder / "README.md", card)
