"""What a local model says of itself at first: which way its prompts go, and at what cost."""

from collections.abc import Sequence

from ....format import number
from ....messages import joined, known, message
from .choosing import Choice, Way
from .prefix_tree import Ids, grow
from .rows import PLAIN_BATCH, row_batches


def way_and_cost(model: str, choice: Choice, total: int = 0, computed: int = 0) -> str:
    """One line: the way, the tokens of all prompts beside those that are computed, and why.

    `model` is what it is called. Where nothing is computed yet, nothing is said of the cost.

    >>> str(way_and_cost("m", Choice(Way.TREE), 4, 3))
    'm: prefix tree, 1 of 1.33 tokens computed'
    """
    line: str = message("{model}: {way}", model=model, way=known(choice.way))
    if computed:
        line = joined([line, _share(total, computed)])
    return message("{line} ({reason})", line=line, reason=choice.why) if choice.why else line


def computed_tokens(
    way: Way, sequences: Sequence[Ids], *, pack_tokens: int, alike: int | None = None
) -> int | None:
    """The tokens that pass through the model, padding with them; null where it is not foreseen.

    Up to `alike` tokens texts are positioned alike; longer ones go alone.

    >>> computed_tokens(Way.ROWS, [(7, 8), (7, 9, 3)], pack_tokens=64)
    6
    """
    if alike is not None and max(map(len, sequences)) > alike:
        return None
    if way is Way.TREE:
        return len(grow(sequences).tokens)
    if way is Way.ALONE:
        return sum(map(len, sequences))
    if way is Way.ROWS:
        widths = sorted(map(len, sequences))
        cuts = row_batches(widths, batch_size=PLAIN_BATCH, batch_tokens=PLAIN_BATCH * pack_tokens)
        return sum((end - start) * widths[end - 1] for start, end in cuts)
    # what is carried hangs on the memory that caches take
    return None


def _share(total: int, computed: int) -> str:
    if computed <= total:
        return message("1 of {ratio} tokens computed", ratio=number(total / computed))
    return message("{ratio} tokens computed for each one", ratio=number(computed / total))
