"""Renders answers, notes and evidence for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chattyshared.commands.group import sanitize_for_terminal

if TYPE_CHECKING:
    from chattyshared.dialogue import Answer, LinkedTerm
    from chattyshared.kg import KnowledgeGraph

NAME_WIDTH = 12
"""Width of the names in the first column, in characters."""
MAX_TRIPLES = 5
"""The most triples of a witness that are shown."""
MAX_QUESTION_CHARACTERS = 300
"""The most characters of a question that are shown."""


def render_answer(answer: Answer, *, limit: int | None = None) -> str:
    """Return the answer: one value or row a line, ``yes`` or ``no``, or why there is none; at most ``limit`` lines."""
    lines = [" | ".join(value.text for value in row) for row in answer.rows] or [v.text for v in answer.values]
    if not lines:
        return sanitize_for_terminal("\n".join((answer.explanation, *_offers(answer))))
    shown = lines if limit is None else lines[:limit]
    more = [f"... and {len(lines) - len(shown)} more"] if len(shown) < len(lines) else []
    return sanitize_for_terminal("\n".join((*shown, *more, *_offers(answer))))


def _offers(answer: Answer) -> Iterator[str]:
    """Yield the numbered options of a clarification, or the questions that the graph answers."""
    yield from (f"  {number}. {option.label}" for number, option in enumerate(answer.options, 1))
    if answer.suggestions:
        yield "You can ask, for example:"
        yield from (f"  {question}" for question in answer.suggestions)


def render_notes(answer: Answer) -> tuple[str, ...]:
    """Return the notes of an answer, without the one that is shown in place of its values."""
    shown = [] if answer.values else [answer.explanation]
    return tuple(sanitize_for_terminal(note) for note in answer.notes if note not in shown)


def render_evidence(answer: Answer, question: str, kg: KnowledgeGraph | None = None) -> str:
    """Return the evidence of an answer: the standalone question, links, witness, query, and cost.

    With its graph, all terms of the witness have their labels; one request.

    Raises:
        EndpointError: the graph could not be asked.
    """
    lines = [f"{name:<{NAME_WIDTH}}{text}".rstrip() for name, text in _evidence_rows(answer, question, kg)]
    return sanitize_for_terminal("\n".join(lines))


def _evidence_rows(answer: Answer, question: str, kg: KnowledgeGraph | None) -> Iterator[tuple[str, str]]:
    if answer.standalone and answer.standalone != question:
        yield (
            "understood",
            answer.standalone[:MAX_QUESTION_CHARACTERS]
            + ("..." if len(answer.standalone) > MAX_QUESTION_CHARACTERS else ""),
        )
    if answer.sentence:
        yield "asked", answer.sentence
    warnings = () if answer.grounded else ("This answer is from the model's knowledge, not from a graph.",)
    for index, note in enumerate((*warnings, *render_notes(answer))):
        yield "" if index else "note", note
    for name, links in (("entities", answer.entities), ("relations", answer.relations)):
        for index, link in enumerate(links):
            yield "" if index else name, _link_text(link)
    for index, text in enumerate(_witness_texts(answer, kg)):
        yield "" if index else "because", text
    if len(answer.witness) > MAX_TRIPLES:
        yield "", f"... and {len(answer.witness) - MAX_TRIPLES} more"
    for index, line in enumerate(answer.sparql.strip().splitlines()):
        yield "" if index else "query", line
    usage, seconds = answer.usage, f"{answer.seconds:.2f} s"
    yield "cost", f"{answer.queries} queries, {usage.calls} model calls, {seconds}; confidence {answer.confidence:.2f}"


def _link_text(link: LinkedTerm) -> str:
    label = f" {link.label}" if link.label and link.label != link.mention else ""
    return f'"{link.mention}" is{label} <{link.iri}>'


def _witness_texts(answer: Answer, kg: KnowledgeGraph | None) -> Iterator[str]:
    from chattyshared.terms import triple_to_text

    from chattykg.presentation.answers import collect_evidence

    labels = {link.iri: link.label for link in (*answer.entities, *answer.relations)}
    labels |= {value.value: value.label for value in answer.values if value.kind == "iri"}
    shown = answer.witness[:MAX_TRIPLES]
    for each in collect_evidence(shown, kg) if kg is not None else ():
        labels |= {term.value: term.label for term in (each.subject, each.predicate, each.object) if term.label}
    blank = (term for triple in shown for term in triple if ":" not in term and not term.startswith('"'))
    labels |= dict.fromkeys(blank, "(no name)")
    yield from (triple_to_text(triple, labels) for triple in shown)
