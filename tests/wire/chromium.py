"""A real Chromium for the tests of pages, which are skipped where Playwright, axe or Chromium is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

api = pytest.importorskip("playwright.sync_api", reason="no Playwright here: pip install -e '.[dev]'")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe here: pip install -e '.[dev]'")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAGE_MARKS = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
    pytest.mark.xdist_group("page"),
]
expect = api.expect
Opener = Callable[..., Any]


@contextmanager
def open_browser() -> Iterator[Any]:
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@contextmanager
def open_profiles(
    browser: Any, *, allows_request: Callable[[str], bool], is_problem: Callable[[Any], bool]
) -> Iterator[Opener]:
    """Give a function that opens an empty page in a browser profile of its own.

    In the end no script may have failed, no console message be a problem, and no request go elsewhere.
    """
    problems: list[str] = []

    def open_empty_page(**options: Any) -> Any:
        context = browser.new_context(**options)
        profiles.callback(context.close)
        context.on("request", lambda sent: None if allows_request(sent.url) else problems.append(sent.url))
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: problems.append(said.text) if is_problem(said) else None)
        return page

    with ExitStack() as profiles:
        yield open_empty_page
    assert problems == []


def violations(page: Any) -> list[tuple[str, list[str]]]:
    """What axe finds not to be accessible."""
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(one["id"], [str(node["target"]) for node in one["nodes"]]) for one in found]


def width_beyond(page: Any) -> int:
    """How many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))
