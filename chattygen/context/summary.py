"""Subgraph summarization (Algorithm 3): one fact per predicate and direction, with its objects hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal as Choice

from chattyshared.check import Problem
from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.language.lexicon import word_set
from chattyshared.language.scripts import contains_name
from chattyshared.literals import MONTH, format_year, is_readable, parse_boolean, parse_moment, read_moment
from chattyshared.question_forms import FORM_BY_NAME, OPERATION_FORMS
from chattyshared.terms import DATE_DATATYPES, NUMERIC_DATATYPES, Term, local_name
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.context.facts import Entity, Fact, FactWithEnds, HiddenEnds, Shape, Step, Summary
from chattygen.context.paths import PathEdge, group_by_relation, walked_edges
from chattygen.context.predicate_use import allows_several, is_partial, sensible_forms
from chattygen.context.subgraph import Subgraph, class_labels_of, most_specific_classes, shared_class, term_text

MAX_LITERAL_CHARACTERS = 60
"""Characters of a literal that a prompt shows."""
CHARACTERS_PER_TOKEN = 4
"""Characters per token, an estimate for English text."""
FactJudgement = Callable[[Fact, tuple[str, ...]], bool]


def summarize(
    kg: KnowledgeGraph, graph: Subgraph, *, list_limit: int, is_sayable: FactJudgement = lambda fact, kinds: True
) -> Summary:
    """Return the facts of a subgraph that can be put into words, numbered from 1; each event has one date.

    A fact with more than ``list_limit`` ends can be counted, but not listed. ``is_sayable`` judges a fact of an entity
    with some class labels.
    """
    groups = _distinct_groups(group_by_relation(graph.edges).values())
    found = (_fact_of(kg, group, list_limit, graph.entity) for group in groups)
    pairs = [pair for pair in found if pair is not None and is_sayable(pair[0], graph.entity.class_labels)]
    return Summary.of(graph.entity, _one_date_per_event(pairs))


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


def _fact_of(kg: KnowledgeGraph, group: Sequence[Edge], list_limit: int, entity: Entity) -> FactWithEnds | None:
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
    names = {edge.label.casefold() for edge in group}
    if is_truncated or (shape == "entity" and len(names) < count):  # not all are known, or nobody can tell them apart
        forms = tuple(form for form in forms if FORM_BY_NAME[form].is_count)
    if not forms:
        return None
    types = [edge.types for edge in group] if shape == "entity" else []
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
    """Return the question forms that a fact can carry: one lookup, a count of several ends, a yes-no question."""
    if shape == "boolean":
        return tuple(form for form in OPERATION_FORMS if FORM_BY_NAME[form].is_yes_no) if count == 1 else ()
    if shape == "entity":
        lookup = "subject" if direction == "in" else "object" if count == 1 else "list"
    elif count == 1:
        lookup = {"text": "literal", "date": "date", "number": "number"}[shape]
    else:
        lookup = "list" if shape == "text" and count <= list_limit else ""
    operations = (form for form in OPERATION_FORMS if count > 1 or FORM_BY_NAME[form].is_yes_no)
    lookups = (lookup,) if count <= list_limit else ()
    return (*lookups, *operations) if lookup else ()


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
    """Return the local name of the datatype that all literals share, or an empty text; texts may be whole numbers."""
    if ends and all(isinstance(end, Literal) and end.datatype is None and str(end).strip().isdecimal() for end in ends):
        return "integer"
    types = {term.datatype for term in ends if isinstance(term, Literal)}
    return local_name(str(next(iter(types)))) if len(types) == 1 and None not in types else ""


_TIME_WORDS = word_set("dates", "date_label_words")


def _one_date_per_event(pairs: Sequence[FactWithEnds]) -> Iterator[FactWithEnds]:
    """Yield facts without years (typed or texts) of which another predicate with the same words states a date in that
    year, to the month or day."""
    single = [(fact.last_step.label, hidden.ends[0]) for fact, hidden in pairs if len(hidden.ends) == 1]
    moments = [(label, str(end).strip(), read_moment(end)) for label, end in single]
    dates = [(label, text) for label, text, moment in moments if moment is not None and moment.precision >= MONTH]
    for fact, hidden in pairs:
        text = str(hidden.ends[0]) if len(hidden.ends) == 1 and isinstance(hidden.ends[0], Literal) else ""
        if not text or not any(is_vaguer(fact.last_step.label, [text], label, [date]) for label, date in dates):
            yield fact, hidden


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


def visible_facts(kg: KnowledgeGraph, summary: Summary, context: Choice["summarized", "full"]) -> Summary:
    """Return the facts as prompts show them: in a full context each has the texts of its ends.

    Labels replace IRIs, long literals are truncated. What a fact hides does not change.
    """
    if context == "summarized":
        return summary
    labels = kg.labels([term for hidden in summary.hidden for term in hidden.ends if isinstance(term, URIRef)])
    facts = (
        replace(fact, values=(*_short_texts(hidden.ends, labels), *("..." for _ in range(hidden.is_truncated))))
        for fact, hidden in zip(summary.facts, summary.hidden, strict=True)
    )
    return replace(summary, facts=tuple(facts))


def check_context_length(summary: Summary, max_tokens: int) -> Iterator[Problem]:
    """Yield a problem if the facts do not fit into ``max_tokens`` tokens."""
    tokens = sum(len(fact.as_prompt_text()) + 1 for fact in summary.facts) // CHARACTERS_PER_TOKEN
    if tokens > max_tokens:
        yield Problem("context-length", f"the facts take about {tokens} tokens, more than {max_tokens}")


def fact_answer_texts(kg: KnowledgeGraph, summary: Summary, number: int, form: str) -> tuple[str, ...]:
    """Return the texts of the answers to a question about one fact; none for yes-no questions and counts.

    Texts within the entity's own label are left out, since a question has to name it. The year of a date is an answer
    too.
    """
    if FORM_BY_NAME[form].family == "operation":
        return ()
    fact, hidden = summary.fact_by_number(number)
    labels = kg.labels([term for term in hidden.ends if isinstance(term, URIRef)])
    texts = [term_text(term, labels.get(term, "")) for term in hidden.ends]
    if fact.shape == "date":
        texts += [format_year(moment.year) for text in texts if (moment := parse_moment(text)) is not None]
    return tuple(text for text in dict.fromkeys(texts) if text and not contains_name(summary.entity.label, text))


def _short_texts(terms: Iterable[Term], labels: Mapping[Term, str]) -> tuple[str, ...]:
    texts = (" ".join(term_text(term, labels.get(term, "")).split()) for term in terms)
    return tuple(
        text if len(text) <= MAX_LITERAL_CHARACTERS else f"{text[: MAX_LITERAL_CHARACTERS - 3].rstrip()}..."
        for text in texts
    )
