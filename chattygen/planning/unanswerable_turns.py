"""Turns that the KG cannot answer, each with its proof: a query that gives nothing, and a certificate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from chattyshared.dialogue import Certificate, LinkName, UnanswerableKind
from chattyshared.language.inflection import plain_label
from chattyshared.language.lexicon import word_set
from chattyshared.terms import DATE_DATATYPES, n3
from rdflib import RDF, Literal, URIRef

from chattygen.planning.invented_names import invent_name
from chattygen.planning.missing_facts import word_stems
from chattygen.planning.plan import PlannedTurn
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.sparql_compiler import TextPatterns, member_pattern, patterns_to_text
from chattygen.planning.turn_construction import missing_fact_turn, question_key
from chattygen.planning.unknown_parts import (
    UnknownCandidate,
    is_changing,
    list_classes,
    list_events,
    list_places,
    list_qualifiers,
    sort_of,
)
from chattygen.run import RunContext
from chattygen.stages.turn_plan import UnknownPart, UnknownScope
from chattygen.subgraph.facts import Entity, Fact, Step, Summary

MAX_PER_KIND = 2
"""Turns of each kind about one entity that are offered, so that no kind prevails; set by hand."""
MAX_TRIED = 20
"""Parts that are tried until the KG turns out not to know one; set by hand."""
YEARS = (1920, 1999)
"""First and last year that a question about another time names; set by hand."""
COUNT_ODDS = 0.4
"""Probability that a question about a set asks how many; set by hand."""
ABSENT_ENTITY = URIRef("urn:absent")
"""Stands for the bearer of an invented name."""
_TIME_WORDS = word_set("unanswerable", "time_words")
_QUESTION_FORMS = {"When": "date", "Why": "literal", "Where": "object"}
_ANSWER_TYPES = {"date": "date", "literal": "string", "object": "place", "boolean": "boolean", "count": "integer"}

PartLister = Callable[[tuple[str, ...], UnknownScope], Iterable[UnknownCandidate]]


@dataclass(frozen=True, slots=True)
class UnanswerableTurns:
    """The unanswerable turns about one entity of a context; equal random streams give equal turns."""

    run: RunContext
    context: PlanContext
    summary: Summary
    link: LinkName
    rng: Random

    def list_turns(self) -> Iterator[PlannedTurn]:
        """Yield a few turns of each kind.

        Raises:
            EndpointError: the endpoint does not answer.
        """
        turns_by_kind: dict[UnanswerableKind, Iterator[PlannedTurn]] = {
            "qualifier": self._over_scopes(list_qualifiers, ("entity", "set", "class")),
            "class": self._over_scopes(list_classes, ("set", "class")),
            "presupposition": self._presuppositions(),
            "entity": self._invented_entities(),
            "place": self._over_scopes(list_places, ("entity", "set", "class")),
            "time": self._other_times(),
            "not-stated": self._missing("not-stated"),
        }
        for turns in turns_by_kind.values():
            yield from islice((turn for turn in turns if self._gives_nothing(turn)), MAX_PER_KIND)

    def turns_about_set(self, owner: Entity, fact: Fact) -> Iterator[PlannedTurn]:
        """Yield turns about the members of a set: those with a quality, at a place or of a class that is not known."""
        listers: tuple[PartLister, ...] = (list_qualifiers, list_places)
        if sort_of(fact.class_labels) == "person":
            listers = (*listers, list_classes)
        for list_parts in listers:
            candidate = self._draw(list_parts(fact.class_labels, "set"))
            turn = self._set_turn(owner, fact, candidate) if candidate is not None else None
            if turn is not None and self._gives_nothing(turn):
                yield turn

    def _over_scopes(self, list_parts: PartLister, scopes: tuple[UnknownScope, ...]) -> Iterator[PlannedTurn]:
        """Yield turns with parts that are said of the entity, of its sets, or of all members of its class."""
        entity = self.summary.entity
        sets = [fact for fact in self.summary.facts if _is_set(fact)] if "set" in scopes else []
        targets: list[Fact | UnknownScope] = [*sets, *(scope for scope in scopes if scope != "set")]
        for target in self.rng.sample(targets, len(targets)):
            if isinstance(target, Fact):
                candidate = self._draw(list_parts(target.class_labels, "set"))
                if candidate is not None:
                    yield self._set_turn(entity, target, candidate)
            elif target == "entity" or self._can_ask_of_class():
                candidate = self._draw(list_parts(entity.class_labels, target))
                if candidate is not None:
                    yield self._yes_no_turn(candidate) if target == "entity" else self._class_turn(candidate)

    def _presuppositions(self) -> Iterator[PlannedTurn]:
        """Yield questions about events that did not happen, in turn with relations that the entity has not."""
        entity, missing = self.summary.entity, self._missing("presupposition")
        candidates = list_events(entity.class_labels)
        while (candidate := self._draw(candidates)) is not None:
            yield self._event_turn(candidate)
            yield from islice(missing, 1)
            candidates = tuple(each for each in candidates if each.part.text != candidate.part.text)
        yield from missing

    def _missing(self, kind: UnanswerableKind) -> Iterator[PlannedTurn]:
        entity = self.summary.entity
        missing = [each for each in self.context.missing_facts.get(entity.iri, ()) if each.kind == kind]
        for each in self.rng.sample(missing, len(missing)):
            yield replace(missing_fact_turn(entity, each), link=self.link)

    def _invented_entities(self) -> Iterator[PlannedTurn]:
        """Yield what can be asked about the topic, about an entity with an invented name of its class."""
        if self.link != "topic":
            return
        names = [summary.entity.label for summary in (self.summary, *self.context.siblings)]
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
        """Yield questions for a value, or the number of entities of the class, in a year that the KG does not know."""
        facts = [fact for fact in self.summary.facts if self._is_undated(fact)]
        for fact in self.rng.sample(facts, len(facts)):
            yield self._past_turn(fact)
        if self._can_ask_of_class() and not self._has_dates():
            yield self._class_turn(UnknownCandidate(UnknownPart("time", "class", self._year()), Certificate()))

    def _past_turn(self, fact: Fact) -> PlannedTurn:
        iri, year = self.summary.entity.iri, self._year()
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
        if len(fact.steps) > 1 or step.direction == "in" or not is_changing(plain_label(step.label)):
            return False
        stems = word_stems(step.label)
        similar = [entry for entry in self.run.kg.vocabulary.predicates.values() if stems & word_stems(entry.label)]
        return fact.forms[0] != "count" and not any(_tells_time(entry.label, entry.datatypes) for entry in similar)

    def _has_dates(self) -> bool:
        """Tell whether entities of the class have dates."""
        vocabulary = self.run.kg.vocabulary
        classes = vocabulary.superclasses(self.summary.entity.type) | vocabulary.subclasses(self.summary.entity.type)
        return any(
            classes & set(entry.domains) and _tells_time(entry.label, entry.datatypes)
            for entry in vocabulary.predicates.values()
        )

    def _can_ask_of_class(self) -> bool:
        """Tell whether all members of the class can be asked about: a server may not count a large class in time."""
        return self.link == "topic" and bool(self.summary.entity.type) and self.run.kg.is_small

    def _year(self) -> str:
        return str(self.rng.randint(*YEARS))

    def _draw(self, candidates: Iterable[UnknownCandidate]) -> UnknownCandidate | None:
        """Return one of the parts that the KG does not know; None if it seems to know all of them."""
        pool, known = list(candidates), self.run.kg.known_words
        for candidate in self.rng.sample(pool, min(MAX_TRIED, len(pool))):
            if not any(known.find_violations(candidate.certificate)):
                return candidate
        return None

    def _gives_nothing(self, turn: PlannedTurn) -> bool:
        """Tell whether the query of a turn gives nothing; of a KG whose words are all known, only where they do not
        tell."""
        if self.run.kg.is_small and turn.certificate is not None and turn.certificate.words:
            return True
        if turn.expected is False:
            return not self.run.kg.endpoint.ask(turn.sparql)
        return not self.run.kg.endpoint.select(f"{turn.sparql} LIMIT 1")

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

    def _class_turn(self, candidate: UnknownCandidate) -> PlannedTurn:
        """Ask for the number of all entities of the class with the unknown part, or of an unknown class."""
        part, entity = candidate.part, self.summary.entity
        members = f"{self.run.kg.members_pattern(entity.type)} . ?s ?property ?value"
        is_literal = "isLiteral(?value) && " if part.kind == "time" else ""
        if part.kind == "class":
            members = f"{self.run.kg.profile.type_pattern('?s', '?value')}"
        sparql = f"SELECT DISTINCT ?s WHERE {{ {members} FILTER({is_literal}{_contains('?value', part.text)}) }}"
        fact = replace(_OWN_CLASS, class_labels=entity.class_labels, forms=("count",))
        return replace(self._turn("count", fact, candidate, sparql, ()), link="shift")

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
