"""Every verb, in the order in which a user meets them."""

from .annotate import annotate
from .check import check
from .commands import build, demo, judge, respond, run, score
from .compare import compare
from .context import context
from .duplicates import duplicates
from .probe import probe
from .push import push
from .report import report
from .rubric import rubric
from .rules import rules
from .serve import serve
from .validate import validate

VERBS = (
    build,
    respond,
    judge,
    score,
    report,
    run,
    demo,
    compare,
    serve,
    validate,
    annotate,
    check,
    probe,
    rubric,
    rules,
    context,
    duplicates,
    push,
)
