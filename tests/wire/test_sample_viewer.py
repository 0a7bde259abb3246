"""The sample viewer of the pages of ``stats`` and ``evaluate`` in a real Chromium, opened from the file system."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vessel_talk import TALK, vessels
from wire.chromium import PAGE_MARKS, Opener, expect, open_profiles, violations, width_beyond

from chattygen.stats import compute_figures, open_source
from chattygen.stats.report import render_page
from chattykg.evaluation import report
from chattykg.evaluation.evaluate import evaluate_systems

pytestmark = PAGE_MARKS
EVIL = '</script><img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page of a benchmark, and those of one and of two systems."""
    folder = tmp_path_factory.mktemp("pages")
    gold = vessels(folder)
    source = open_source(gold)
    (folder / "stats.html").write_text(render_page([source], [compute_figures(source)]), encoding="utf-8")
    right = [{"id": f"d0001/{turn.turn}", "answers": [value.value for value in turn.answers]} for turn in TALK.turns]
    wrong = [{"id": line["id"], "answers": [EVIL], "sparql": "ASK { ?x ?p ?o }"} for line in right]
    for name, lines in (("ours", right), ("theirs", wrong)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    call = {"kind": "model", "span": "d0001/2", "seconds": 0.25, "data": {"agent": "answer/qir", "text": EVIL}}
    (folder / "ours.jsonl.trace.jsonl").write_text(json.dumps(call) + "\n", encoding="utf-8")
    for name, systems in (("one", ("ours",)), ("two", ("ours", "theirs"))):
        evaluation = evaluate_systems(gold, [folder / f"{system}.jsonl" for system in systems])
        (folder / f"{name}.html").write_text(report.render_page(evaluation), encoding="utf-8")
    return folder


@pytest.fixture
def open_page(browser: Any, pages: Path) -> Iterator[Opener]:
    """Open a page; no script may fail, and nothing may be blocked or loaded."""
    with open_profiles(
        browser, allows_request=lambda url: url.startswith("file:"), is_problem=lambda said: said.type == "error"
    ) as open_empty_page:

        def opener(name: str, address: str = "", **options: Any) -> Any:
            page = open_empty_page(**{"viewport": {"width": 1280, "height": 900}, **options})
            page.goto(f"{(pages / name).as_uri()}{address}")
            return page

        yield opener


def test_a_link_leads_to_a_turn_with_the_answers_side_by_side(open_page: Opener) -> None:
    page = open_page("two.html", "#d0001/2")
    detail = page.locator(".detail")
    expect(detail.locator("h3")).to_have_text("d0001/2")
    expect(detail.locator(".history a")).to_have_text(["Who commanded the Albatross?"])
    expect(detail.locator(".answers h4")).to_have_text(["gold", "✓ ours", "✗ theirs"])
    expect(detail.locator(".answers section").last).to_contain_text(EVIL)
    detail.get_by_text("1 step").click()
    expect(detail.locator("td")).to_have_text(["qir", EVIL, "0.250"])
    detail.locator(".history a").click()
    expect(detail.locator("h3")).to_have_text("d0001/1")


def test_filters_search_and_keys_choose_turns(open_page: Opener) -> None:
    page = open_page("two.html")
    expect(page.locator(".count")).to_contain_text("8 of 8 turns")
    page.select_option("select[name=form]", "boolean")
    expect(page.locator(".row")).to_have_count(1)
    page.select_option("select[name=form]", "")
    page.select_option("select[name=wrong]", "theirs")
    page.locator("input[type=search]").fill("GULLWICK")
    expect(page.locator(".count")).to_contain_text("1 of 8 turns")
    expect(page.locator(".detail .question")).to_have_text("Was she born in Gullwick?")
    page.locator("input[type=search]").fill("j nothing")
    expect(page.locator(".detail")).to_have_text("No turn fits the filters.")
    page.reload()
    for key, id in (("j", "d0001/3"), ("j", "d0001/4"), ("k", "d0001/3")):
        page.keyboard.press(key)
        expect(page.locator(".detail h3")).to_have_text(id)
        assert page.url.endswith(f"#{id}")
    page.locator(".list").focus()
    page.keyboard.press("End")
    expect(page.locator(".row[aria-selected=true]")).to_contain_text("d0002/4")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["stats.html", "one.html", "two.html"])
def test_the_pages_are_accessible_and_fit(open_page: Opener, name: str, width: int, scheme: str) -> None:
    page = open_page(name, "#d0001/2", viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert violations(page) == []
    assert width_beyond(page) <= 0


def test_two_thousand_turns_do_not_freeze(open_page: Opener, pages: Path) -> None:
    page_text = (pages / "two.html").read_text(encoding="utf-8")
    head, _, rest = page_text.partition('id="sample-data">')
    text, _, tail = rest.partition("</script>")
    data = json.loads(text)
    data["samples"] = [
        {**data["samples"][1], "id": f"d{number}/1", "dialogue": f"d{number}"} for number in range(2_000)
    ]
    text = json.dumps(data).replace("<", "\\u003c")
    (pages / "many.html").write_text(f'{head}id="sample-data">{text}</script>{tail}', encoding="utf-8")
    page = open_page("many.html")
    expect(page.locator(".count")).to_contain_text("2,000 of 2,000 turns")
    assert page.locator(".row").count() < 40
    page.locator(".list").evaluate("list => { list.scrollTop = 1000 * 48 }")
    expect(page.locator(".row", has_text="d1000/1")).to_be_visible()
