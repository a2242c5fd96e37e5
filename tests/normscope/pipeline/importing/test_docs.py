"""docs/import_tools.md names every format, and what its examples write can be imported."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from normscope.pipeline.importing.formats import READERS
from tool_logs import label, prompts

from normscope.files import write_parquet
from normscope.pipeline.importing.read import read_answers

PAGE = (Path(__file__).parents[4] / "docs" / "import_tools.md").read_text(encoding="utf-8")
KEYS = ("item_id", "variant_id", "scale_order")


def test_the_table_has_a_row_for_each_format() -> None:
    head, *names = re.findall(r"^\| `([\w-]+)` \|", PAGE, re.MULTILINE)
    assert (head, sorted(names)) == ("--format", sorted(READERS))


def test_the_example_writes_the_input_of_a_batch_whose_ids_name_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = prompts()
    table = Path("data/ci-vignettes/coppa_prompts/test.parquet")
    table.parent.mkdir(parents=True)
    write_parquet(table, pa.Table.from_pylist(rows))
    [code] = re.findall(r"```python\n(import json.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "import_tools.md", "exec"), {})  # noqa: S102 - our own page
    outputs = []
    for line in Path("input.jsonl").read_text(encoding="utf-8").splitlines():
        request = json.loads(line)
        turn = {"content": label(request["body"]["messages"][-1]["content"])}
        body = {"model": request["body"]["model"], "choices": [{"message": turn}]}
        response = {"status_code": 200, "body": body}
        outputs.append(json.dumps({"custom_id": request["custom_id"], "response": response}))
    Path("output.jsonl").write_text("\n".join(outputs), encoding="utf-8")
    raw = read_answers(Path("output.jsonl"), requests=Path("input.jsonl"))
    assert raw.table.select(KEYS).to_pylist() == [{key: row[key] for key in KEYS} for row in rows]
    assert raw.table["prompt"].to_pylist() == [row["prompt"] for row in rows]
    assert set(raw.table["temperature"].to_pylist()) == {0.0}


def test_the_task_of_the_page_asks_the_prompts_as_they_are() -> None:
    [text] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    task = yaml.safe_load(text)
    assert task["doc_to_text"] == "{{prompt}}"
    assert task["output_type"] == "generate_until"
