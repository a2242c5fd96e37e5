"""An engine of another package: asked by its prefix, refused where that is somebody else's."""

from pathlib import Path

import pytest

import normscope as ns
from normscope.errors import ModelError, UsageError
from normscope.judges.engines import described, load
from normscope.judges.rubric_choice import brought_rubric
from normscope.records.model_spec import ModelSpec

MODULE = '''
from normscope.judges.engine import LabelResult, TextResult


class Parrot:
    """The first label has all the mass."""

    def __init__(self, spec):
        self.name = spec.model
        self.identity = {"engine": "parrot", "model": spec.model}

    def labels(self, requests):
        return [LabelResult((0.0, *[-50.0] * (len(x.scale.labels) - 1))) for x in requests]

    def texts(self, requests):
        return [TextResult("no") for _ in requests]


def half(spec):
    return object()
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages, of which `parrots` registers an engine."""
    (tmp_path / "parrots.py").write_text(MODULE, encoding="utf-8")
    register(tmp_path, "parrots", "parrot = parrots:Parrot\nhalf = parrots:half")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def register(folder: Path, package: str, lines: str) -> None:
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[normscope.engines]\n{lines}\n")


def test_a_model_behind_the_prefix_is_asked_by_the_packages_engine(installed: Path) -> None:
    judge = ns.Judge("parrot:any/model", rubric="cfsafety", progress=False)
    judged = judge("Where?", "Here.", languages="en")
    assert [each.criterion for each in judged.judgements[0]] == ["moral", "rating", "refusal"]
    # the first label of each scale: 0, 1, 0
    assert [each.value for each in judged.judgements[0]] == pytest.approx([0, 1, 0])
    assert judge.identity == {"engine": "parrot", "model": "parrot:any/model"}


def test_nothing_is_looked_up_of_a_model_that_another_package_answers_for(installed: Path) -> None:
    spec = ModelSpec("parrot:any/model")
    assert described(spec) is None
    assert brought_rubric(spec) is None
    assert ns.plan(benchmarks="safety-gradient", judge="parrot:x", limit=20).stages is not None


def test_what_is_no_engine_is_refused_with_what_it_lacks(installed: Path) -> None:
    with pytest.raises(ModelError, match="object is no engine, it lacks name, identity, labels"):
        load(ModelSpec("half:x"))


@pytest.mark.parametrize(
    ("line", "model", "text"),
    [
        ("vllm = parrots:Parrot", "vllm:x", "others registers an engine as 'vllm'"),
        ("parrot = parrots:half", "parrot:x", "parrots.* both register an engine as 'parrot'"),
    ],
)
def test_a_prefix_that_is_ours_or_anothers_is_refused(
    installed: Path, line: str, model: str, text: str
) -> None:
    register(installed, "others", line)
    with pytest.raises(UsageError, match=text):
        load(ModelSpec(model))


def test_an_engine_judges_as_it_is_and_a_run_needs_a_name(installed: Path, tmp_path: Path) -> None:
    engine = load(ModelSpec("parrot:x"))
    judge = ns.Judge(engine=engine, rubric="cfsafety", progress=False)
    assert judge("Where?", "Here.", languages="en").judgements[0][1].value == pytest.approx(1)
    with pytest.raises(UsageError, match="register the engine"):
        ns.run(benchmarks="safety-gradient", judge=judge, out=tmp_path / "run")
    with pytest.raises(UsageError, match="brings no rubric"):
        ns.Judge(engine=engine)
    with pytest.raises(UsageError, match="one of them"):
        ns.Judge("m", engine=engine)
