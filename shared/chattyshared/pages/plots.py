"""Plots as inline SVG: horizontal bars. The page's style has the colors."""

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

    ``ranges`` are intervals (low, high) drawn over the bars.
    """

    name: str
    style: str
    values: dict[str, float]
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
    if series.ranges and name in series.ranges:
        low, high = (_LABEL + edge * scale for edge in series.ranges[name])
        middle = top + (thick - 1) / 2
        svg += f'<path class="range" d="M{low:.1f} {middle - 3:.1f}v6m0-3H{high:.1f}m0-3v6"/>'
        end = max(end, high - _LABEL)
    small = " small" if thick < _BAR else ""
    text = escape(format_value(value))
    return svg + f'<text class="value{small}" x="{_LABEL + end + 5:.1f}" y="{top + thick / 2:.1f}">{text}</text>'


def _all_values(series: Sequence[Series]) -> list[float]:
    highs = [high for line in series for _, high in (line.ranges or {}).values()]
    return [value for line in series for value in line.values.values()] + highs


def _shorten_name(name: str) -> str:
    return name if len(name) <= _MAX_LETTERS else name[: _MAX_LETTERS - 1].rstrip() + "…"


def _svg(title: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {PLOT_WIDTH} {height:.0f}" role="img" aria-label="{escape(title, quote=True)}">'
        + "".join(parts)
        + "</svg>"
    )
