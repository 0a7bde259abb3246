"""Algorithm 3: one fact per predicate and direction, its objects hidden, with what each question form needs to know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random

from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.terms import DATES, NUMERIC, Term, local_name
from rdflib import Literal, URIRef

from chattygen.facts import Fact, Hidden, Shape, Step, Summary
from chattygen.salience import echoes
from chattygen.subgraph import Subgraph, lineage, said, shared_class, triple


def summarize(
    kg: KnowledgeGraph, graph: Subgraph, *, list_limit: int, without: frozenset[str] = frozenset()
) -> Summary:
    """Return the facts of a subgraph, numbered from 1; predicates in ``without`` are left out."""
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges:
        if str(edge.predicate) not in without:
            groups.setdefault((str(edge.predicate), edge.direction), []).append(edge)
    made = [found for group in _unlike(groups.values()) if (found := _fact(kg, group, list_limit)) is not None]
    facts = tuple(replace(fact, number=number) for number, (fact, _) in enumerate(made, 1))
    return Summary(graph.entity, facts, tuple(hidden for _, hidden in made))


def _unlike(groups: Iterable[Sequence[Edge]]) -> Iterator[Sequence[Edge]]:
    """Leave out single values that another predicate states as well, said alike; entities go before texts."""
    heard: set[str] = set()
    for group in sorted(groups, key=lambda group: isinstance(group[0].other, Literal)):
        words = said(group[0].other, group[0].label).casefold()
        if len(group) == 1 and not words.isdigit():
            if words in heard:
                continue
            heard.add(words)
        yield group


def _fact(kg: KnowledgeGraph, group: Sequence[Edge], list_limit: int) -> tuple[Fact, Hidden] | None:
    """Make the fact of one predicate and direction; None where its ends are of no kind that can be asked for."""
    shape = shape_of(edge.other for edge in group)
    if shape is None:
        return None
    langs: tuple[str, ...] = ()
    if shape == "text":
        group, langs = first_language(group, kg.profile.languages)
    if not group:
        return None
    ends = tuple(dict.fromkeys(edge.other for edge in group))
    cut = group[0].cardinality > len(group) and not langs
    count = group[0].cardinality if cut else len(ends)
    forms = forms_of(shape, count, group[0].direction, list_limit)
    if not forms or (cut and "count" not in forms):
        return None
    entry = kg.vocabulary.predicates.get(str(group[0].predicate))
    step = Step(
        str(group[0].predicate), entry.label if entry else kg.label(group[0].predicate), group[0].direction,
        entry.comment if entry else "",
    )  # fmt: skip
    kinds = lineage(kg, shared_class(kg, (edge.types for edge in group))) if shape == "entity" else ()
    fact = Fact(0, (step,), shape, _datatype(ends), kinds, count, ("count",) if cut else forms)
    return fact, Hidden(ends, tuple(triple(edge) for edge in group), cut, langs)


def forms_of(shape: Shape, count: int, direction: str, list_limit: int) -> tuple[str, ...]:
    """Return the forms of question that a fact can carry."""
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
    """Return what all the terms are, or None if they differ."""
    shapes = {_shape(term) for term in terms}
    return next(iter(shapes)) if len(shapes) == 1 else None


def _shape(term: Term) -> Shape | None:
    if isinstance(term, Literal):
        return "number" if term.datatype in NUMERIC else "date" if term.datatype in DATES else "text"
    return "entity" if isinstance(term, URIRef) else None


def first_language(group: Sequence[Edge], languages: Sequence[str]) -> tuple[Sequence[Edge], tuple[str, ...]]:
    """Keep the values of the KG's first language or of none, where several languages stand side by side.

    Returns those edges, and the language tags that a query must keep (empty: it need not choose).
    """
    tags = {edge.other.language or "" for edge in group if isinstance(edge.other, Literal)}
    if len(tags) < 2:
        return group, ()
    first = next((tag for tag in languages if tag), "en")
    keep = ("", first) if "" in tags else (first,)
    return [e for e in group if isinstance(e.other, Literal) and (e.other.language or "") in keep], keep


def _datatype(ends: Sequence[Term]) -> str:
    types = {term.datatype for term in ends if isinstance(term, Literal)}
    return local_name(str(next(iter(types)))) if len(types) == 1 and None not in types else ""


def offer(
    kg: KnowledgeGraph, summary: Summary, number: int, chance: Random, *, similar: Sequence[str] = ()
) -> Summary | None:
    """Give one fact a value to ask a yes-no question about: true or false with even chance.

    A false value is of the same class or datatype and is not stated for the entity. ``similar`` are values that other
    entities have there. Returns None where there is no such value, or it would say the entity's own name.
    """
    fact, hidden = summary.fact(number)
    truth = chance.random() < 0.5
    pool = sorted(hidden.ends) if truth and not hidden.cut else _false_values(kg, hidden, fact, chance, similar)
    if hidden.cut:
        truth = False
    stated = set(hidden.ends) | {summary.entity.iri}
    told = {term: kg.label(term) if isinstance(term, URIRef) else str(term) for term in pool}
    names = {said(term, kg.label(term)).casefold() for term in hidden.ends[:50]}
    fits = [
        term for term in pool
        if (truth or (term not in stated and told[term].casefold() not in names))
        and not echoes(told[term], summary.entity.label) and len(told[term].split()) <= 10
    ]  # fmt: skip
    if not fits:
        return None
    value = fits[chance.randrange(len(fits))] if truth else fits[0]
    place = summary.facts.index(fact)
    facts, kept = list(summary.facts), list(summary.hidden)
    facts[place] = replace(fact, offer=told[value])
    kept[place] = replace(hidden, offer=value, truth=truth)
    return Summary(summary.entity, tuple(facts), tuple(kept))


def _false_values(
    kg: KnowledgeGraph, hidden: Hidden, fact: Fact, chance: Random, similar: Sequence[str]
) -> Sequence[Term]:
    """Return values like the stated ones, in an order that chance makes."""
    sample = hidden.ends[0]
    if isinstance(sample, Literal):
        if fact.shape == "text":
            pool = [Literal(text, lang=sample.language, datatype=sample.datatype) for text in sorted(set(similar))]
            return chance.sample(pool, len(pool))
        return [shifted(sample, chance)]
    classes = kg.types_of([sample]).get(sample, ())
    type_iri = shared_class(kg, [classes])
    return kg.draw(type_iri, chance=chance, limit=len(hidden.ends) + 5) if type_iri else ()


def shifted(value: Literal, chance: Random) -> Literal:
    """Return another number or date of the same datatype and manner: some years off, or some tenths off."""
    text = str(value)
    step = chance.choice((-3, -2, -1, 1, 2, 3))
    if value.datatype in DATES:
        year, mark, rest = text.partition("-") if not text.startswith("-") else (text, "", "")
        if mark and rest.startswith("02-29"):
            step *= 4
        return Literal(f"{int(year) + step:04d}{mark}{rest}", datatype=value.datatype, normalize=False)
    whole, mark, decimals = text.partition(".")
    if not (whole.lstrip("+-").isdigit() and (decimals.isdigit() or not mark)):
        return Literal(str(float(text) + step), datatype=value.datatype, normalize=False)
    digits = int(whole + decimals)
    size = max(1, abs(digits) // 20)
    moved = digits + step * size
    if moved < 0 <= digits:
        moved = digits + abs(step) * size
    elif whole == "0" and moved >= 10 ** len(decimals) > digits:
        # A share stays a share: 1.04 beside values below 1 would give itself away.
        moved = digits - abs(step) * size
    if not mark:
        return Literal(str(moved), datatype=value.datatype, normalize=False)
    padded = f"{abs(moved):0{len(decimals) + 1}d}"
    sign = "-" if moved < 0 else ""
    return Literal(
        f"{sign}{padded[: -len(decimals)]}.{padded[-len(decimals) :]}", datatype=value.datatype, normalize=False
    )
