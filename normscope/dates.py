"""The date that stands on what is measured."""

import os
from datetime import UTC, datetime


def today() -> str:
    """The date in UTC, or that of SOURCE_DATE_EPOCH, so that a card can be made again exactly."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.date().isoformat()
