"""What is said of a local model before it computes: which way its prompts go, and at what cost."""

from collections.abc import Sequence

from ...format import number
from ...messages import joined, known, message
from ..prefix_tree import Ids, grow
from .choosing import Choice, Way
from .rows import PLAIN_BATCH, row_batches


def way_and_cost(
    model: str, choice: Choice, sequences: Sequence[Ids] = (), *, pack_tokens: int
) -> str:
    """One line: the way, the tokens of the sequences beside those that are computed, and why.

    `model` is what it is called. Without sequences, nothing is said of the cost.

    >>> str(way_and_cost("m", Choice(Way.TREE), [(7, 8), (7, 9)], pack_tokens=64))
    'm: prefix tree, 1 of 1.33 tokens computed'
    """
    line: str = message("{model}: {way}", model=model, way=known(choice.way))
    if sequences:
        computed = computed_tokens(choice.way, sequences, pack_tokens=pack_tokens)
        total = sum(map(len, sequences))
        if computed is not None:
            line = joined([line, _share(total, computed)])
    return message("{line} ({reason})", line=line, reason=choice.why) if choice.why else line


def computed_tokens(way: Way, sequences: Sequence[Ids], *, pack_tokens: int) -> int | None:
    """The tokens that pass through the model, padding with them; null where it is not foreseen.

    >>> computed_tokens(Way.ROWS, [(7, 8), (7, 9, 3)], pack_tokens=64)
    6
    """
    if way is Way.TREE:
        return len(grow(sequences).tokens)
    if way is Way.ALONE:
        return sum(map(len, sequences))
    if way is Way.ROWS:
        widths = sorted(map(len, sequences))
        cuts = row_batches(widths, batch_size=PLAIN_BATCH, batch_tokens=PLAIN_BATCH * pack_tokens)
        return sum((end - start) * widths[end - 1] for start, end in cuts)
    # what is carried hangs on the memory that a cache takes
    return None


def _share(total: int, computed: int) -> str:
    if computed <= total:
        return message("1 of {ratio} tokens computed", ratio=number(total / computed))
    return message("{ratio} tokens computed for each one", ratio=number(computed / total))
