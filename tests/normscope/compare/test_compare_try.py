import shutil

from rich.console import Console

from normscope.compare import compare, read_runs
from normscope.compare.show import show
from normscope.compare.write import write


def test_it(make_run, tmp_path):
    runs = [
        make_run("base"),
        make_run("aligned", 0.1),
        make_run("third", -0.1),
        make_run("fourth", 0.02),
    ]
    for n in ("base", "aligned", "third", "fourth"):
        shutil.copytree(tmp_path / n, "/tmp/j2/" + n, dirs_exist_ok=True)
    r = read_runs(runs)
    x = compare(r)
    show(x, Console(width=140))
    write(x, tmp_path / "o")
    print((tmp_path / "o" / "compare.md").read_text()[:6000])
