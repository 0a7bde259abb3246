"""Servers, processes and clusters: all tests of this folder have the marker ``slow``.

Those that start a triple store run in one process, the others in a second one: few servers at a time, and no worker
that waits for the other at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder; the hook gets those of the others as well."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.slow)
            starts_store = hasattr(getattr(item, "module", None), "virtuoso")
            item.add_marker(pytest.mark.xdist_group("stores" if starts_store else "wire"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium for the tests of a page."""
    from wire.chromium import open_browser

    with open_browser() as opened:
        yield opened
