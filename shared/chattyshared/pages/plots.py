"""Plots as inline SVG: bars that lie, for names; columns that stand, for numbers. Colors come from the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

PLOT_WIDTH = 460
_LABEL = 150
_VALUE = 52
_BAR = 13
_GAP = 9
_LETTERS = 22
"""How many letters of a name fit beside its bar."""


@dataclass(frozen=True, slots=True)
class Series:
    """One set of values in 0 and above by name: a file's, or a graph's; ``style`` is the class that colors it.

    ``marks`` are values to be marked with a stroke beside the bars: what was wanted. ``ranges`` are intervals (low,
    high) drawn over the bars.
    """

    name: str
    style: str
    values: dict[str, float]
    marks: dict[str, float] | None = None
    ranges: dict[str, tuple[float, float]] | None = None


def format_percent(value: float) -> str:
    """Write a share as a whole percent, one below it with a place, and nothing as 0."""
    if not value:
        return "0"
    return f"{value:.1%}" if value < 0.0995 else f"{value:.0%}"


def render_bars(
    title: str,
    names: Sequence[str],
    series: Sequence[Series],
    *,
    format_value: Callable[[float], str] = format_percent,
    format_name: Callable[[str], str] = str,
) -> str:
    """Draw one lying bar per name and series, each with its value; a long name is cut, and whole in its tooltip."""
    peak = max((*_everything(series), 1e-9))
    room = PLOT_WIDTH - _LABEL - _VALUE
    thick = _BAR if len(series) == 1 else _BAR - 2
    row = thick * len(series) + _GAP
    parts = []
    for place, name in enumerate(names):
        top = place * row + _GAP / 2
        middle = top + thick * len(series) / 2
        parts.append(
            f'<text class="name" x="{_LABEL - 8}" y="{middle:.1f}"><title>{escape(name)}</title>'
            f"{escape(_cut(format_name(name)))}</text>"
        )
        for line, one in enumerate(series):
            parts.append(_bar(one, name, top + line * thick, thick, room / peak, format_value))
    return _svg(title, len(names) * row + 2, parts)


def _bar(one: Series, name: str, top: float, thick: float, scale: float, said: Callable[[float], str]) -> str:
    value = one.values.get(name, 0.0)
    length = value * scale
    tip = f"<title>{escape(f'{one.name}: {name}: {said(value)}')}</title>"
    drawn = (
        f'<rect class="{one.style}" x="{_LABEL}" y="{top:.1f}" width="{length:.1f}" height="{thick - 1:.1f}" rx="1.5">'
        f"{tip}</rect>"
    )
    end = length
    if one.marks and name in one.marks:
        at = _LABEL + one.marks[name] * scale
        drawn += f'<path class="mark" d="M{at:.1f} {top - 2:.1f}v{thick + 3:.1f}"><title>wanted</title></path>'
        end = max(end, one.marks[name] * scale)
    if one.ranges and name in one.ranges:
        low, high = (_LABEL + edge * scale for edge in one.ranges[name])
        middle = top + (thick - 1) / 2
        drawn += f'<path class="range" d="M{low:.1f} {middle - 3:.1f}v6m0-3H{high:.1f}m0-3v6"/>'
        end = max(end, high - _LABEL)
    small = " small" if thick < _BAR else ""
    drawn += (
        f'<text class="value{small}" x="{_LABEL + end + 5:.1f}" y="{top + thick / 2:.1f}">{escape(said(value))}</text>'
    )
    return drawn


def render_columns(title: str, names: Sequence[str], series: Sequence[Series], *, axis: str) -> str:
    """Draw one standing column per name and series, over an axis with a caption; values are shares."""
    height, foot, head = 150, 34, 16
    peak = max((*_everything(series), 1e-9))
    slot = (PLOT_WIDTH - 10) / max(1, len(names))
    wide = min(34.0, slot * 0.82) / max(1, len(series))
    parts = [f'<path class="axis" d="M0 {head + height}h{PLOT_WIDTH}"/>']
    for place, name in enumerate(names):
        left = 5 + place * slot + (slot - wide * len(series)) / 2
        for line, one in enumerate(series):
            value = one.values.get(name, 0.0)
            tall = value / peak * height
            x = left + line * wide
            top, said = head + height - tall, format_percent(value)
            parts.append(
                f'<rect class="{one.style}" x="{x:.1f}" y="{top:.1f}" width="{max(1.0, wide - 1):.1f}" '
                f'height="{tall:.1f}" rx="1.5"><title>{escape(f"{one.name}: {name}: {said}")}</title></rect>'
            )
            if len(series) == 1 and value and slot >= 26:
                parts.append(f'<text class="top" x="{x + wide / 2:.1f}" y="{top - 6:.1f}">{said}</text>')
        if slot >= 16 or place % 2 == 0:
            middle = 5 + (place + 0.5) * slot
            parts.append(f'<text class="tick" x="{middle:.1f}" y="{head + height + 14}">{escape(name)}</text>')
    parts.append(f'<text class="tick" x="{PLOT_WIDTH / 2}" y="{head + height + foot - 4}">{escape(axis)}</text>')
    return _svg(title, head + height + foot, parts)


def _everything(series: Sequence[Series]) -> list[float]:
    plain = [value for one in series for values in (one.values, one.marks or {}) for value in values.values()]
    return plain + [high for one in series for _, high in (one.ranges or {}).values()]


def _cut(name: str) -> str:
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1].rstrip() + "…"


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {PLOT_WIDTH} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}">'
        + "".join(parts)
        + "</svg>"
    )
