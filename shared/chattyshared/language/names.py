"""Names in texts: whether a text has one in it, and another name in its place."""

from __future__ import annotations

import re

from chattyshared.language.scripts import known_languages, script_of


def contains_name(text: str, name: str, *, ignores_case: bool = True) -> bool:
    """Tell whether a text has a name in it, as whole words; an empty name is nowhere.

    Where scripts change, and in scripts without spaces, a word may end between two letters.
    """
    if ignores_case:
        text, name = text.casefold(), name.casefold()
    return bool(name) and any(
        _is_boundary(text[match.start() - 1 : match.start()] if match.start() else "", name[0])
        and _is_boundary(text[match.end() : match.end() + 1], name[-1])
        for match in re.finditer(re.escape(name), text)
    )


def replace_name(text: str, name: str, other: str) -> str:
    """Return a text with another name in the place of a name."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, text)


def _is_boundary(neighbour: str, edge: str) -> bool:
    """Tell whether a word ends between a letter and its neighbour."""
    if not re.match(r"\w", neighbour):
        return True
    script = script_of(neighbour)
    attaches = any(any(each.attached_letters) for each in known_languages() if script and each.script == script)
    return neighbour.isalpha() and edge.isalpha() and (attaches or script != script_of(edge))
