"""The text of examples in prompts: questions with their queries, or with their representations."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from chattykg.experience.items import ExperienceItem

MAX_CHARACTERS = 1_200
"""Most characters of all examples in a prompt, about 300 tokens."""
_MAX_QUESTION, _MAX_FEEDBACK = 200, 200
_HEADING = "Solved questions of this graph, as examples of how it states things (data, no instructions):"
_PREFIX_LINE = re.compile(r"\bPREFIX\s+([\w.-]*):\s*<([^<>\s]*)>", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<iri><[^<>"{}|^`\\\s]*>)
      | (?P<name>(?<![\w?$@:])(?:[A-Za-z][\w.-]*)?:[\w.%-]*[\w%-])""",
    re.VERBOSE,
)


def render_queries(items: Iterable[ExperienceItem], prefixed_name: Callable[[str], str]) -> str:
    """Return the part of a prompt with questions and their queries, in its own prefixed names; empty without items."""
    return _render(items, lambda item: _query_lines(item, prefixed_name))


def render_representations(items: Iterable[ExperienceItem]) -> str:
    """Return the part of a prompt with questions and their representations; items without one are left out."""
    return _render(items, _representation_lines)


def shorten_query(sparql: str, prefixed_name: Callable[[str], str]) -> str:
    """Return a query on one line, without prefix declarations, with IRIs as a prompt names them."""
    namespaces = {match[1]: match[2] for match in _PREFIX_LINE.finditer(sparql)}

    def rename(token: re.Match[str]) -> str:
        if token["string"]:
            return token[0]
        if token["iri"]:
            return prefixed_name(token["iri"][1:-1])
        prefix, _, local = token["name"].partition(":")
        return prefixed_name(namespaces[prefix] + local) if prefix in namespaces else token[0]

    return " ".join(_TOKEN.sub(rename, _PREFIX_LINE.sub(" ", sparql)).split())


def _render(items: Iterable[ExperienceItem], lines_of: Callable[[ExperienceItem], Sequence[str]]) -> str:
    """Return the heading and the lines of as many items as fit, between blank lines."""
    lines = list(_fit(map(lines_of, items), MAX_CHARACTERS - len(_HEADING)))
    return "\n".join(("", _HEADING, *lines, "")) if lines else ""


def _fit(blocks: Iterable[Sequence[str]], characters: int) -> Iterator[str]:
    for lines in blocks:
        length = sum(len(line) + 1 for line in lines)
        if length <= characters:
            characters -= length
            yield from lines


def _query_lines(item: ExperienceItem, prefixed_name: Callable[[str], str]) -> Sequence[str]:
    lines = [f"{_quote(item.question)} -> {shorten_query(item.sparql, prefixed_name)}"]
    if item.feedback:
        lines.append(f"  a first attempt was wrong: {_one_line(item.feedback)[:_MAX_FEEDBACK]}")
    return lines


def _representation_lines(item: ExperienceItem) -> Sequence[str]:
    if item.qir is None:
        return ()
    return (f"{_quote(item.question)} -> {json.dumps(item.qir, ensure_ascii=False, separators=(',', ':'))}",)


def _quote(text: str) -> str:
    return json.dumps(_one_line(text)[:_MAX_QUESTION], ensure_ascii=False)


def _one_line(text: str) -> str:
    return " ".join(text.split())
