"""Curves as inline SVG: lines over two axes of shares. Colors come from the page."""

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
    """A named row of points (x and y from 0 to 1); ``style`` is the class that colors it."""

    name: str
    style: str
    points: tuple[tuple[float, float], ...]


def render_curves(title: str, lines: Sequence[LineSeries], *, x_label: str, y_label: str) -> str:
    """Draw lines over an axis of shares from 0 to 1; the axis that stands ends at the next tenth above the highest."""
    highest = max((y for line in lines for _, y in line.points), default=0.0)
    top = min(1.0, max(0.1, -(-highest * 10 // 1) / 10))
    room = PLOT_WIDTH - _LEFT - 10
    parts = [f'<path class="axis" d="M{_LEFT} {_HEAD}V{_HEAD + _HEIGHT}h{room}"/>']
    for tick in range(5):
        share = tick / 4
        x, y = _LEFT + share * room, _HEAD + _HEIGHT * (1 - share)
        parts.append(f'<text class="tick" x="{x:.1f}" y="{_HEAD + _HEIGHT + 13}">{format_percent(share)}</text>')
        parts.append(f'<text class="value" x="0" y="{y:.1f}">{format_percent(share * top)}</text>')
    for line in lines:
        places = [(_LEFT + x * room, _HEAD + _HEIGHT * (1 - y / top)) for x, y in line.points]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path class="line {line.style}" d="M{path}"><title>{escape(line.name)}</title></path>')
        parts += [f'<circle class="{line.style}" cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>' for x, y in places]
    foot = _HEAD + _HEIGHT + _FOOT
    parts.append(
        f'<text class="tick" x="{_LEFT + room / 2:.0f}" y="{foot - 6}">{escape(f"{x_label} →  ↑ {y_label}")}</text>'
    )
    label = escape(title, quote=True)
    return f'<svg viewBox="0 0 {PLOT_WIDTH} {foot}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
