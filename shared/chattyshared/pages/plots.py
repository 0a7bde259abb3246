"""Plots as inline SVG: horizontal bars for names, columns for numbers. The page's style has the colors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

PLOT_WIDTH = 460
_LABEL = 150
_VALUE = 52
_BAR = 13
_GAP = 9
_MAX_LETTERS = 22
"""The most letters of a name next to its bar."""


@dataclass(frozen=True, slots=True)
class Series:
    """Non-negative values by name, of a file or a graph; ``style`` is the CSS class of their color.

    ``marks`` are target values, drawn as strokes next to the bars. ``ranges`` are intervals (low, high) drawn over the
    bars.
    """

    name: str
    style: str
    values: dict[str, float]
    marks: dict[str, float] | None = None
    ranges: dict[str, tuple[float, float]] | None = None


def format_percent(value: float) -> str:
    """Format a share as whole percents, below 10 % with one decimal, and 0 as "0"."""
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
    """Draw one horizontal bar per name and series, each with its value; a long name is cut, and complete in its
    tooltip."""
    peak = max((*_all_values(series), 1e-9))
    width = PLOT_WIDTH - _LABEL - _VALUE
    thick = _BAR if len(series) == 1 else _BAR - 2
    row = thick * len(series) + _GAP
    parts = []
    for index, name in enumerate(names):
        top = index * row + _GAP / 2
        middle = top + thick * len(series) / 2
        parts.append(
            f'<text class="name" x="{_LABEL - 8}" y="{middle:.1f}"><title>{escape(name)}</title>'
            f"{escape(_shorten_name(format_name(name)))}</text>"
        )
        for position, line in enumerate(series):
            parts.append(_bar(line, name, top + position * thick, thick, width / peak, format_value))
    return _svg(title, len(names) * row + 2, parts)


def _bar(
    series: Series, name: str, top: float, thick: float, scale: float, format_value: Callable[[float], str]
) -> str:
    value = series.values.get(name, 0.0)
    length = value * scale
    tooltip = f"<title>{escape(f'{series.name}: {name}: {format_value(value)}')}</title>"
    svg = (
        f'<rect class="{series.style}" x="{_LABEL}" y="{top:.1f}" width="{length:.1f}" height="{thick - 1:.1f}" '
        f'rx="1.5">{tooltip}</rect>'
    )
    end = length
    if series.marks and name in series.marks:
        x = _LABEL + series.marks[name] * scale
        svg += f'<path class="mark" d="M{x:.1f} {top - 2:.1f}v{thick + 3:.1f}"><title>wanted</title></path>'
        end = max(end, series.marks[name] * scale)
    if series.ranges and name in series.ranges:
        low, high = (_LABEL + edge * scale for edge in series.ranges[name])
        middle = top + (thick - 1) / 2
        svg += f'<path class="range" d="M{low:.1f} {middle - 3:.1f}v6m0-3H{high:.1f}m0-3v6"/>'
        end = max(end, high - _LABEL)
    small = " small" if thick < _BAR else ""
    text = escape(format_value(value))
    return svg + f'<text class="value{small}" x="{_LABEL + end + 5:.1f}" y="{top + thick / 2:.1f}">{text}</text>'


def render_columns(title: str, names: Sequence[str], series: Sequence[Series], *, axis: str) -> str:
    """Draw one column per name and series, over an axis with a caption; values are shares."""
    height, foot, head = 150, 34, 16
    peak = max((*_all_values(series), 1e-9))
    slot = (PLOT_WIDTH - 10) / max(1, len(names))
    column_width = min(34.0, slot * 0.82) / max(1, len(series))
    parts = [f'<path class="axis" d="M0 {head + height}h{PLOT_WIDTH}"/>']
    for index, name in enumerate(names):
        left = 5 + index * slot + (slot - column_width * len(series)) / 2
        for position, line in enumerate(series):
            value = line.values.get(name, 0.0)
            column_height = value / peak * height
            x = left + position * column_width
            top, label = head + height - column_height, format_percent(value)
            parts.append(
                f'<rect class="{line.style}" x="{x:.1f}" y="{top:.1f}" width="{max(1.0, column_width - 1):.1f}" '
                f'height="{column_height:.1f}" rx="1.5"><title>{escape(f"{line.name}: {name}: {label}")}</title></rect>'
            )
            if len(series) == 1 and value and slot >= 26:
                parts.append(f'<text class="top" x="{x + column_width / 2:.1f}" y="{top - 6:.1f}">{label}</text>')
        if slot >= 16 or index % 2 == 0:
            middle = 5 + (index + 0.5) * slot
            parts.append(f'<text class="tick" x="{middle:.1f}" y="{head + height + 14}">{escape(name)}</text>')
    parts.append(f'<text class="tick" x="{PLOT_WIDTH / 2}" y="{head + height + foot - 4}">{escape(axis)}</text>')
    return _svg(title, head + height + foot, parts)


def _all_values(series: Sequence[Series]) -> list[float]:
    heights = [value for line in series for values in (line.values, line.marks or {}) for value in values.values()]
    return heights + [high for line in series for _, high in (line.ranges or {}).values()]


def _shorten_name(name: str) -> str:
    return name if len(name) <= _MAX_LETTERS else name[: _MAX_LETTERS - 1].rstrip() + "…"


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {PLOT_WIDTH} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}">'
        + "".join(parts)
        + "</svg>"
    )
