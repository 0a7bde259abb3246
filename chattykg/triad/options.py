"""The options among which the decider chooses: what a name may stand for, and queries with what they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.errors import QUERY_ERRORS
from chattyshared.kg import KnowledgeGraph
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import Term, iri_to_words, is_writable, n3
from rdflib import Literal, URIRef

from chattykg.direct.attempt import QueryAttempts
from chattykg.direct.outcome import QueryOutcome, find_stated_answer
from chattykg.linking.answer_types import expected_answer_type
from chattykg.linking.predicate_candidates import LinkingContext
from chattykg.linking.relation_phrases import is_label_phrase, is_type_phrase
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card_text import TEXT_DATATYPES
from chattykg.qir import QIR, Relation
from chattykg.state import AgentContext
from chattykg.triad.template import Template

MIN_MATCH = 0.5
"""Score (0..1) from which an option is taken by the match of texts alone; set by hand."""
MAX_FAILED = 3
"""Queries of one template that may fail, each perhaps after a long time."""
MAX_PREDICATES, MAX_PASSED, MAX_MEMBERS = 25, 3, 30
"""Predicates of a relation that are shown, those by which an unknown is reached, and its things that are read."""

_NAMED = ("person", "place")
"""Types of answers that have names."""


@dataclass(frozen=True, slots=True)
class Option:
    """A term or a query: its label, a description, how well it matches (0..1), and how queries write it."""

    label: str
    description: str
    score: float
    terms: tuple[str, ...] = ()
    value: Term = Literal("")
    outcome: QueryOutcome = QueryOutcome("", "list")


Options = Mapping[str, Sequence[Option]]
"""The options of each name, best match first."""


@dataclass(frozen=True, slots=True)
class OptionList:
    """Options as a prompt shows them, numbered from 1 for each name."""

    options: Options

    def as_prompt_text(self) -> str:
        """Return the names, each with its options below it."""
        lines = [
            (
                f"{name}:",
                *(f"  {n}. {' '.join((each.label + each.description).split())}" for n, each in enumerate(listed, 1)),
            )
            for name, listed in self.options.items()
        ]
        return "\n".join(line for each in lines for line in each)


def check_choices(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check that there is a list for each name, and that its numbers were shown."""
    options: Options = variables["options"].options
    if len(reply["choices"]) != len(options):
        yield Problem("membership", f"Give {len(options)} lists of numbers, one for each of: {', '.join(options)}.")
    for (name, listed), numbers in zip(options.items(), reply["choices"], strict=False):
        yield from (Problem("membership", f"{name} has no number {n}.") for n in numbers if n > len(listed))


def choose(prompt: str, question: str, options: Options, limit: int, context: AgentContext) -> Options:
    """Return at most ``limit`` options of each name that the decider chooses; "" as prompt: those that match best.

    Raises:
        ModelError: as one of its kinds.
    """
    if not prompt:
        return {name: [o for o in each if o.score >= MIN_MATCH][:limit] for name, each in options.items()}
    undecided = {n: each for n, each in options.items() if len(each) > 1 or any(o.score < 1 for o in each)}
    if not undecided:
        return options
    agent = load_agent(f"triad/{prompt}", check_choices, truncatable=(TruncatableVariable("options"),))
    variables = {"question": question, "options": OptionList(undecided), "limit": limit}
    chosen = zip(undecided.items(), context.request_reply(agent, variables).value["choices"], strict=True)
    return {**options, **{n: [each[i - 1] for i in dict.fromkeys(numbers)][:limit] for (n, each), numbers in chosen}}


def find_predicates(qir: QIR, known: dict[str, list[Term]], context: LinkingContext) -> dict[str, list[Option]]:
    """Return the predicates of each relation around the known ends, those of the vocabulary where no end is known.

    Those of one label are one option. Triples with few unknown ends come first; some things that they lead to become
    ``known`` for those after them.

    Raises:
        EndpointError: the KG could not be asked.
    """
    kg, pending, found = context.kg, list(qir.triples), dict[str, dict[str, Option]]()
    while pending:
        triple = min(pending, key=lambda each: sum(end not in known for end in each.ends()))
        pending.remove(triple)
        near, far = sorted(triple.ends(), key=lambda end: end not in known)
        pairs = set(_incident_pairs(triple, known, kg))
        if near not in known:
            directions = (True,) if is_type_phrase(triple.relation) else (True, False)
            pairs = {(entry.iri, way) for entry in context.predicates_to_compare() for way in directions}
        options = _rank_predicates(triple.relation, pairs, kg, context.similarity)
        same = found.setdefault(triple.relation, {})
        for each in options:
            ways = (*same[each.label].terms, *each.terms) if each.label in same else each.terms
            same[each.label] = replace(each, terms=tuple(dict.fromkeys(ways)))
        if near in known and far not in known:
            ends, steps = " ".join(map(n3, known[near])), " ".join(o.terms[0].strip("^") for o in options[:MAX_PASSED])
            body = f"VALUES ?a {{ {ends} }} VALUES ?p {{ {steps} }} {{ ?a ?p ?b }} UNION {{ ?b ?p ?a }}"
            with suppress(*QUERY_ERRORS):  # a hub may take too long: then nothing is known of what it leads to
                rows = kg.endpoint.select(f"SELECT DISTINCT ?b WHERE {{ {body} }} LIMIT {MAX_MEMBERS}")
                things = [row["b"] for row in rows if isinstance(row.get("b"), URIRef) and is_writable(str(row["b"]))]
                known |= {far: things} if things else {}
    return {name: list(each.values()) for name, each in found.items()}


def _incident_pairs(
    triple: Relation, known: Mapping[str, list[Term]], kg: KnowledgeGraph
) -> Iterator[tuple[str, bool]]:
    """Yield the predicates at the known ends of a triple; of a class only that of its things, which may be many."""
    for end in triple.ends():
        terms = known.get(end, [])
        if is_type_phrase(triple.relation) and any(str(term) in kg.vocabulary.classes for term in terms):
            yield from ((iri, end == triple.object) for iri in kg.profile.types or TYPE_PREDICATES)
            continue
        for around in kg.predicates_of(terms).values():
            yield from ((iri, (side == "out") == (end == triple.subject)) for iri, side, _ in around)


def _rank_predicates(
    phrase: str, pairs: set[tuple[str, bool]], kg: KnowledgeGraph, similarity: Similarity
) -> list[Option]:
    """Return predicates as options, best match first; ``pairs`` tell in which ways they lead."""
    entries, own = kg.vocabulary.predicates, set(kg.profile.labels if is_label_phrase(phrase) else ())
    own |= {*kg.profile.types, *TYPE_PREDICATES} if is_type_phrase(phrase) else set()
    shown = {iri for iri, _ in pairs if is_writable(iri) and (iri in own or iri not in kg.profile.metadata)}
    names = {iri: entries[iri].label if iri in entries else iri_to_words(iri) for iri in sorted(shown)}
    options = []
    for (iri, name), score in zip(names.items(), similarity(phrase, list(names.values())), strict=True):
        example = f" (for example {' -> '.join(entries[iri].example)[:120]})" if iri in entries else ""
        ways = tuple(f"<{iri}>" if way else f"^<{iri}>" for way in (True, False) if (iri, way) in pairs)
        options.append(Option(name[:120], example, 1.0 if iri in own else score, ways))
    return sorted(options, key=lambda option: -option.score)[:MAX_PREDICATES]


def run_combinations(template: Template, options: Options, attempts: QueryAttempts, limit: int) -> list[Option]:
    """Run the queries of the ``limit`` best combinations of options; return those that give something, best first.

    Raises:
        EndpointError: the KG could not be asked.
    """
    combined: list[tuple[int, dict[str, str], dict[str, str]]] = [(0, {}, {})]
    for name, listed in options.items():
        is_unmatched = name in template.unmatched and not is_type_phrase(name)  # no class is of the kind of its things
        both = [(o.label, ("^" + t).removeprefix("^^")) for o in listed for t in o.terms if is_unmatched]
        terms = list(enumerate(dict.fromkeys((*((o.label, term) for o in listed for term in o.terms), *both))))
        grown = [
            (rank + n, {**used, name: _path(term, attempts.kg)}, {**shown, name: f"{'^' * (term[0] == '^')}<{label}>"})
            for rank, used, shown in combined
            for n, (label, term) in terms
        ]
        combined = sorted(grown, key=lambda each: each[0])[:limit]
    kind, given, failed = expected_answer_type(attempts.question, template.qir), list[Option](), 0
    shape = kind if template.qir.shape == "list" and kind in ("date", "number") else template.qir.shape
    for _, used, shown in combined:
        try:
            outcome = attempts.run_query(template.substitute(used), shape)
        except QUERY_ERRORS:
            failed += 1
            if failed == MAX_FAILED:
                break
            continue
        if len(outcome.columns) > 1:
            outcome = replace(outcome, shape="table")
        if _is_result(outcome) and not (kind in _NAMED and outcome.rows and _is_measure(outcome.first_term())):
            result = outcome.truth if outcome.truth is not None else outcome.render_first_row()
            description = f" -> {result}" + (f" and {len(outcome.rows) - 1} more" if len(outcome.rows) > 1 else "")
            given.append(Option(template.substitute(shown), description, 0.9 ** len(given), outcome=outcome))
    return given


def _path(term: str, kg: KnowledgeGraph) -> str:
    """Return a term as a query writes it: a type is that of the subclasses as well."""
    way, _, iri = term.partition("<")
    is_type = kg.profile.subclasses and iri.removesuffix(">") in {*kg.profile.types, *TYPE_PREDICATES}
    return f"{way}(<{iri}/<{kg.profile.subclasses[0]}>*)" if is_type else term


def _is_measure(term: Term) -> bool:
    """Tell whether a term is a number, a date or another typed value, which is no name."""
    return isinstance(term, Literal) and term.datatype is not None and str(term.datatype) not in TEXT_DATATYPES


def _is_result(outcome: QueryOutcome) -> bool:
    """Tell whether an outcome gives what is asked for, and not what its query states itself."""
    is_nothing = outcome.is_empty or outcome.is_nameless or (outcome.shape == "count" and outcome.is_negative)
    return not is_nothing and outcome.fits_shape() and find_stated_answer(outcome) is None
