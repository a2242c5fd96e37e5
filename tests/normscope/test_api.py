"""What `import normscope` offers, and what it costs."""

import subprocess
import sys

import normscope

OFFERED = {
    "Context",
    "Judge",
    "Run",
    "build",
    "compare",
    "import_answers",
    "norms",
    "plan",
    "run",
    "validate",
    "__version__",
}


def test_the_names_are_these_and_each_is_there() -> None:
    assert set(normscope.__all__) == OFFERED
    for name in OFFERED:
        assert getattr(normscope, name) is not None
    assert set(dir(normscope)) >= OFFERED


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(normscope, "jugde")


def test_importing_it_imports_nothing_else() -> None:
    script = "import sys, normscope; print(sorted(m for m in sys.modules if 'normscope.' in m))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
