"""Data frames of pandas, which is imported only for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chattyshared.errors import ConfigError
from chattyshared.runs.manifest import install_command

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame


def make_data_frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> DataFrame:
    """Return a data frame with a line per row; its columns are those of the rows, unless they are named.

    Raises:
        ConfigError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ConfigError(f"a data frame needs pandas: {install_command('pandas')}, or pip install pandas") from error
    return pandas.DataFrame(list(rows), columns=None if columns is None else list(columns))
