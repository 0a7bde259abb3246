"""Data frames: pandas comes only when asked for, and is named where it is missing."""

import sys

import pytest
from chattyshared.errors import ConfigError
from chattyshared.formats.data_frames import make_data_frame


def test_a_missing_pandas_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigError, match=r"needs pandas: pip install -e '.\[pandas\]'"):
        make_data_frame([], ["a"])


def test_a_data_frame_has_the_columns_even_without_rows():
    pytest.importorskip("pandas")
    assert list(make_data_frame([], ["a", "b"]).columns) == ["a", "b"]
    assert make_data_frame([{"a": 1, "b": 2}], ["a"]).to_dict("records") == [{"a": 1}]
