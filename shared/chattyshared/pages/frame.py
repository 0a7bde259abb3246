"""The frame of a self-contained page: no external resources, no script but its own, light or dark by the reader's
system. Its parts are macros of ``parts.html.j2``."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from chattyshared.templates import render_template, templates_of

STYLE_COUNT = 8
"""The number of colors; the ninth file has the first color again."""


@dataclass(frozen=True, slots=True)
class Chart:
    """One plot with its title and caption."""

    title: str
    caption: str
    svg: str


def series_style(index: int) -> str:
    """Return the CSS class of the color at an index."""
    return f"s{index % STYLE_COUNT}"


templates_of(__package__).filters["series_style"] = series_style


def render_document(title: str, body: str, *, parts: Sequence[str] = ()) -> str:
    """Return a whole HTML page: ``title`` is text, ``body`` HTML.

    ``parts`` names the parts of the page with a script and a style of their own; no other script runs.
    """
    script = _read_resources(*(f"{part}.js" for part in parts))
    return render_template(
        __package__,
        "document.html.j2",
        title=title,
        body=body,
        style=_read_resources("page.css", *(f"{part}.css" for part in parts)),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _read_resources(*names: str) -> str:
    return "".join(files("chattyshared.pages").joinpath(name).read_text(encoding="utf-8") for name in names)


def render_plots(charts: Iterable[Chart]) -> str:
    """Return plots side by side, each with its title and caption."""
    parts: Any = templates_of(__package__).get_template("parts.html.j2").module
    return str(parts.plots(charts))
