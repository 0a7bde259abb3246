"""Questions about one fact: for its objects, its subjects, their number, and whether an offered value is one.

What a clause says is asked by its verb (``clause_questions``), what a noun says by the rows of ``questions.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from chattyshared.language.inflection import (
    class_noun,
    denote_places,
    head_noun,
    is_plural,
    plain_label,
    pluralize,
    singularize,
)
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import noun_kinds

from chattygen.context.facts import Fact
from chattygen.lexicalization.amounts import group_digits, render_amount, render_date
from chattygen.lexicalization.lexicon import (
    AGENT_NOUNS,
    CATEGORY_NOUNS,
    COUNTRY_NOUNS,
    FRACTIONAL_DATATYPES,
    MEASURE_ADJECTIVES,
    NOT_HAD_NOUNS,
    PLACE_NOUNS,
    PREPOSITIONS,
    SHARED_ROLES,
)
from chattygen.lexicalization.predicate_frames import PredicateFrame
from chattygen.lexicalization.rows import texts_of_rows
from chattygen.lexicalization.step_lexicalization import is_above, is_membership_noun
from chattygen.lexicalization.word_forms import (
    are_persons,
    counted_noun_of,
    form_of_be,
    is_participle,
    join_words,
    lemmatize_verb,
    name_in_sentence,
    past_participle,
    third_person,
)
from chattygen.rulebook.clause_questions import (
    QuestionTarget,
    ask_for_object,
    ask_for_subject,
    ask_for_time,
)
from chattygen.rulebook.noun_relations import NounRelation, preposition_before_place
from chattygen.rulebook.referring_expressions import ReferringExpression, is_short

_ENCLOSURES = word_set("places", "enclosures")
_DAYS = ("date", "dateTime")


@dataclass(frozen=True)
class FactQuestion:
    """A question about a fact as the rows see it: its attributes are their conditions and their slots.

    ``kinds`` are the class labels of the topic, nearest first; ``value`` is what a yes-no question offers.
    """

    topic: ReferringExpression
    kinds: tuple[str, ...]
    fact: Fact
    frame: PredicateFrame
    value: str = ""

    def __getitem__(self, name: str) -> Any:
        return _TRAITS[name](self) if name in _TRAITS else getattr(self, name)

    @cached_property
    def target(self) -> QuestionTarget:
        """What it asks for."""
        return _question_target(self.fact, self.frame)

    @property
    def has_clause(self) -> bool:
        """Whether the topic has a relative clause, so that no preposition should be last: *the town where X is*."""
        return len(self.fact.steps) > 1 and bool(re.search(r" (?:who|that|where) ", self.topic.subject))

    @property
    def who(self) -> str:
        """``Who`` for persons and for agents (a supplier, an owner), else ``What``."""
        is_agent = self.target.kinds and " of the " not in self["noun"]
        is_agent = is_agent and (are_persons([self["head"]]) or self["head"] in AGENT_NOUNS)
        return "Who" if self.target.is_person or is_agent else "What"

    @property
    def several(self) -> bool:
        """Whether the question asks for several things."""
        is_own = bool(self.target.kinds) and self["noun"] == class_noun(self.target.kinds[0])  # the branch of a firm
        is_shared = self["noun"] in SHARED_ROLES and (self.fact.asks_several or not is_own)
        return self.target.is_plural or (self["is_entity"] and is_shared)

    @property
    def in_place(self) -> bool:
        """Whether the noun for a place (city, region, room) says in which place the topic is; ``state`` may not."""
        noun, kinds, is_text = self["noun"], self.kinds, self.fact.shape == "text"
        if self.frame.clauses:
            return False
        if self["is_entity"] and not are_persons(kinds) and _encloses(noun):
            return noun in {word for label in self.fact.class_labels for word in (class_noun(label), head_noun(label))}
        if self["head"] not in PLACE_NOUNS | COUNTRY_NOUNS:
            return False
        if denote_places(kinds) and self["head"] in COUNTRY_NOUNS:
            return True
        return " " not in noun and noun not in (("place", "state") if is_text else ("place",))

    # what the topic is

    @property
    def _topic_kinds(self) -> tuple[str, ...]:
        return noun_kinds(head_noun(plain_label(self.kinds[0]))) if self.kinds else ()

    @property
    def happens(self) -> bool:
        """Whether the topic happens once: a repair, but no service, which is a product."""
        kinds = [noun_kinds(head_noun(plain_label(kind)))[:1] for kind in self.kinds]
        return kinds[:1] in ([("act",)], [("event",)]) and ("artifact",) not in kinds

    # numbers

    @property
    def is_amount(self) -> bool:
        """Whether the noun is in the plural, but its numbers are no counts: working hours."""
        may_be_fraction = self.frame.unit or (
            self.fact.datatype in FRACTIONAL_DATATYPES and not self["noun"].startswith("number of ")
        )
        return bool(self["counted"] and may_be_fraction) and not self["event_verb"] and " per " not in self["counted"]

    @property
    def unit(self) -> str:
        """The unit, but not behind a preposition: *the city that X lives in in meters*."""
        is_stranded = self["topic"].split()[-1] in PREPOSITIONS
        return f"in {self.frame.unit}" if self.frame.unit and not is_stranded else ""

    # the offered value

    @property
    def _relation(self) -> NounRelation:
        return NounRelation(self.frame, self.value, self.kinds, self.fact.class_labels)


def _encloses(noun: str) -> bool:
    """Tell whether things are in what a noun denotes: a room, a valley, a section of the coast."""
    heads = (head_noun(noun), noun.rpartition(" of ")[2])
    return noun in _ENCLOSURES or any(noun_kinds(head)[:1] == ("object",) for head in heads)


def realize_object_question(question: FactQuestion) -> Iterator[str]:
    """Ask for the objects of a fact: entities, texts, dates, numbers, one or several."""
    topic, fact, frame = question.topic, question.fact, question.frame
    if fact.shape == "date":
        for clause in frame.clauses:
            is_event = clause.verb == "be" and is_participle(clause.complement.rpartition(" ")[2])
            yield from ask_for_time(replace(clause, tense="past") if is_event else clause, topic, fact.datatype)
        if frame.noun:
            yield from texts_of_rows("questions", "date", question)
    elif fact.shape == "text" and frame.clauses and question["head"] in ("time", "date", "day"):
        yield from ask_for_time(frame.clauses[0], topic, question["head"])
    elif fact.shape == "number" and frame.tells_year:
        for clause in frame.clauses:
            if clause.preposition == "from":
                yield from ask_for_object(clause, QuestionTarget(("year",), False), topic)
            else:
                yield from ask_for_time(clause, topic, "gYear")
    elif fact.shape == "number":
        yield from texts_of_rows("questions", "number", question)
    else:
        yield from _entity_questions(question)


def _entity_questions(question: FactQuestion) -> Iterator[str]:
    topic, frame, target = question.topic, question.frame, question.target
    for clause in frame.clauses:
        if clause.is_inverse:
            yield from ask_for_subject(clause, target, topic)
            continue
        if frame.event_verb:
            target = QuestionTarget((frame.noun,), target.is_plural)
        yield from ask_for_object(clause, target, topic)
    is_asked = frame.event_verb or (frame.clauses and not frame.clauses[0].is_inverse and target.is_place)
    if frame.noun and not is_asked:
        yield from texts_of_rows("questions", "noun", question)


def _question_target(fact: Fact, frame: PredicateFrame) -> QuestionTarget:
    """Return the question target; a text whose noun denotes persons or places is a person or place."""
    kinds = fact.class_labels
    has_agent = any(clause.is_inverse or clause.preposition == "by" for clause in frame.clauses)
    head = head_noun(frame.noun) if frame.noun else ""
    if not kinds and ((are_persons([head]) and " of the " not in frame.noun) or head in PLACE_NOUNS):
        kinds = (head,)
    is_at_place = fact.shape == "text" and any(clause.preposition == "at" for clause in frame.clauses)
    if not kinds and is_at_place and not frame.object_noun:  # built at
        kinds = ("place",)
    if not kinds and (frame.object_noun or frame.noun.lower() == "year"):
        kinds = (frame.object_noun or frame.noun,)
    is_told = are_persons([head, *fact.class_labels]) or head in CATEGORY_NOUNS | NOT_HAD_NOUNS | AGENT_NOUNS.keys()
    has_things = fact.shape == "entity" and not (is_told or fact.last_step.hops or is_membership_noun(frame.noun))
    is_plural = fact.count > 1 or (fact.asks_several and (bool(frame.clauses) or has_things))
    return QuestionTarget(kinds, is_plural, "Who" if has_agent else "What")


def realize_inverse_question(question: FactQuestion) -> Iterator[str]:
    """Ask for the subjects whose object is the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    kinds = question.fact.class_labels or _kinds_of_subjects(question.frame)
    yield from _subject_questions(question, QuestionTarget(kinds, question.fact.asks_several))


def _subject_questions(question: FactQuestion, target: QuestionTarget) -> Iterator[str]:
    topic, frame = question.topic, question.frame
    for clause in frame.clauses or (NounRelation(frame, topic.subject, target.kinds, question.kinds).as_clause(),):
        yield from (ask_for_object if clause.is_inverse else ask_for_subject)(clause, target, topic)


def _kinds_of_subjects(frame: PredicateFrame) -> tuple[str, ...]:
    """Return the kind of subjects whose class is not known: people, if a clause says that they are citizens."""
    roles = (clause.plural_complement for clause in frame.clauses if not clause.is_inverse)
    return ("person",) if are_persons([head_noun(role) for role in roles if role]) else ()


def realize_count_question(question: FactQuestion) -> Iterator[str]:
    """Ask for the number of objects or of subjects."""
    topic, fact, frame = question.topic, question.fact, question.frame
    if fact.last_step.direction == "out":
        yield from _object_counts(question)
        return
    for clause in frame.clauses:
        if clause.verb == "be" and clause.plural_complement and not clause.is_inverse:
            yield f"How many {clause.plural_complement} {question['do']} {topic.subject} have?"
    target = _count_target(fact.class_labels or _kinds_of_subjects(frame) or ("thing",))
    yield from _as_count_questions(_subject_questions(question, target))


def _object_counts(question: FactQuestion) -> Iterator[str]:
    topic, frame, do = question.topic, question.frame, question["do"]
    target = _count_target(question.fact.class_labels or (frame.noun or frame.object_noun or "thing",))
    people = QuestionTarget(("people" if target.is_person else target.noun,), True)
    for clause in frame.clauses:
        if frame.event_verb:
            nouns, is_past = pluralize(frame.noun), clause.tense == "past"
            yield f"How many {nouns} {'did' if is_past else do} {topic.subject} {clause.verb}?"
            if is_past:
                yield f"How many {nouns} {question['have']} {topic.subject} {past_participle(clause.verb)}?"
        elif clause.is_inverse:
            yield from _as_count_questions(ask_for_subject(clause, people, topic))
        elif clause.preposition != "by":
            yield from _as_count_questions(ask_for_object(clause, target, topic, with_fronted_preposition=False))
        elif len(frame.clauses) == 1:  # an adverb leaves only the passive
            passive = join_words(form_of_be(clause.tense, topic.is_plural), topic.subject, clause.complement)
            yield f"By how many {people.kinds[0]} {passive}?"
            yield f"How many {people.kinds[0]} {passive} by?"
    if not frame.event_verb and (frame.noun or not frame.clauses):
        yield f"How many {pluralize(frame.noun) if frame.noun else target.noun} {do} {topic.subject} have?"


def _count_target(kinds: tuple[str, ...]) -> QuestionTarget:
    """Return the target of a count, with a noun that has a plural."""
    return QuestionTarget((counted_noun_of(kinds), *kinds[1:]), True)


def _as_count_questions(questions: Iterator[str]) -> Iterator[str]:
    for question in questions:
        if question.startswith("Which "):
            yield question.replace("Which ", "How many ", 1)
        elif question.startswith("Who "):
            verb, _, rest = question.removeprefix("Who ").partition(" ")
            base = lemmatize_verb(verb)
            if base not in ("be", "do", "have"):  # "who was born in X" has its plural beside it
                yield f"How many people {base if third_person(base) == verb else verb} {rest}"


def realize_yes_no_question(question: FactQuestion) -> Iterator[str]:
    """Ask whether the offered value is an answer of the fact."""
    topic, fact, frame, kinds = question.topic, question.fact, question.frame, question.fact.class_labels
    value = name_in_sentence(fact.offered_value, kinds or (frame.noun or frame.object_noun or "thing",))
    if fact.shape == "date":
        value = render_date(fact.offered_value)
    elif fact.shape == "number" and not frame.tells_year:
        value = render_amount(group_digits(value, "" if frame.counted_noun else frame.noun), frame.unit)
        yield from texts_of_rows("questions", "offered_number", replace(question, value=value))
        return
    elif frame.article and value[:1].islower():
        value = f"{frame.article} {value}"
    is_incoming, clauses = fact.last_step.direction == "in", frame.clauses
    if is_incoming and not clauses:
        clauses = (NounRelation(frame, topic.subject, kinds, question.kinds).as_clause(),)
    prep = "" if fact.shape not in ("date", "number") else "on" if fact.datatype in _DAYS else "in"
    for clause in clauses:
        if (clause.verb, clause.preposition) == ("have", "by"):
            continue
        is_about_topic = clause.is_inverse == is_incoming
        subject, thing = (topic.subject, value) if is_about_topic else (value, topic.subject)
        several = is_about_topic and topic.is_plural
        is_time = prep and clause.preposition != "from"
        tail = join_words(clause.complement, prep, thing) if is_time else clause.tail(thing, several)
        yield clause.as_question(subject, several, tail)
    if frame.noun and not clauses:
        table = "offered_date" if fact.shape == "date" else "offered_noun"
        yield from texts_of_rows("questions", table, replace(question, value=value))


_TRAITS: dict[str, Callable[[FactQuestion], Any]] = {
    "topic": lambda q: q.topic.subject,
    "be": lambda q: form_of_be("present", q.topic.is_plural),
    "do": lambda q: "do" if q.topic.is_plural else "does",
    "have": lambda q: "have" if q.topic.is_plural else "has",
    # The possessive, where the phrase is short enough to take one.
    "own": lambda q: "" if q.topic.is_long else q.topic.possessive,
    "noun": lambda q: q.frame.noun or ("value" if q.fact.shape == "number" else ""),
    "noun_be": lambda q: form_of_be("present", is_plural(q["noun"].partition(" of ")[0])),
    "head": lambda q: head_noun(q["noun"]) if q["noun"] else "",
    "of": lambda q: q.frame.preposition,
    "whos": lambda q: f"{q.who}'s" if is_short(q["topic"]) and q["noun_be"] == "is" else "",
    "whats": lambda q: "What's" if q["whos"] else "",
    "clauses": lambda q: bool(q.frame.clauses),
    "is_entity": lambda q: q.fact.shape == "entity",
    "counts_several": lambda q: q.fact.count > 1,
    "had": lambda q: q["head"] not in NOT_HAD_NOUNS,
    "membership_noun": lambda q: is_membership_noun(q["noun"]),
    "target_place": lambda q: q.target.is_place,
    "own_kind": lambda q: bool(q.target.kinds) and q["noun"].lower() == plain_label(q.target.kinds[0]).lower(),
    "noun_kind": lambda q: next(iter(noun_kinds(q["head"])), ""),
    "sorts_topic": lambda q: is_above(q["noun"].split()[0], q.kinds),
    "asked": lambda q: pluralize(q["noun"]) if q.target.is_plural else q["noun"],
    "place_preposition": lambda q: preposition_before_place(q.kinds, q["noun"]),
    "fronted_place": lambda q: q["place_preposition"].capitalize() if q.has_clause else "",
    "topic_kind": lambda q: next(iter(q._topic_kinds), ""),
    "is_made": lambda q: "act" in q._topic_kinds[1:2] and q["topic_kind"] in ("possession", "communication"),
    "topic_happens": lambda q: any(
        "event" in noun_kinds(kind)[:2] or "time" in noun_kinds(kind)[:1] for kind in q.kinds[:1]
    ),
    "topic_place": lambda q: denote_places(q.kinds),
    "topic_person": lambda q: are_persons(q.kinds),
    "counted": lambda q: q.frame.counted_noun,
    "things": lambda q: singularize(q["counted"]) if q.value == "1" else q["counted"],
    "event_verb": lambda q: q.frame.event_verb,
    "adjective": lambda q: MEASURE_ADJECTIVES.get(q["noun"].lower(), ""),
    "value_is_occupation": lambda q: q._relation["value_is_occupation"],
    "value_is_kind": lambda q: q._relation["value_is_kind"],
    "value_has_noun": lambda q: q._relation["value_has_noun"],
    "membership": lambda q: q._relation["membership"],
    "kind": lambda q: q._relation.kind,
    "asks_person": lambda q: q._relation["asks_person"],
    "value_is_name": lambda q: q.value[:1].isupper() and (q["is_entity"] or not re.search(r"\d", q.value)),
    "on": lambda q: "on" if q.fact.datatype in _DAYS else "in",
}
