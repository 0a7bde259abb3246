"""Curves as inline SVG: lines over two axes of shares. The page's style has the colors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from chattyshared.pages.plots import PLOT_WIDTH, format_percent

_HEIGHT = 200
_LEFT = 40
_FOOT = 36
_HEAD = 10


@dataclass(frozen=True, slots=True)
class LineSeries:
    """A named sequence of points (x and y from 0 to 1); ``style`` is the CSS class of its color."""

    name: str
    style: str
    points: tuple[tuple[float, float], ...]


def render_curves(title: str, lines: Sequence[LineSeries], *, x_label: str, y_label: str) -> str:
    """Draw lines over an x axis from 0 to 1; the y axis ends at the next tenth above the highest value."""
    highest = max((y for line in lines for _, y in line.points), default=0.0)
    top = min(1.0, max(0.1, -(-highest * 10 // 1) / 10))
    width = PLOT_WIDTH - _LEFT - 10
    parts = [f'<path class="axis" d="M{_LEFT} {_HEAD}V{_HEAD + _HEIGHT}h{width}"/>']
    for tick in range(5):
        share = tick / 4
        x, y = _LEFT + share * width, _HEAD + _HEIGHT * (1 - share)
        parts.append(f'<text class="tick" x="{x:.1f}" y="{_HEAD + _HEIGHT + 13}">{format_percent(share)}</text>')
        parts.append(f'<text class="value" x="0" y="{y:.1f}">{format_percent(share * top)}</text>')
    for line in lines:
        positions = [(_LEFT + x * width, _HEAD + _HEIGHT * (1 - y / top)) for x, y in line.points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in positions)
        parts.append(f'<path class="line {line.style}" d="M{path}"><title>{escape(line.name)}</title></path>')
        parts += [f'<circle class="{line.style}" cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>' for x, y in positions]
    bottom = _HEAD + _HEIGHT + _FOOT
    parts.append(
        f'<text class="tick" x="{_LEFT + width / 2:.0f}" y="{bottom - 6}">{escape(f"{x_label} →  ↑ {y_label}")}</text>'
    )
    label = escape(title, quote=True)
    return f'<svg viewBox="0 0 {PLOT_WIDTH} {bottom}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
