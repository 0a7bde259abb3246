from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

from chattyshared.kg import KnowledgeGraph
from vessel_talk import SHORT, TALK, vessels

from chattygen.stats import BenchmarkSource, compute_figures, open_source
from chattygen.stats.report import render_page, render_table


class Balance(HTMLParser):
    """Knows whether every element is closed, and what the page would fetch."""

    VOID = frozenset({"meta", "rect", "path", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.fetched += [str(value) for name, value in attrs if name in ("src", "href", "srcset", "data")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


def read(html: str) -> Balance:
    balance = Balance()
    balance.feed(html)
    balance.close()
    assert balance.open == []
    return balance


def made(*sources: BenchmarkSource, kg: KnowledgeGraph | None = None) -> str:
    return render_page(sources, [compute_figures(source, kg) for source in sources])


def test_the_page_holds_everything_and_fetches_nothing(ships_kg: KnowledgeGraph, tmp_path: Path) -> None:
    html = made(open_source(vessels(tmp_path)), kg=ships_kg)
    found = read(html)
    assert found.fetched == [] and not found.tags & {"link", "img", "iframe"}
    assert html.count("<script") == 2 and '<script type="application/json"' in html
    assert not re.search(r"url\(|@import", html)
    assert "default-src 'none'" in html


def test_text_of_the_graph_is_no_markup(tmp_path: Path) -> None:
    evil = '<script>alert("&")</script>'
    turns = tuple(replace(turn, question=evil, standalone=evil, answer_type=evil) for turn in TALK.turns)
    sly = replace(TALK, turns=turns, seed=replace(TALK.seed, label=evil, type=f'a:"{evil}'))
    html = made(open_source(vessels(tmp_path, dialogues=(sly,))))
    read(html)
    assert "<script>alert" not in html and "&lt;script&gt;" in html and "\\u003cscript>alert" in html


def test_several_files_stand_side_by_side_in_colors_of_their_own(tmp_path: Path) -> None:
    one, other = open_source(vessels(tmp_path)), open_source(vessels(tmp_path, "short.jsonl", (SHORT,)))
    html = made(one, other)
    read(html)
    assert "2 benchmarks side by side" in html and 'class="legend"' in html
    assert 'class="s0"' in html and 'class="s1"' in html
    assert 'class="s1"' not in made(one)


def test_a_file_without_gold_has_neither_answers_nor_links() -> None:
    html = made(BenchmarkSource(Path("theirs.json"), "theirs", (TALK,), is_annotated=False))
    assert "<h3>links</h3>" not in html and "Ada Holt</p>" not in html and "Who commanded the Albatross?" in html


def test_the_table_has_a_column_a_file(tmp_path: Path) -> None:
    paths = vessels(tmp_path), vessels(tmp_path, "short.jsonl", (SHORT,))
    lines = render_table([compute_figures(open_source(path)) for path in paths]).splitlines()
    assert lines[0].split() == ["vessels", "short"]
    assert next(line for line in lines if line.startswith("dialogues ")).split() == ["dialogues", "2", "1"]
    assert next(line for line in lines if line.startswith("yes-no turns with a no")).split()[-2:] == ["1", "0"]
    assert next(line for line in lines if line.startswith("  unanswerable")).split()[1:4] == ["12.5%", "/", "12.5%"]


def test_a_form_that_is_short_is_named_below_a_table_that_keeps_its_width(tmp_path: Path) -> None:
    """Four fifths of the mix are wanted of a form that the talk has none of."""
    options = {"approach": "planned", "mix": {"lookup": 20.0, "filter": 80.0}}
    source = replace(open_source(vessels(tmp_path)), header={"generate": {"options": options}})
    figures = compute_figures(source)
    table, _, notes = render_table([figures]).partition("\n\nfewer ")
    assert notes.startswith("filter questions than wanted: needs a set of 3 to 12 named things")
    assert max(map(len, table.splitlines())) <= 80
    assert "fewer filter questions than wanted" in render_page([source], [figures])
