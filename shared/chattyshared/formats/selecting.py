"""What a SELECT selects, in the loose forms that some servers take, written as SPARQL 1.1 has it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HIDDEN = re.compile(
    r"""<[^<>"{}|^`\\\x00-\x20]*> | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'""",
    re.VERBOSE,
)
_SELECT = re.compile(r"\bselect\b(?:\s*\b(?:distinct|reduced)\b)?", re.IGNORECASE)
_END = re.compile(r"\{|\b(?:where|from)\b", re.IGNORECASE)
_CALL = re.compile(r"(?:count|sum|avg|min|max|sample|group_concat)\s*\(", re.IGNORECASE)
_NAMED = re.compile(r"\s*\bas\s*([?$]\w+)", re.IGNORECASE)
_HAVING = re.compile(r"\bhaving\s*(?=[A-Za-z])", re.IGNORECASE)
_HAVING_END = re.compile(r"\b(?:order|limit|offset)\b|\}|$", re.IGNORECASE)


def written_out(text: str) -> str:
    """Write out each SELECT clause and each HAVING of a query; what cannot be read in them stays as it is.

    ``COUNT(?x)`` becomes ``(COUNT(?x) AS ?count)``, ``(?x)`` becomes ``?x``, commas between items go, and the
    condition of ``HAVING COUNT(?x) > 1`` gets its brackets.
    """
    plain = _HIDDEN.sub(lambda match: "_" * len(match[0]), text)
    taken = set(re.findall(r"[?$](\w+)", plain))
    made, end = [], 0
    for start, stop in _clauses(plain):
        items = _items(text, plain, start, stop, taken)
        made += [text[end:start], text[start:stop] if items is None else f" {' '.join(items)} "]
        end = stop
    return _having("".join([*made, text[end:]]))


def _clauses(plain: str) -> Iterator[tuple[int, int]]:
    """Yield where what is selected begins and ends."""
    for match in _SELECT.finditer(plain):
        end = _END.search(plain, match.end())
        if end:
            yield match.end(), end.start()


def _items(text: str, plain: str, start: int, stop: int, taken: set[str]) -> list[str] | None:
    """Read what is selected, item by item; None if something else stands there."""
    items: list[str] = []
    while start < stop:
        variable = re.compile(r"[?$]\w+|\*").match(plain, start, stop)
        call = _CALL.match(plain, start, stop)
        if plain[start].isspace() or plain[start] == ",":
            start += 1
        elif variable:
            items.append(text[start : variable.end()])
            start = variable.end()
        elif call or plain[start] == "(":
            end = _closing(plain, call.end() - 1 if call else start)
            if end is None or end > stop:
                return None
            named = _NAMED.match(plain, end, stop) if call else None
            inner = text[start:end] if call else text[start + 1 : end - 1]
            items.append(f"({inner} AS {named[1]})" if named else _named(inner, taken))
            start = named.end() if named else end
        else:
            return None
    return items


def _named(expression: str, taken: set[str]) -> str:
    """Return an expression as an item: a variable alone, or with a name that no variable of the query has."""
    bare = expression.strip()
    if re.fullmatch(r"[?$]\w+", bare):
        return bare
    if re.search(r"\bas\s*[?$]\w+\s*$", bare, re.IGNORECASE):
        return f"({bare})"
    call = _CALL.match(bare)
    base = call[0].rstrip("( \t\n").lower() if call else "value"
    name = next(name for name in (base, *(f"{base}{number}" for number in range(2, 1000))) if name not in taken)
    taken.add(name)
    return f"({bare} AS ?{name})"


def _closing(plain: str, start: int) -> int | None:
    """Return the place behind the bracket that closes the one at a place."""
    depth = 0
    for place in range(start, len(plain)):
        depth += (plain[place] == "(") - (plain[place] == ")")
        if depth == 0:
            return place + 1
    return None


def _having(text: str) -> str:
    plain = _HIDDEN.sub(lambda match: "_" * len(match[0]), text)
    match = _HAVING.search(plain)
    if match is None:
        return text
    end = _HAVING_END.search(plain, match.end())
    stop = end.start() if end else len(text)
    return f"{text[: match.start()]}HAVING ({text[match.end() : stop].strip()}) {text[stop:]}"
