"""Entities and facts as a prompt shows them: what can be asked about an entity, with the answers hidden."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.terms import Term, Triple
from rdflib import URIRef

Shape = Literal["entity", "text", "date", "number", "boolean"]
Gender = Literal["", "female", "male"]

MAX_COMMENT_CHARACTERS = 90
"""Characters of a predicate's comment that a prompt shows, unless its first sentence alone is longer."""
MAX_SENTENCE_CHARACTERS = 150
"""Characters of the first sentence of a comment that a prompt shows."""
MAX_FEW = 2
"""Things: so many that lead to another are asked as they are, of more those on record."""
TOP_CLASS_LABELS = frozenset({"thing", "entity", "resource"})
"""Labels of classes that contain everything: two entities are not of one kind for sharing one."""
ABSENT_ENTITY = URIRef("urn:absent")
"""Stands for the bearer of an invented name."""
_SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=[^\W\d_a-z])")
_STOP_WORDS = frozenset("a an the of".split())


@dataclass(frozen=True, slots=True)
class Entity:
    """The entity of a question.

    ``noun`` is the label of its class, ``class_labels`` are those of this class and of its superclasses, nearest first.
    ``gender`` is empty unless the KG states it. ``is_past``: the KG states that it is over, or that it took place.
    """

    iri: URIRef
    label: str
    type: str
    noun: str
    class_labels: tuple[str, ...] = ()
    gender: Gender = ""
    is_past: bool = False

    @property
    def is_invented(self) -> bool:
        """Whether only its name was made up, and the KG has no such entity."""
        return self.iri == ABSENT_ENTITY

    def as_prompt_text(self) -> str:
        """Return the entity in one line."""
        classes = " < ".join(self.class_labels) or "no type stated"
        return f"{self.label} ({classes}){f', {self.gender}' if self.gender else ''}"

    def differs_in_gender(self, other: Entity) -> bool:
        """Tell whether two entities have different genders."""
        return bool(self.gender and other.gender) and self.gender != other.gender

    def is_confusable_with(self, other: Entity) -> bool:
        """Tell whether a pronoun for one entity could mean the other: they share a class, and their genders do not
        differ."""
        return not self.differs_in_gender(other) and same_kind(self.class_labels, other.class_labels)


def same_kind(class_labels: Iterable[str], other_class_labels: Iterable[str]) -> bool:
    """Tell whether two class hierarchies share a class below the class of everything."""
    shared = set(map(str.casefold, class_labels)) & set(map(str.casefold, other_class_labels))
    return bool(shared - TOP_CLASS_LABELS)


@dataclass(frozen=True, slots=True)
class Step:
    """One relation walked in one direction: ``out`` from subject to object.

    It is one predicate, or a path over a node that nobody names, which questions word like one predicate. Then ``hops``
    are the predicates of the path, each with its direction, ``predicate`` is the path as SPARQL writes it, and
    ``node_class`` is the class of the node.
    """

    predicate: str
    label: str
    direction: Literal["out", "in"] = "out"
    comment: str = ""
    hops: tuple[tuple[str, str], ...] = ()
    node_class: str = ""

    @property
    def path(self) -> tuple[tuple[str, str], ...]:
        """The predicates that it walks, each with its direction."""
        return self.hops or ((self.predicate, self.direction),)

    def render_comment(self, *class_labels: str) -> str:
        """Return the first sentences of the comment in brackets; nothing if it only repeats the label and the classes.

        A sentence that is too long is cut at a word.
        """
        words = set(re.findall(r"\w+", self.comment.casefold())) - _STOP_WORDS
        if words <= set(re.findall(r"\w+", " ".join((self.label, *class_labels)).casefold())):
            return ""
        first, *others = _SENTENCE_END.split(self.comment)
        text = textwrap.shorten(first, MAX_SENTENCE_CHARACTERS, placeholder=" ...")
        for sentence in others:
            if len(text) + len(sentence) >= MAX_COMMENT_CHARACTERS:
                break
            text += f" {sentence}"
        return f" ({text})"


def chain_patterns(start: str, steps: Sequence[Step], end: str, node: str = "?y") -> Iterator[tuple[str, str, str]]:
    """Yield the triple patterns that lead from a start over some steps to an end; IRIs are bare.

    The nodes in between are ``node``, and the same with a number.
    """
    hops = [hop for step in steps for hop in step.path]
    near = start
    for number, (predicate, direction) in enumerate(hops, 1):
        far = end if number == len(hops) else node if number == 1 else f"{node}{number}"
        yield (near, predicate, far) if direction == "out" else (far, predicate, near)
        near = far


@dataclass(frozen=True, slots=True)
class Fact:
    """What the KG states about an entity by one predicate or two, with its objects hidden.

    A two-hop fact has two ``steps``; ``via_class_labels`` are then the labels of the classes of the entity in between.
    ``class_labels`` are those of the class that all hidden ends share, and of its superclasses; ``end_classes`` are the
    most specific classes of the ends. ``count`` is the number of hidden ends; with ``allows_several`` a thing of this
    class may have more than one, and with ``is_partial`` the KG may hold some of them only. ``forms`` are the question
    forms that the fact can carry, ``offered_value`` is the value of a yes-no question. ``values`` are the texts of the
    ends where a full context shows them.
    """

    number: int
    steps: tuple[Step, ...]
    shape: Shape
    datatype: str = ""
    class_labels: tuple[str, ...] = ()
    count: int = 1
    forms: tuple[str, ...] = ()
    offered_value: str = ""
    via_class_labels: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    end_classes: tuple[str, ...] = ()
    allows_several: bool = False
    is_partial: bool = False

    @property
    def last_step(self) -> Step:
        """The step that leads to the hidden ends."""
        return self.steps[-1]

    @property
    def asks_several(self) -> bool:
        """Whether a question leaves open how many ends there are."""
        return self.allows_several or self.count > 1

    @property
    def can_be_confirmed(self) -> bool:
        """Whether a yes-no question is among its forms."""
        return any(FORM_BY_NAME[form].is_yes_no for form in self.forms)

    def asks_record(self, form: str) -> bool:
        """Whether a question of a form asks for what is on record, as the KG may lack some: a number, or what leads
        here."""
        kind = FORM_BY_NAME[form]
        is_set = kind.is_lookup and self.last_step.direction == "in" and self.count > MAX_FEW
        return self.is_partial and (is_set or kind.is_count)

    def as_prompt_text(self) -> str:
        """Return the fact in one line."""
        path = "THIS"
        for number, step in enumerate(self.steps, 1):
            goal = "; ".join(f'"{value}"' for value in self.values) or "?"
            end = (
                goal
                if number == len(self.steps)
                else f"({self.via_class_labels[0] if self.via_class_labels else 'one thing'})"
            )
            path += f" --{step.label}--> {end}" if step.direction == "out" else f" <--{step.label}-- {end}"
        what = " < ".join(self.class_labels) if self.shape == "entity" else self.datatype or self.shape
        line = f"{self.number}. {path}   [{what or 'entity'}; {self.count} value{'s'[: self.count != 1]}"
        line += f"; {', '.join(self.forms)}]"
        line += " (as recorded)" if self.asks_record(self.forms[0]) else ""
        line += self.last_step.render_comment()
        return f'{line} yes-no value: "{self.offered_value}"' if self.offered_value else line


MissingKind = Literal["presupposition", "relation", "not-stated"]
MISSING_KINDS: tuple[MissingKind, ...] = get_args(MissingKind)


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A fact that other entities of a class have: most of them, and the KG does not state the value (``not-stated``);
    or some of them, and a question presupposes that there is a value (``presupposition``). Or one that only entities of
    a similar class have (``relation``). ``shared`` are the predicates and values that all have who have the fact."""

    fact: Fact
    kind: MissingKind
    shared: frozenset[tuple[URIRef, Term]] = frozenset()


@dataclass(frozen=True, slots=True)
class HiddenEnds:
    """What a fact hides from the prompt: its ends, the triples that lead there, the offered value and its truth.

    ``is_truncated``: the KG states more ends than these. ``langs`` are the language tags that its query keeps.
    """

    ends: tuple[Term, ...]
    triples: tuple[Triple, ...]
    is_truncated: bool = False
    langs: tuple[str, ...] = ()
    offered_term: Term | None = None
    is_offer_true: bool = True

    def triples_to(self, ends: Iterable[Term | None]) -> list[Triple]:
        """Return the triples that lead to some of the ends, those to a node in between included."""
        wanted = set(ends)
        last = [triple for triple in self.triples if wanted & {triple[0], triple[2]}]
        nodes = {term for triple in last for term in (triple[0], triple[2])} - wanted
        others = set(self.ends) - wanted
        return [
            triple
            for triple in self.triples
            if triple in last or (nodes & {triple[0], triple[2]} and not others & {triple[0], triple[2]})
        ]


FactWithEnds = tuple[Fact, HiddenEnds]


@dataclass(frozen=True, slots=True)
class Summary:
    """An entity with its facts and, in the same order, what each of them hides."""

    entity: Entity
    facts: tuple[Fact, ...]
    hidden: tuple[HiddenEnds, ...]

    @classmethod
    def of(cls, entity: Entity, pairs: Iterable[FactWithEnds]) -> Summary:
        """Return the summary of some facts with their ends; the facts are numbered from 1."""
        listed = list(pairs)
        facts = (replace(fact, number=number) for number, (fact, _) in enumerate(listed, 1))
        return cls(entity, tuple(facts), tuple(hidden for _, hidden in listed))

    @property
    def facts_with_ends(self) -> list[FactWithEnds]:
        """The facts with their hidden ends."""
        return list(zip(self.facts, self.hidden, strict=True))

    def fact_by_number(self, number: int) -> FactWithEnds:
        """Return a fact by its number, with what it hides."""
        return next(pair for pair in self.facts_with_ends if pair[0].number == number)


@dataclass(frozen=True, slots=True)
class Bridge:
    """A fact of the seed with one answer that later turns can be about, the form that asks it, and the summary of that
    answer."""

    fact: Fact
    form: str
    hidden: HiddenEnds
    summary: Summary

    def reach(self, far: Fact, far_hidden: HiddenEnds) -> FactWithEnds:
        """Return a fact of the answer as a fact of the seed over two hops."""
        fact = replace(
            far,
            steps=(self.fact.last_step, far.last_step),
            forms=("two-hop",),
            offered_value="",
            via_class_labels=self.fact.class_labels,
        )
        return fact, replace(far_hidden, triples=(*self.hidden.triples, *far_hidden.triples))


def add_two_hop_facts(summary: Summary, bridge: Bridge) -> Summary:
    """Add the two-hop facts through a bridge: those with one end that the KG states about the answer."""
    if bridge.fact.last_step.direction != "out":
        return summary
    added = (
        bridge.reach(far, hidden)
        for far, hidden in bridge.summary.facts_with_ends
        if far.count == 1 and far.shape != "boolean" and far.last_step.direction == "out" and not hidden.langs
    )
    return Summary.of(summary.entity, (*summary.facts_with_ends, *added))


@dataclass(frozen=True, slots=True)
class QuestionRequest:
    """A request for a question: its form, and the number of the fact that it asks (0: any)."""

    form: str
    fact_number: int = 0

    def as_prompt_text(self) -> str:
        """Return the request in one line."""
        return f"- {self.form}, about fact {self.fact_number}" if self.fact_number else f"- {self.form}"
