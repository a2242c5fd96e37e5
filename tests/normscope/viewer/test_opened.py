"""An answer of a finished run in full, and sums that are the numbers of the run's own files."""

import hashlib
import math
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pyarrow as pa
import pytest

from normscope.comparison import compare
from normscope.comparison.runs import read_runs
from normscope.errors import DataError, RunError
from normscope.files import read_parquet
from normscope.judges.engine import LabelRequest, LabelResult
from normscope.judges.engines.fake import FakeEngine
from normscope.judges.rubric import rubric
from normscope.judges.rubric_review import write_starter
from normscope.pipeline.judge import judge
from normscope.pipeline.respond import respond
from normscope.pipeline.score import read_scores, score
from normscope.pipeline.workers.here import Here
from normscope.records.folder import opened, read_only
from normscope.records.integrity import JUDGEMENTS, REPORT, RESPONSES
from normscope.records.item import Item, Turn
from normscope.records.model_spec import ModelSpec
from normscope.viewer import Collection, Query, answered_of, read_answered
from tests.shared.finished_runs import CONFIG, GRADED_SET, VIGNETTES, reply
from tests.shared.mixed_runs import mixed_run

Prompts = set[str]


def run_of(folder: Path) -> Prompts:
    """A whole run whose label probabilities hang on the prompt; returns what was asked."""
    asked: list[FakeEngine] = []

    def answer(request: LabelRequest) -> LabelResult:
        seed = hashlib.sha256((folder.name + str(request.conversation)).encode()).digest()
        weights = [1 + seed[place] for place in range(len(request.scale.labels))]
        return LabelResult(tuple(math.log(0.9 * each / sum(weights)) for each in weights))

    def scripted(spec: ModelSpec) -> FakeEngine:
        asked.append(FakeEngine(answer, reply, name=spec.model))
        return asked[-1]

    with opened(folder, create=True) as begun:
        for stage in (respond, judge):
            stage(begun, CONFIG, Here(scripted))
        score(begun)
        # the page of a report is drawn for seconds, and nobody looks at it here
        (folder / REPORT).touch()
        begun.finish()
    return {str(request.conversation[-1][1]) for engine in asked for request in engine.requests}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Prompts]:
    folder = tmp_path_factory.mktemp("runs")
    return {folder / name: run_of(folder / name) for name in ("first", "second")}


def test_a_prompt_is_shown_as_the_judge_was_asked(runs: dict[Path, Prompts]) -> None:
    path, asked = next(iter(runs.items()))
    collection = Collection.of([read_answered(path)])
    places = collection.select(Query.parse(f"benchmark:{GRADED_SET}")).places
    shown: list[str] = []
    for place in places.tolist():
        for judged in collection.detail(place).answers[0].judgements:
            assert judged.prompt is not None and not judged.prompt.why
            shown += judged.prompt.texts
    assert len({*shown}) == len(shown) == 3 * len(places)
    assert {*shown} <= asked


def test_an_answer_is_opened_with_all_that_is_known_of_it(runs: dict[Path, Prompts]) -> None:
    first, second = map(read_answered, runs)
    collection = Collection.of([first, second])
    vignette = collection.detail(int(collection.select(Query.parse("variant:3")).places[0]))
    assert vignette.item is not None
    assert vignette.item.variant_id == vignette.row.variant == "3"
    assert {row.variant for row in vignette.siblings} == {*map(str, range(11))} - {"3"}
    assert {row.item_id for row in vignette.siblings} == {vignette.row.item_id}
    assert [full.run for full in vignette.answers] == ["first", "second"]
    for full, answer in zip(vignette.answers, vignette.row.answers, strict=True):
        (judged,), (outcome,) = full.judgements, answer.outcomes
        assert judged.prompt is None
        assert judged.judgement.value == outcome.value
        assert judged.judgement.favourite == outcome.label
        assert full.response is not None
        assert full.response.label_probs == judged.judgement.probs


def test_sums_are_the_numbers_of_the_run_and_of_its_comparison(runs: dict[Path, Prompts]) -> None:
    paths = [*runs]
    collection = Collection.of([*map(read_answered, paths)])
    summary = collection.summary(collection.select(Query()))
    for path in paths:
        scores = read_scores(read_only(path))
        for name, statistics in summary.statistics[path.name].items():
            assert statistics
            assert {*map(str, statistics)} <= {*map(str, scores[name])}
    compared = compare(read_runs(paths))
    overall = [row for row in compared.rows if not row.group]
    assert sorted(map(str, summary.differences)) == sorted(
        str(row) for row in overall if row.benchmark in {VIGNETTES, GRADED_SET}
    )
    assert not summary.why


def test_who_chooses_by_outcome_gets_counts_alone(runs: dict[Path, Prompts]) -> None:
    collection = Collection.of([*map(read_answered, runs)])
    kept = ("benchmark:" + GRADED_SET, "language:en", "variant:1,2", "", "-category:social_bias")
    chosen = ("moral>=0", "-refusal=risky", "is:changed", "-changed:refusal", "coverage>0", '"no"')
    for line in (*kept, *chosen, " ".join((kept[0], chosen[0]))):
        summary = collection.summary(collection.select(Query.parse(line)))
        if line in kept:
            assert summary.differences and not summary.why, line
            assert all(summary.statistics.values()), line
        else:
            assert not summary.differences and not any(summary.statistics.values()), line
            (why,) = summary.why
            assert line.split()[-1].strip('"') in why
        assert summary.n == 0 or summary.counts


def test_a_word_of_the_question_is_no_outcome_and_one_of_responses_is(
    runs: dict[Path, Prompts],
) -> None:
    run = read_answered(next(iter(runs)))
    collection = Collection.of([run])
    question = collection.rows([0])[0].question.split()[-2]
    assert not collection.select(Query.parse(f'"{question}"')).by_outcome
    responses = run.responses["text"].to_pylist()
    only = next(text for text in responses if text)
    assert collection.select(Query.parse(f'-"{only[:20]}"')).by_outcome


def test_a_rubric_of_ones_own_is_read_again_while_its_file_is_what_it_was(
    runs: dict[Path, Prompts], tmp_path: Path
) -> None:
    path = next(iter(runs))
    copy = tmp_path / "run"
    copytree(path, copy)
    mine = tmp_path / "mine.yaml"
    write_starter(mine)
    used = rubric(str(mine))
    with opened(copy) as run:
        run.config = replace(run.config, rubric=str(mine))
        run.seal("score")
        run.finish()
    assert used.hash in read_answered(copy).rubrics
    mine.write_text(mine.read_text(encoding="utf-8").replace("rudely", "roughly"), encoding="utf-8")
    changed = rubric(str(mine)).hash
    assert {used.hash, changed} & {*read_answered(copy).rubrics} == {changed} != {used.hash}
    mine.unlink()
    assert {*read_answered(copy).rubrics} == {*read_answered(path).rubrics}


def test_a_run_that_was_changed_is_refused(runs: dict[Path, Prompts], tmp_path: Path) -> None:
    source = next(iter(runs))
    copy = tmp_path / "copy"
    copytree(source, copy)
    (copy / RESPONSES).write_bytes((copy / RESPONSES).read_bytes() + b"x")
    with pytest.raises(RunError, match=r"responses\.parquet: it was changed"):
        read_answered(copy)


def test_tables_without_questions_and_responses_can_be_looked_at(
    runs: dict[Path, Prompts],
) -> None:
    table = read_parquet(next(iter(runs)) / JUDGEMENTS)
    run = answered_of("sent", table)
    assert [caveat.split(":")[1].split()[1] for caveat in run.caveats] == [
        "responses.parquet",
        "items.parquet",
        "config.yaml",
    ]
    collection = Collection.of([run])
    whole = Collection.of([read_answered(next(iter(runs)))])
    assert len(collection) == len(whole)
    line = "moral>0.5 sort:-rating"
    first, second = (each.select(Query.parse(line)) for each in (collection, whole))
    assert [row.answers[0].outcomes for row in collection.rows(first.places)] == [
        row.answers[0].outcomes for row in whole.rows(second.places)
    ]
    (row, *_) = collection.rows(first.places)
    assert row.question == "" and row.answers[0].text is None
    prompt = collection.detail(row.place).answers[0].judgements[0].prompt
    assert prompt is not None and prompt.why == "question or response are not at hand"
    summary = collection.summary(collection.select(Query()))
    assert summary.counts and not any(summary.statistics.values())
    both = Collection.of([run, answered_of("other", table)])
    assert not both.summary(both.select(Query())).differences


def test_each_run_has_the_question_that_it_asked() -> None:
    used = rubric("cfsafety")
    item = Item("b", "i", (Turn("user", "How is tea made?"),), "en", category="social_bias")
    reworded = replace(item, messages=(Turn("user", "How does one make tea?"),))
    key = {**item.key._asdict(), "sample": 0, "model": "toy"}
    judged = {"criterion": "moral", "source": "judge_logits", "rubric_hash": used.hash}
    rows = ([{**key, "text": "With water."}], [{**key, **judged, "labels": ["0", "1"]}])
    runs = [mixed_run(str(n), [each], rows) for n, each in enumerate((item, reworded))]
    collection = Collection.of(runs)
    detail = collection.detail(0)
    for full, asked in zip(detail.answers, (item, reworded), strict=True):
        assert full.item == asked
        prompt = full.judgements[0].prompt
        assert prompt is not None and asked.question in prompt.texts[0]
    for words in ('"is tea made"', '"one make"'):
        selection = collection.select(Query.parse(words))
        assert len(selection) == 1 and not selection.by_outcome


@pytest.mark.parametrize(
    ("column", "values", "says"),
    [
        ("item_id", None, "sent: column item_id is missing, or empty in a row"),
        ("criterion", [None, "moral"], "sent: column criterion is missing, or empty in a row"),
        ("value", ["high", "low"], "sent: column value is not of its type, double"),
        ("reason", ["no_anser", None], "sent: column reason has 'no_anser'; did you mean 'no_ans"),
        ("probs", [[0.5, 0.5], [1.0]], "sent: probs is to have a number for each of the labels"),
        ("probs", [None, [0.5, None, 0.5, 0, 0]], "sent: probs is to have a number for each"),
    ],
)
def test_tables_that_do_not_say_what_they_are_about_are_refused(
    runs: dict[Path, Prompts], column: str, values: list[object] | None, says: str
) -> None:
    table = read_parquet(next(iter(runs)) / JUDGEMENTS).slice(0, 2).drop_columns([column])
    if values is not None:
        table = table.append_column(column, [values])
    with pytest.raises(DataError) as caught:
        answered_of("sent", table)
    assert says in caught.value.message


def test_a_table_of_the_least_is_opened() -> None:
    row = {"benchmark": "b", "item_id": "i", "variant_id": "", "scale_order": "", "sample": 0}
    table = pa.Table.from_pylist(
        [{**row, "model": "m", "criterion": "moral", "source": "judge_logits", "value": 0.5}]
    )
    collection = Collection.of([answered_of("sent", table)])
    (judged,) = collection.detail(0).answers[0].judgements
    assert (judged.judgement.value, judged.names, judged.judgement.windows) == (0.5, (), 1)
    assert len(collection.select(Query.parse("moral>=0.5"))) == 1
