"""Rows that a person looks at in a notebook and takes on in pandas or Arrow."""

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    import pandas as pd


class Rows:
    """A table that shows itself, with a row per thing."""

    def __init__(self, table: pa.Table) -> None:
        """Keeps the table."""
        self._table = table

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._table)

    def __repr__(self) -> str:
        """The first and the last rows, and how many there are."""
        return f"{type(self).__name__}, {len(self):,} rows\n{self.to_frame()!r}"

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        html: str = self.to_frame()._repr_html_()
        return html

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return self._table

    def to_frame(self) -> "pd.DataFrame":
        """The rows as a data frame; what there is not is null."""
        return self._table.to_pandas()
