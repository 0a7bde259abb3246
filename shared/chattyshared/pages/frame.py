"""The frame of a self-contained page: no external resources, no script but its own, light or dark by the reader's
system."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

STYLE_COUNT = 8
"""The number of colors; the ninth file has the first color again."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True, slots=True)
class Chart:
    """One plot with its title and caption."""

    title: str
    caption: str
    svg: str


def render_document(title: str, body: str, *, parts: Sequence[str] = ()) -> str:
    """Return a whole HTML page: ``title`` is text, ``body`` HTML.

    ``parts`` names the parts of the page with a script and a style of their own; no other script runs.
    """
    style = _read_resources("page.css", *(f"{part}.css" for part in parts))
    script = _read_resources(*(f"{part}.js" for part in parts))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"{_POLICY}; script-src 'sha256-{digest}'" if script else _POLICY
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy, quote=True)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"{f'<script>{script}</script>' if script else ''}\n</body>\n</html>"
    )


def _read_resources(*names: str) -> str:
    return "".join(files("chattyshared.pages").joinpath(name).read_text(encoding="utf-8") for name in names)


def series_style(index: int) -> str:
    """Return the CSS class of the color at an index."""
    return f"s{index % STYLE_COUNT}"


def render_legend(names: Sequence[str]) -> str:
    """Return a legend: the color of each name."""
    marks = (
        f'<span><span class="swatch {series_style(index)}"></span>{escape(name)}</span>'
        for index, name in enumerate(names)
    )
    return f'<div class="legend">{"".join(marks)}</div>'


def render_series_heading(index: int, name: str, note: str | None = None) -> str:
    """Return the heading of one file or system: its color, its name, and a note."""
    soft = "" if note is None else f'<span class="soft">{escape(note)}</span>'
    return f'<div class="file"><span class="swatch {series_style(index)}"></span><h3>{escape(name)}</h3>{soft}</div>'


def render_sections(sections: Iterable[tuple[str, Sequence[Chart]]], names: Sequence[str]) -> Iterator[str]:
    """Yield the HTML of sections (heading, charts), each with a legend if there are several names."""
    legend = render_legend(names) if len(names) > 1 else ""
    for heading, charts in sections:
        yield f"<h2>{escape(heading)}</h2>\n{legend}"
        yield render_plots(charts)


def render_text_details(text: str) -> Iterator[str]:
    """Yield the HTML of the last section: all figures as a table of plain text."""
    yield "<h2>All figures</h2>"
    yield f'<details><summary>the table</summary><pre class="table">{escape(text)}</pre></details>'


def render_tiles(pairs: Iterable[tuple[str, str]]) -> str:
    """Return (name, value) pairs as tiles."""
    tiles = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="tiles">{tiles}</dl>'


def render_plots(charts: Iterable[Chart]) -> str:
    """Return plots side by side, each with its title and caption."""
    figures = (
        f"<figure><h3>{escape(chart.title)}</h3><figcaption>{escape(chart.caption)}</figcaption>{chart.svg}</figure>"
        for chart in charts
    )
    return f'<div class="plots">{"".join(figures)}</div>'


def render_glossary(notes: Iterable[tuple[str, str]]) -> str:
    """Return a glossary of (term, meaning) pairs."""
    return '<dl class="words">' + "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in notes) + "</dl>"
