"""Turns that the KG cannot answer, each with its proof: a query that gives nothing, and a certificate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from chattyshared.dialogue import Certificate, LinkName, UnanswerableKind
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import batches, union_pattern
from chattyshared.language.inflection import denote_persons, plain_label
from chattyshared.language.lexicon import word_set
from chattyshared.literals import read_count, read_moment
from chattyshared.terms import DATE_DATATYPES, n3
from rdflib import RDF, Literal, URIRef

from chattygen.planning.invented_names import invent_name
from chattygen.planning.missing_facts import word_stems
from chattygen.planning.plan import PlannedTurn
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.related_entities import names_in_class
from chattygen.planning.sparql_compiler import TextPatterns, member_pattern, patterns_to_text
from chattygen.planning.turn_construction import missing_fact_turn, question_key
from chattygen.planning.unknown_parts import (
    UnknownCandidate,
    is_changing,
    list_classes,
    list_events,
    list_places,
    list_qualifiers,
    tells_private_life,
)
from chattygen.run import RunContext
from chattygen.stages.turn_plan import UnknownPart, UnknownScope
from chattygen.subgraph.facts import Entity, Fact, Step, Summary

MAX_PER_KIND = 2
"""Turns of each kind about one entity that are offered, so that no kind prevails; of those that cost a request each,
one is; set by hand."""
MAX_TRIED = 20
"""Parts that are tried until the KG turns out not to know one; set by hand."""
RECENT_YEARS = (2001, 2019)
"""First year that a question about another time names, of an entity without dates, and the last; set by hand."""
LATER_YEARS = (5, 20)
"""Years between the latest date of an entity and the year that a question names, the fewest and the most; set by
hand."""
PROVEN_AT_ONCE = 40
"""Turns that one request proves; set by hand."""
DEAR_KIND_ODDS = 0.6
"""Probability that an entity is offered a kind of which each turn costs a request; set by hand, to save requests."""
COUNT_ODDS = 0.4
"""Probability that a question about a set asks how many; set by hand."""
ABSENT_ENTITY = URIRef("urn:absent")
"""Stands for the bearer of an invented name."""
_TIME_WORDS = word_set("unanswerable", "time_words")
_QUESTION_FORMS = {"When": "date", "Where": "object"}
_ANSWER_TYPES = {"date": "date", "literal": "string", "object": "place", "boolean": "boolean", "count": "integer"}

PartLister = Callable[..., Iterable[UnknownCandidate]]
"""Lists parts for class labels and a scope, and for persons whose private life is told or not."""


@dataclass(frozen=True, slots=True)
class UnanswerableTurns:
    """The unanswerable turns about one entity of a context; equal random streams give equal turns."""

    run: RunContext
    context: PlanContext
    summary: Summary
    link: LinkName
    rng: Random

    def list_unproven(self, refuted: Collection[str]) -> Iterator[PlannedTurn]:
        """Yield a few turns of each kind, without those whose queries are ``refuted``."""
        turns_by_kind: dict[UnanswerableKind, Iterable[PlannedTurn]] = {
            "qualifier": self._over_targets(list_qualifiers, by_entity=True),
            "class": self._over_targets(list_classes, by_entity=False),
            "presupposition": self._presuppositions(),
            "entity": self._invented_entities() if self.rng.random() < DEAR_KIND_ODDS else (),
            "place": self._over_targets(list_places, by_entity=True),
            "time": self._other_times() if self.rng.random() < DEAR_KIND_ODDS else (),
            "not-stated": self._missing("not-stated"),
        }
        for kind, turns in turns_by_kind.items():
            limit = 1 if kind in ("entity", "time") else MAX_PER_KIND
            yield from islice((turn for turn in turns if turn.sparql not in refuted), limit)

    def turns_about_set(self, owner: Entity, fact: Fact) -> list[PlannedTurn]:
        """Return turns about the members of a set: those with a quality, at a place or of a class that is not known."""
        listers: tuple[PartLister, ...] = (list_qualifiers, list_places, list_classes)
        is_private = self._is_private(*fact.end_classes)
        drawn = (self._draw(list_parts(fact.class_labels, "set", is_private=is_private)) for list_parts in listers)
        turns = [self._set_turn(owner, fact, candidate) for candidate in drawn if candidate is not None]
        answered = _find_answered(self.run.kg, turns)
        return [turn for turn in turns if turn.sparql not in answered]

    def _over_targets(self, list_parts: PartLister, *, by_entity: bool) -> Iterator[PlannedTurn]:
        """Yield turns with parts that are said of the entity's sets and, if ``by_entity``, of the entity itself."""
        entity = self.summary.entity
        sets: list[Fact | None] = [fact for fact in self.summary.facts if _is_set(fact)]
        targets = [*sets, None] if by_entity else sets
        for fact in self.rng.sample(targets, len(targets)):
            scope: UnknownScope = "entity" if fact is None else "set"
            labels, classes = (
                (entity.class_labels, (entity.type,)) if fact is None else (fact.class_labels, fact.end_classes)
            )
            candidate = self._draw(list_parts(labels, scope, is_private=self._is_private(*classes)))
            if candidate is not None:
                yield self._yes_no_turn(candidate) if fact is None else self._set_turn(entity, fact, candidate)

    def _presuppositions(self) -> Iterator[PlannedTurn]:
        """Yield questions for relations that the entity has not, in turn with events that did not happen."""
        entity, missing = self.summary.entity, self._missing("presupposition")
        candidates = list_events(entity.class_labels, is_private=self._is_private(entity.type))
        yield from islice(missing, 1)
        while (candidate := self._draw(candidates)) is not None:
            yield self._event_turn(candidate)
            yield from islice(missing, 1)
            candidates = tuple(each for each in candidates if each.part.text != candidate.part.text)
        yield from missing

    def _is_private(self, *class_iris: str) -> bool:
        """Tell whether the graph tells the private life of things of some classes."""
        statistics = [self.run.kg.class_statistics(iri) for iri in class_iris if iri]
        uses = [use for each in statistics if each is not None for use in each.predicates if not use.is_inverse]
        return tells_private_life(self.run.kg.spoken_name(URIRef(use.iri)) for use in uses)

    def _missing(self, kind: UnanswerableKind) -> Iterator[PlannedTurn]:
        entity = self.summary.entity
        missing = [each for each in self.context.missing_facts.get(entity.iri, ()) if each.kind == kind]
        for each in self.rng.sample(missing, len(missing)):
            yield replace(missing_fact_turn(entity, each), link=self.link)

    def _invented_entities(self) -> Iterator[PlannedTurn]:
        """Yield what can be asked about the topic, a person, about one with an invented name."""
        entity = self.summary.entity
        if self.link != "topic" or not denote_persons(entity.class_labels):
            return
        names = [entity.label, *(names_in_class(self.run, entity.type) if entity.type else ())]
        facts = [fact for fact in self.summary.facts if fact.forms[0] not in ("count", "boolean")]
        name = invent_name(self.run.kg, names, self.rng) if facts else ""
        for fact in self.rng.sample(facts, min(MAX_PER_KIND, len(facts))) if name else ():
            yield self._invented_turn(fact, name)

    def _invented_turn(self, fact: Fact, name: str) -> PlannedTurn:
        entity = replace(self.summary.entity, iri=ABSENT_ENTITY, label=name, gender="")
        tags = sorted({"", *self.run.kg.profile.languages})
        values = " ".join(n3(Literal(name, lang=tag or None)) for tag in tags)
        owner, absent = "?entity", str(ABSENT_ENTITY)
        pattern = tuple(
            (owner if s == absent else s, p, owner if o == absent else o)
            for s, p, o in member_pattern(ABSENT_ENTITY, fact)
        )
        body = f"VALUES ?name {{ {values} }} ?entity ?naming ?name . {patterns_to_text(pattern)}"
        candidate = UnknownCandidate(UnknownPart("entity", "fact", name), Certificate(names=(name,)))
        turn = self._turn(fact.forms[0], fact, candidate, f"SELECT DISTINCT ?x WHERE {{ {body} }}", pattern)
        return replace(turn, entity=entity, link="shift")

    def _other_times(self) -> Iterator[PlannedTurn]:
        """Yield questions for a value in a year that the KG does not know: between the dates of the entity, or after
        its only one; of a person after all of them."""
        facts = [fact for fact in self.summary.facts if self._is_undated(fact)]
        moments = [read_moment(end) for hidden in self.summary.hidden for end in hidden.ends]
        years = sorted({moment.year for moment in moments if moment is not None})
        first, last = RECENT_YEARS if not years else (years[0] + 1, years[-1] - 1)
        if len(years) == 1 or (years and denote_persons(self.summary.entity.class_labels)):
            first, last = (years[-1] + distance for distance in LATER_YEARS)
        last = min(last, RECENT_YEARS[1])
        for fact in self.rng.sample(facts, len(facts)) if first <= last else ():
            yield self._past_turn(fact, str(self.rng.randint(first, last)))

    def _past_turn(self, fact: Fact, year: str) -> PlannedTurn:
        iri = self.summary.entity.iri
        near = f"{{ {n3(iri)} ?property ?value }} UNION {{ {n3(iri)} ?step ?node . ?node ?property ?value }}"
        pattern = member_pattern(iri, fact)
        body = f"{patterns_to_text(pattern)} . {near} FILTER(isLiteral(?value) && {_contains('?value', year)})"
        form = "count" if fact.count > 1 else fact.forms[0]
        turn = self._turn(
            form, fact, UnknownCandidate(UnknownPart("time", "fact", year), Certificate()),
            f"SELECT DISTINCT ?x WHERE {{ {body} }}", pattern,
        )  # fmt: skip
        # The value that the KG states must not be asked for as well: the year would be the only difference.
        return replace(turn, question_keys=turn.question_keys | {question_key(self.summary.entity, fact)})

    def _is_undated(self, fact: Fact) -> bool:
        """Tell whether the values of a fact change with time, and no predicate of a similar name states when."""
        step = fact.last_step
        if (
            len(fact.steps) > 1
            or step.direction == "in"
            or not is_changing(plain_label(step.label), self.summary.entity.class_labels)
        ):
            return False
        stems = word_stems(step.label)
        similar = [entry for entry in self.run.kg.vocabulary.predicates.values() if stems & word_stems(entry.label)]
        return fact.forms[0] != "count" and not any(_tells_time(entry.label, entry.datatypes) for entry in similar)

    def _draw(self, candidates: Iterable[UnknownCandidate]) -> UnknownCandidate | None:
        """Return one of the parts that the KG does not know; None if it seems to know all of them."""
        pool, known = list(candidates), self.run.kg.known_words
        words = [word for candidate in pool for word in candidate.certificate.words]
        for candidate in self.rng.sample(pool, min(MAX_TRIED, len(pool))):
            if not any(known.find_violations(candidate.certificate, next_texts=words)):
                return candidate
        return None

    def _set_turn(self, owner: Entity, fact: Fact, candidate: UnknownCandidate) -> PlannedTurn:
        """Ask for the members of a set with the unknown part, or for their number."""
        pattern = (*member_pattern(owner.iri, fact), ("?x", "?property", "?value"))
        body = f"{patterns_to_text(pattern)} FILTER({_contains('?value', candidate.part.text)})"
        form = "count" if self.rng.random() < COUNT_ODDS or fact.forms[0] == "count" else fact.forms[0]
        turn = self._turn(form, fact, candidate, f"SELECT DISTINCT ?x WHERE {{ {body} }}", pattern)
        return replace(turn, entity=owner)

    def _yes_no_turn(self, candidate: UnknownCandidate) -> PlannedTurn:
        pattern = ((str(self.summary.entity.iri), "?property", "?value"),)
        body = f"{patterns_to_text(pattern)} FILTER({_contains('?value', candidate.part.text)})"
        return self._turn("boolean", _OWN_CLASS, candidate, f"ASK {{ {body} }}", pattern)

    def _event_turn(self, candidate: UnknownCandidate) -> PlannedTurn:
        pattern = ((str(self.summary.entity.iri), "?property", "?x"),)
        topic = candidate.certificate.topics[0]
        body = f"{patterns_to_text(pattern)} FILTER({_contains('?property', topic)})"
        form = _QUESTION_FORMS[candidate.part.phrase]
        return self._turn(form, _OWN_CLASS, candidate, f"SELECT DISTINCT ?x WHERE {{ {body} }}", pattern)

    def _turn(
        self, form: str, fact: Fact, candidate: UnknownCandidate, sparql: str, pattern: TextPatterns
    ) -> PlannedTurn:
        part = candidate.part
        by_class = fact.class_labels[0] if fact.class_labels else fact.datatype or "entity"
        is_lookup = part.scope in ("fact", "set") and form != "count"
        return PlannedTurn(
            form,
            self.summary.entity,
            fact,
            sparql,
            False if form == "boolean" else (),
            frozenset({(part.kind, part.text)}),
            self.link,
            pattern,
            answer_type=by_class if is_lookup else _ANSWER_TYPES[form],
            unanswerable=part.kind,
            unknown=part,
            certificate=candidate.certificate,
        )


def list_proven(run: RunContext, listers: Sequence[UnanswerableTurns]) -> list[list[PlannedTurn]]:
    """Return a few turns of each kind from each lister; as a rule one request proves those of several listers.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    states = [lister.rng.getstate() for lister in listers]
    refuted: list[set[str]] = [set() for _ in listers]
    turns = [list(lister.list_unproven(())) for lister in listers]
    open_listers = list(range(len(listers)))
    while open_listers:
        answered = _find_answered(run.kg, [turn for number in open_listers for turn in turns[number]])
        open_listers = [n for n in open_listers if any(turn.sparql in answered for turn in turns[n])]
        for number in open_listers:  # the same turns come again, with others in place of those that have an answer
            refuted[number] |= {turn.sparql for turn in turns[number]} & answered
            listers[number].rng.setstate(states[number])
            turns[number] = list(listers[number].list_unproven(refuted[number]))
    return turns


def _find_answered(kg: KnowledgeGraph, turns: Iterable[PlannedTurn]) -> set[str]:
    """Return the queries of turns that give something; none is asked where the triples or the words of the KG tell."""
    queries = dict.fromkeys(
        turn.sparql
        for turn in turns
        if turn.unknown is not None and not (kg.is_small and turn.certificate is not None and turn.certificate.words)
    )
    answered = set[str]()
    for batch in batches(queries, PROVEN_AT_ONCE):
        parts = [
            f"SELECT ({number} AS ?n) WHERE {query[query.index('{') :]} LIMIT 1" for number, query in enumerate(batch)
        ]
        rows = kg.endpoint.select(f"SELECT ?n WHERE {{ {union_pattern(parts)} }}")
        answered |= {batch[read_count(row["n"])] for row in rows}
    return answered


_OWN_CLASS = Fact(0, (Step(str(RDF.type), "type", "in"),), "entity", count=2, forms=("boolean",))
"""Stands for the fact of a turn that asks about no fact of its entity."""


def _is_set(fact: Fact) -> bool:
    return fact.shape == "entity" and fact.count > 1 and bool(fact.class_labels) and len(fact.steps) == 1


def _tells_time(label: str, datatypes: Iterable[str]) -> bool:
    """Tell whether a predicate has dates, or is called like one that has."""
    return bool(DATE_DATATYPES.intersection(map(URIRef, datatypes))) or bool(
        _TIME_WORDS & set(label.casefold().split())
    )


def _contains(variable: str, text: str) -> str:
    return f"CONTAINS(LCASE(STR({variable})), {n3(Literal(text.casefold()))})"
