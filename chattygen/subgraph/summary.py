"""Subgraph summarization (Algorithm 3): one fact per predicate and direction, with its objects hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.language.lexicon import word_set
from chattyshared.literals import MONTH, is_readable, parse_boolean, read_moment
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, Term, local_name
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.subgraph.extraction import Subgraph, class_labels_of, most_specific_classes, shared_class, term_text
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, Shape, Step, Summary
from chattygen.subgraph.hidden_nodes import PathEdge, relation_of, walked_edges
from chattygen.subgraph.predicate_use import allows_several, is_partial, sensible_forms

FactJudgement = Callable[[Fact, tuple[str, ...]], bool]


def summarize(
    kg: KnowledgeGraph, graph: Subgraph, *, list_limit: int, is_sayable: FactJudgement = lambda fact, kinds: True
) -> Summary:
    """Return the facts of a subgraph that can be put into words, numbered from 1.

    A fact with more than ``list_limit`` ends can be counted, but not listed. ``is_sayable`` judges a fact of an entity
    with some class labels.
    """
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        groups.setdefault(relation_of(edge), []).append(edge)
    found = (_fact_of(kg, group, list_limit, graph.entity) for group in _distinct_groups(groups.values()))
    pairs = [pair for pair in found if pair is not None and is_sayable(pair[0], graph.entity.class_labels)]
    facts = tuple(replace(fact, number=number) for number, (fact, _) in enumerate(pairs, 1))
    return Summary(graph.entity, facts, tuple(hidden for _, hidden in pairs))


def _distinct_groups(groups: Iterable[Sequence[Edge]]) -> Iterator[Sequence[Edge]]:
    """Yield the groups without single values whose text another predicate states too; entities go before texts."""
    texts: set[str] = set()
    for group in sorted(groups, key=lambda group: isinstance(group[0].far_end, Literal)):
        text = term_text(group[0].far_end, group[0].label).casefold()
        if len(group) == 1 and not text.isdigit() and parse_boolean(text) is None:
            if text in texts:
                continue
            texts.add(text)
        yield group


def _fact_of(
    kg: KnowledgeGraph, group: Sequence[Edge], list_limit: int, entity: Entity
) -> tuple[Fact, HiddenEnds] | None:
    """Return the fact of one predicate and direction; None if its ends cannot be asked for, or nobody would."""
    shape = shape_of(edge.far_end for edge in group)
    if shape is None:
        return None
    langs: tuple[str, ...] = ()
    if shape == "text":
        group, langs = keep_first_language(group, kg.profile.languages)
    if not group:
        return None
    ends = tuple(dict.fromkeys(edge.far_end for edge in group))
    is_truncated = group[0].cardinality > len(group) and not langs
    count = group[0].cardinality if is_truncated else len(ends)
    forms = forms_of(shape, count, group[0].direction, list_limit)
    if not forms or (is_truncated and "count" not in forms):
        return None
    types = [edge.types for edge in group] if shape == "entity" else []
    forms = ("count",) if is_truncated else forms
    class_labels = class_labels_of(kg, shared_class(kg, types))
    end_classes = dict.fromkeys(next(iter(most_specific_classes(kg, of_one)), "") for of_one in types)
    step = _step_of(kg, group[0])
    fact = Fact(0, (step,), shape, _datatype(ends), class_labels, count, forms, end_classes=tuple(end_classes))
    sensible = tuple(sensible_forms(kg, entity.type, fact))
    if not sensible:
        return None
    triples = ((each.subject, each.predicate, each.object) for edge in group for each in walked_edges(edge))
    several, partial = allows_several(kg, entity.type, fact), is_partial(kg, entity.type, fact)
    fact = replace(fact, forms=sensible, allows_several=several, is_partial=partial)
    return fact, HiddenEnds(ends, tuple(dict.fromkeys(triples)), is_truncated, langs)


def _step_of(kg: KnowledgeGraph, edge: Edge) -> Step:
    if isinstance(edge, PathEdge):
        return edge.step
    entry = kg.vocabulary.predicates.get(str(edge.predicate))
    return Step(str(edge.predicate), kg.spoken_name(edge.predicate), edge.direction, entry.comment if entry else "")


def forms_of(shape: Shape, count: int, direction: str, list_limit: int) -> tuple[str, ...]:
    """Return the question forms that a fact can carry."""
    if shape == "boolean":
        return ("boolean",) if count == 1 else ()
    if shape != "entity":
        single = {"text": "literal", "date": "date", "number": "number"}[shape]
        if count == 1:
            return (single, "boolean")
        return ("list", "count", "boolean") if shape == "text" and count <= list_limit else ()
    lookup = "subject" if direction == "in" else "object" if count == 1 else "list"
    if count == 1:
        return (lookup, "boolean")
    return (lookup, "count", "boolean") if count <= list_limit else ("count", "boolean")


def shape_of(terms: Iterable[Term]) -> Shape | None:
    """Return the shape of all terms, or None if they differ or one is not readable as its datatype."""
    shapes = {_shape(term) for term in terms}
    return next(iter(shapes)) if len(shapes) == 1 else None


def _shape(term: Term) -> Shape | None:
    if isinstance(term, Literal):
        if not is_readable(term):
            return None
        if term.datatype == XSD.boolean:
            return "boolean"
        return "number" if term.datatype in NUMERIC_DATATYPES else "date" if term.datatype in DATE_DATATYPES else "text"
    return "entity" if isinstance(term, URIRef) else None


def keep_first_language(group: Sequence[Edge], languages: Sequence[str]) -> tuple[Sequence[Edge], tuple[str, ...]]:
    """Keep the values in the KG's first language or without one, if the values have several languages.

    Return these edges, and the language tags that a query must keep (empty: all).
    """
    tags = {edge.far_end.language or "" for edge in group if isinstance(edge.far_end, Literal)}
    if len(tags) < 2:
        return group, ()
    first = next((tag for tag in languages if tag), "en")
    keep = ("", first) if "" in tags else (first,)
    return [e for e in group if isinstance(e.far_end, Literal) and (e.far_end.language or "") in keep], keep


def _datatype(ends: Sequence[Term]) -> str:
    """Return the local name of the datatype that all literals share, or an empty text."""
    types = {term.datatype for term in ends if isinstance(term, Literal)}
    return local_name(str(next(iter(types)))) if len(types) == 1 and None not in types else ""


_TIME_WORDS = word_set("dates", "date_label_words")


def one_date_per_event(summary: Summary) -> Summary:
    """Leave out a year (typed or a text) if another predicate with the same words states a date in that year."""
    dated_facts = list(_dated_facts(summary))
    kept = [
        (fact, hidden) for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
        if not any(_is_year_of(fact, hidden, *dated) for dated in dated_facts)
    ]  # fmt: skip
    facts = tuple(replace(fact, number=number) for number, (fact, _) in enumerate(kept, 1))
    return Summary(summary.entity, facts, tuple(hidden for _, hidden in kept))


def _dated_facts(summary: Summary) -> Iterator[tuple[Fact, str]]:
    """Yield the facts that state exactly one date, to the month or day, with its text."""
    for fact, hidden in zip(summary.facts, summary.hidden, strict=True):
        moment = read_moment(hidden.ends[0]) if len(hidden.ends) == 1 else None
        if moment is not None and moment.precision >= MONTH:
            yield fact, str(hidden.ends[0]).strip()


def _is_year_of(fact: Fact, hidden: HiddenEnds, dated_fact: Fact, date: str) -> bool:
    """Tell whether a fact states only the year of another fact's date: the same event by its words."""
    text = str(hidden.ends[0]) if len(hidden.ends) == 1 and isinstance(hidden.ends[0], Literal) else ""
    return bool(text) and is_vaguer(fact.last_step.label, [text], dated_fact.last_step.label, [date])


def is_vaguer(label: str, texts: Sequence[str], other_label: str, dates: Sequence[str]) -> bool:
    """Tell whether a predicate's values are only the years of another predicate's dates; the texts and the dates pair
    up."""
    pairs = zip(texts, dates, strict=True)
    return event_words(label) == event_words(other_label) and all(
        len(text) < len(date) and date.startswith(text) for text, date in pairs
    )


def event_words(label: str) -> frozenset[str]:
    """Return the words of a predicate's label that are not about time: they name the event."""
    return frozenset(label.casefold().split()) - _TIME_WORDS
