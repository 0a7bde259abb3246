"""The leak guard: bars what an experience shares with the questions under test, and counts it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from chattyshared.sparql.analysis import parse_linked_terms, parse_query_terms
from chattyshared.sparql.rewriting import canonical_query

from chattykg.experience.experience_file import ExperienceItem

LeakKind = Literal["question", "query", "template", "facts"]
"""What is shared: the question, the query, the query but for its things and values, or an entity together with the set
of predicates."""
_WORD = re.compile(r"\w+")
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^<>]*>)?|\b\d+(?:\.\d+)?\b')


@dataclass(frozen=True, slots=True)
class HeldOutQuestion:
    """A question under test: its wordings, and its gold query (empty: there is none)."""

    wordings: tuple[str, ...]
    sparql: str = ""


@dataclass(frozen=True, slots=True)
class GuardedItems:
    """The items that may be shown, and how many others were barred by the first thing that they share."""

    items: tuple[ExperienceItem, ...]
    barred: Mapping[LeakKind, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of all items, shown or barred."""
        return len(self.items) + sum(self.barred.values())


def bar_leaks(
    items: Sequence[ExperienceItem],
    held_out: Iterable[HeldOutQuestion],
    type_predicates: Collection[str] = (),
    *,
    bars_templates: bool = False,
) -> GuardedItems:
    """Leave out what shares its question, its query, or an entity and the set of predicates with any question.

    With ``bars_templates`` also what has the query of a question but for its things and values. ``type_predicates``
    state classes, besides rdf:type.
    """
    questions: set[str] = set()
    queries: set[str] = set()
    templates: set[str] = set()
    facts: set[tuple[str, frozenset[str]]] = set()
    for question in held_out:
        questions.update(map(fold_question, question.wordings))
        if question.sparql.strip():
            queries.add(canonical_query(question.sparql))
            templates.add(_template_of(question.sparql))
            facts |= _facts_of(question.sparql, type_predicates)

    def find_leak(item: ExperienceItem) -> LeakKind | None:
        if fold_question(item.question) in questions:
            return "question"
        if queries and canonical_query(item.sparql) in queries:
            return "query"
        if bars_templates and _template_of(item.sparql) in templates:
            return "template"
        return "facts" if facts & _facts_of(item.sparql, type_predicates) else None

    leaks = [find_leak(item) for item in items]
    kept = tuple(item for item, leak in zip(items, leaks, strict=True) if leak is None)
    barred = Counter(leak for leak in leaks if leak is not None)
    return GuardedItems(kept, dict(sorted(barred.items())))


def fold_question(question: str) -> str:
    """Return the words of a question in lower case, without punctuation."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", question).casefold()))


def _template_of(sparql: str) -> str:
    """Return a query with one mark for all of its things and values; its predicates and classes stay."""
    terms, text = parse_query_terms(sparql), canonical_query(sparql)
    for iri in terms.vertices if terms else ():
        text = text.replace(f"<{iri}>", "<>")
    return _VALUE.sub('""', text)


def _facts_of(sparql: str, type_predicates: Collection[str]) -> set[tuple[str, frozenset[str]]]:
    """Return each entity or text of a query with the query's set of predicates."""
    terms = parse_query_terms(sparql)
    if terms is None:
        return set()
    predicates = terms.predicates - frozenset(type_predicates)
    return {(str(term), predicates) for term in parse_linked_terms(sparql, type_predicates)} if predicates else set()
