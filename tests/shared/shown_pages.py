"""What a page says before its tables, as plain lines."""

from normscope.report.blocks import Bullets, Page, plain


def findings(page: Page) -> list[str]:
    """The page's first list."""
    first = page.blocks[0]
    assert isinstance(first, Bullets)
    return [plain(item) for item in first.items]
