"""The frame of a self-contained page: no script, nothing from outside, light or dark as the reader's system is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

STYLE_COUNT = 8
"""How many colors tell files apart; the ninth file begins anew."""
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
    """Return the class that colors the file at a place."""
    return f"s{index % STYLE_COUNT}"


def render_legend(names: Sequence[str]) -> str:
    """Return which color is whose."""
    marks = (
        f'<span><span class="swatch {series_style(place)}"></span>{escape(name)}</span>'
        for place, name in enumerate(names)
    )
    return f'<div class="legend">{"".join(marks)}</div>'


def render_tiles(pairs: Iterable[tuple[str, str]]) -> str:
    """Return figures (name, value) as tiles."""
    made = "".join(f"<div><dt>{escape(what)}</dt><dd>{escape(said)}</dd></div>" for what, said in pairs)
    return f'<dl class="tiles">{made}</dl>'


def render_plots(charts: Iterable[Chart]) -> str:
    """Return plots side by side, each under its title and caption."""
    return f'<div class="plots">{"".join(map(_figure, charts))}</div>'


def render_glossary(notes: Iterable[tuple[str, str]]) -> str:
    """Return what words mean, as a list of terms (word, meaning)."""
    return '<dl class="words">' + "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in notes) + "</dl>"


def _figure(chart: Chart) -> str:
    return f"<figure><h3>{escape(chart.title)}</h3><figcaption>{escape(chart.caption)}</figcaption>{chart.svg}</figure>"
