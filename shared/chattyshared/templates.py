"""Templates of pages and texts (jinja2), which lie beside the modules that fill them in."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from chattyshared.figures import format_number, format_percent


@cache
def templates_of(package: str) -> Environment:
    """Return the templates of a package, such as ``chattyshared.pages``.

    What is put into one of HTML is text, unless the template says that it is HTML; every value must be given.
    """
    top, _, folder = package.partition(".")
    environment = Environment(
        loader=PackageLoader(top, folder.replace(".", "/")),
        autoescape=lambda name: str(name).endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters |= {
        "json": lambda value: json.dumps(value, ensure_ascii=False),
        "number": format_number,
        "percent": format_percent,
    }
    return environment


def render_template(package: str, template: str, /, **values: Any) -> str:
    """Return the text of a template of a package, without the line end behind it."""
    return templates_of(package).get_template(template).render(**values)
