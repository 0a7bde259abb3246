"""The frame of a self-contained page: no script, no external resources, light or dark by the reader's system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


def render_document(title: str, body: str) -> str:
    """Return a whole HTML page: ``title`` is text, ``body`` HTML."""
    style = files("chattyshared.pages").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY, quote=True)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>"
    )


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


def render_tiles(pairs: Iterable[tuple[str, str]]) -> str:
    """Return (name, value) pairs as tiles."""
    tiles = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in pairs)
    return f'<dl class="tiles">{tiles}</dl>'


def render_plots(charts: Iterable[Chart]) -> str:
    """Return plots side by side, each with its title and caption."""
    return f'<div class="plots">{"".join(map(_figure, charts))}</div>'


def render_glossary(notes: Iterable[tuple[str, str]]) -> str:
    """Return a glossary of (term, meaning) pairs."""
    return '<dl class="words">' + "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in notes) + "</dl>"


def _figure(chart: Chart) -> str:
    return f"<figure><h3>{escape(chart.title)}</h3><figcaption>{escape(chart.caption)}</figcaption>{chart.svg}</figure>"
