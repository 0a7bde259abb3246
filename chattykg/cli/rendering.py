"""Answers as people read them in a terminal, and warnings beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chattyshared.commands.group import sanitize_for_terminal

if TYPE_CHECKING:
    from chattyshared.dialogue import Answer, LinkedTerm, Value

NAME_WIDTH = 12
"""Columns of the names at the left."""
MAX_QUESTION_CHARACTERS = 300
"""How much of a question is shown."""


def render_answer(answer: Answer, *, limit: int | None = None) -> str:
    """Return the answer itself: one value or row a line, ``yes`` or ``no``, or that it is not known."""
    lines = [" | ".join(map(_value, row)) for row in answer.rows] or list(map(_value, answer.values))
    if not lines:
        return sanitize_for_terminal(answer.explanation)
    shown = lines if limit is None else lines[:limit]
    more = [f"... and {len(lines) - len(shown)} more"] if len(shown) < len(lines) else []
    return sanitize_for_terminal("\n".join(shown + more))


def render_notes(answer: Answer) -> tuple[str, ...]:
    """Return the notes that are shown beside an answer, without the one that is shown in place of its values."""
    beside = [] if answer.values else [answer.explanation]
    return tuple(sanitize_for_terminal(note) for note in answer.notes if note not in beside)


def render_evidence(answer: Answer, question: str) -> str:
    """Return where an answer came from: as what it was understood, links, witness, query, and what it cost."""
    lines = [f"{name:<{NAME_WIDTH}}{text}".rstrip() for name, text in _grounds(answer, question)]
    return sanitize_for_terminal("\n".join(lines))


def _grounds(answer: Answer, question: str) -> Iterator[tuple[str, str]]:
    if answer.standalone and answer.standalone != question:
        yield (
            "understood",
            answer.standalone[:MAX_QUESTION_CHARACTERS]
            + ("..." if len(answer.standalone) > MAX_QUESTION_CHARACTERS else ""),
        )
    if answer.sentence:
        yield "asked", answer.sentence
    memory = () if answer.grounded else ("This answer is from the model's knowledge, not from a graph.",)
    for place, note in enumerate((*memory, *render_notes(answer))):
        yield "" if place else "note", note
    for name, links in (("entities", answer.entities), ("relations", answer.relations)):
        for place, link in enumerate(links):
            yield "" if place else name, _link(link)
    for place, triple in enumerate(answer.witness[:5]):
        yield "" if place else "because", _triple(triple, answer)
    if len(answer.witness) > 5:
        yield "", f"... and {len(answer.witness) - 5} more"
    for place, line in enumerate(answer.sparql.strip().splitlines()):
        yield "" if place else "query", line
    usage, seconds = answer.usage, f"{answer.seconds:.2f} s"
    yield "cost", f"{answer.queries} queries, {usage.calls} model calls, {seconds}; confidence {answer.confidence:.2f}"


def _value(value: Value) -> str:
    if value.kind == "boolean":
        return {"true": "yes", "false": "no"}.get(value.value, value.value)
    return value.label or value.value


def _link(link: LinkedTerm) -> str:
    label = f" {link.label}" if link.label and link.label != link.mention else ""
    return f'"{link.mention}" is{label} <{link.iri}>'


def _triple(triple: tuple[str, str, str], answer: Answer) -> str:
    known = {link.iri: link.label for link in (*answer.entities, *answer.relations)}
    known |= {value.value: value.label for value in answer.values if value.kind == "iri"}
    return ", ".join(known.get(term) or _term(term, is_name=place != 1) for place, term in enumerate(triple))


def _term(term: str, *, is_name: bool) -> str:
    """Return a term as words: a literal without quotes and datatype, a predicate read aloud, a vertex by its name."""
    from chattyshared.terms import iri_to_words, local_name

    literal = re.fullmatch(r'"(.*)"(?:@[A-Za-z0-9-]+|\^\^\S+)?', term, flags=re.DOTALL)
    if literal:
        return literal[1]
    if "://" not in term:
        return term
    return local_name(term).replace("_", " ") if is_name else iri_to_words(term)
