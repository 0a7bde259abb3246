from html.parser import HTMLParser

from chattykg.comparison.report import render_page, render_tables

TABLES = {
    "systems": [
        {"graph": "ships", "system": "a <b>", "n": 1200, "F1": 0.5, "interval": [0.25, 0.75], "p": None},
        {"graph": "ships", "system": "other", "n": 1200, "F1": 1.0, "interval": None, "p": 0.0123},
    ],
    "benchmarks": [],
    "not done": [{"cell": "ships--c", "why": "the <budget> is spent"}],
}


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.cells = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.cells += tag in ("td", "th")
        if tag not in ("meta", "rect", "path", "circle", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in ("rect", "path", "circle"):
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_the_text_has_a_line_per_system_and_no_empty_table():
    assert render_tables(TABLES).splitlines() == [
        "systems",
        "graph  system      n     F1  interval           p",
        "ships  a <b>   1,200  0.500  0.250 - 0.750      -",
        "ships  other   1,200  1.000  -              0.012",
        "",
        "not done",
        "cell      why",
        "ships--c  the <budget> is spent",
    ]


def test_the_page_is_closed_and_escaped():
    page = render_page("plan & more", TABLES)
    tags = _Tags()
    tags.feed(page)
    assert (tags.open, tags.wrong, tags.cells) == ([], [], 3 * 6 + 2 * 2)
    assert "a &lt;b&gt;" in page and "<b>" not in page and "the &lt;budget&gt;" in page and "plan &amp; more" in page
    assert "<svg" in page and "<h2>benchmarks" not in page


def test_a_comparison_without_systems_has_a_page():
    tags = _Tags()
    tags.feed(render_page("none", {"systems": []}))
    assert (tags.open, tags.wrong, tags.cells) == ([], [], 0)
