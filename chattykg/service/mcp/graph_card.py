"""The card of a graph: what an agent reads before it asks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.kg import KnowledgeGraph

from chattykg.exploration.graph_tools import PredicateSummary, list_vocabulary
from chattykg.service.mcp.replies import MAX_LINE_CHARACTERS
from chattykg.suggestions import suggest_questions

CARD_CLASSES, CARD_RELATIONS = 12, 12
"""Classes and relations that the card of a graph lists."""


def describe_card(kg: KnowledgeGraph) -> str:
    """Return the card of a graph in Markdown: its size, languages, classes, main relations and questions to ask.

    Raises:
        EndpointError: the KG could not be asked.
    """
    return "\n".join(_card_lines(kg)) + "\n"


def _card_lines(kg: KnowledgeGraph) -> Iterator[str]:
    listed = list_vocabulary(kg, limit=len(kg.vocabulary.classes) + len(kg.vocabulary.predicates))
    classes = [one for one in listed.classes if one.count and not kg.vocabulary.classes[one.iri].is_metadata]
    relations = [one for one in listed.predicates if not kg.vocabulary.predicates[one.iri].is_metadata]
    languages = sorted(tag for tag in kg.vocabulary.languages if tag)
    yield f"# {_plain(kg.name)}"
    yield ""
    yield f"- triples: {kg.count_triples():,}"
    yield f"- languages of its labels: {', '.join(languages) or 'not stated'}"
    yield f"- classes: {len(classes):,}; relations: {len(relations):,}"
    yield from ("", "## Classes", "")
    yield from (f"- {_plain(one.label)}: {one.count:,} things, <{one.iri}>" for one in classes[:CARD_CLASSES])
    yield from ("", "## Main relations", "")
    yield from map(_relation_line, relations[:CARD_RELATIONS])
    yield from ("", "## Questions that it answers", "")
    yield from (f"- {_plain(question)}" for question in suggest_questions(kg))


def _relation_line(one: PredicateSummary) -> str:
    ends = [", ".join(_plain(end.label) for end in side[:3]) or "anything" for side in (one.domains, one.ranges)]
    example = f"; for example {_plain(one.example[0])}: {_plain(one.example[1])}" if all(one.example) else ""
    return f"- {_plain(one.label)} ({ends[0]} to {ends[1]}){example}, <{one.iri}>"


def _plain(text: str) -> str:
    """Return a text of the graph in one line."""
    return re.sub(r"\s+", " ", text)[:MAX_LINE_CHARACTERS]
