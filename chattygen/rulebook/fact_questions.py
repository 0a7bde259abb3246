"""Questions about one fact: for its objects, its subjects, their number, and whether an offered value is one.

What a clause says is asked by its verb (``clause_questions``), what a noun says by the rows of ``questions.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from chattyshared.language.inflection import (
    add_indefinite_article,
    class_noun,
    denote_persons,
    denote_places,
    head_noun,
    is_plural,
    plain_label,
    pluralize,
    singularize,
)
from chattyshared.language.lexicon import word_set
from chattyshared.language.wordnet import noun_kinds

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
    counted_noun_of,
    form_of_be,
    is_participle,
    join_words,
    lemmatize_verb,
    name_in_sentence,
    past_participle,
    possessive_form,
    third_person,
)
from chattygen.rulebook.clause_questions import (
    QuestionTarget,
    ask_for_object,
    ask_for_subject,
    ask_for_time,
    ask_whether,
)
from chattygen.rulebook.noun_relations import NounRelation, preposition_before_place
from chattygen.rulebook.referring_expressions import is_short
from chattygen.subgraph.facts import Fact

_ENCLOSURES = word_set("places", "enclosures")
_DAYS = ("date", "dateTime")


@dataclass(frozen=True, slots=True)
class TopicPhrase:
    """The noun phrase that a question is about.

    Attributes:
        text: The phrase.
        kinds: The labels of its class, nearest first.
        is_name: Whether it is a bare name.
        is_plural: Whether it takes a verb in the plural.
    """

    text: str
    kinds: tuple[str, ...]
    is_name: bool = True
    is_plural: bool = False

    @property
    def has_clause(self) -> bool:
        """Whether it has a relative clause, so that no preposition should end the question: *the town where X is*."""
        return not self.is_name and bool(re.search(r" (?:who|that|where) ", self.text))


@dataclass(frozen=True)
class FactQuestion:
    """A question about a fact as the rows see it: its attributes are their conditions and their slots."""

    phrase: TopicPhrase
    fact: Fact
    frame: PredicateFrame
    target: QuestionTarget
    value: str = ""

    def __getitem__(self, name: str) -> Any:
        return _TRAITS[name](self) if name in _TRAITS else getattr(self, name)

    @property
    def who(self) -> str:
        """``Who`` for persons and for agents (a supplier, an owner), else ``What``."""
        is_agent = self.target.kinds and " of the " not in self["noun"]
        is_agent = is_agent and (denote_persons([self["head"]]) or self["head"] in AGENT_NOUNS)
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
        noun, kinds, is_text = self["noun"], self.phrase.kinds, self.fact.shape == "text"
        if self.frame.clauses:
            return False
        if self["is_entity"] and not denote_persons(kinds) and _encloses(noun):
            return noun in {word for label in self.fact.class_labels for word in (class_noun(label), head_noun(label))}
        if self["head"] not in PLACE_NOUNS | COUNTRY_NOUNS:
            return False
        if denote_places(kinds) and self["head"] in COUNTRY_NOUNS:
            return True
        return " " not in noun and noun not in (("place", "state") if is_text else ("place",))

    # what the topic is

    @property
    def _topic_kinds(self) -> tuple[str, ...]:
        return noun_kinds(head_noun(plain_label(self.phrase.kinds[0]))) if self.phrase.kinds else ()

    @property
    def happens(self) -> bool:
        """Whether the topic happens once: a repair, but no service, which is a product."""
        kinds = [noun_kinds(head_noun(plain_label(kind)))[:1] for kind in self.phrase.kinds]
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

    @property
    def part_adjective(self) -> str:
        """The adjective for the measure of a part: how *long* is its hull, for a length of hull."""
        measure, _, part = self["noun"].partition(" of ")
        return MEASURE_ADJECTIVES.get(measure.lower(), "") if part else ""

    # the offered value

    @property
    def _relation(self) -> NounRelation:
        return NounRelation(self.frame, self.value, self.phrase.kinds, self.fact.class_labels)


def _encloses(noun: str) -> bool:
    """Tell whether things are in what a noun denotes: a room, a valley, a section of the coast."""
    heads = (head_noun(noun), noun.rpartition(" of ")[2])
    return noun in _ENCLOSURES or any(noun_kinds(head)[:1] == ("object",) for head in heads)


def realize_object_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the objects of a fact: entities, texts, dates, numbers, one or several."""
    question = FactQuestion(topic, fact, frame, _question_target(fact, frame))
    if fact.shape == "date":
        for clause in frame.clauses:
            is_event = clause.verb == "be" and is_participle(clause.complement.rpartition(" ")[2])
            clause = replace(clause, tense="past") if is_event else clause
            yield from ask_for_time(clause, topic.text, fact.datatype, has_plural_subject=topic.is_plural)
        if frame.noun:
            yield from texts_of_rows("questions", "date", question)
    elif fact.shape == "text" and frame.clauses and question["head"] in ("time", "date", "day"):
        yield from ask_for_time(frame.clauses[0], topic.text, question["head"], has_plural_subject=topic.is_plural)
    elif fact.shape == "number" and frame.tells_year:
        for clause in frame.clauses:
            if clause.preposition == "from":
                year = QuestionTarget(("year",), False)
                yield from ask_for_object(clause, year, topic.text, has_plural_subject=topic.is_plural)
            else:
                yield from ask_for_time(clause, topic.text, "gYear", has_plural_subject=topic.is_plural)
    elif fact.shape == "number":
        yield from texts_of_rows("questions", "number", question)
    else:
        yield from _entity_questions(question)


def _entity_questions(question: FactQuestion) -> Iterator[str]:
    topic, frame, target = question.phrase, question.frame, question.target
    for clause in frame.clauses:
        if clause.is_inverse:
            yield from ask_for_subject(clause, target, topic.text)
            continue
        if frame.event_verb:
            target = QuestionTarget((frame.noun,), target.is_plural)
        yield from ask_for_object(clause, target, topic.text, has_plural_subject=topic.is_plural)
    is_asked = frame.event_verb or (frame.clauses and not frame.clauses[0].is_inverse and target.is_place)
    if frame.noun and not is_asked:
        yield from texts_of_rows("questions", "noun", question)


def _question_target(fact: Fact, frame: PredicateFrame) -> QuestionTarget:
    """Return the question target; a text whose noun denotes persons or places is a person or place."""
    kinds = fact.class_labels
    has_agent = any(clause.is_inverse or clause.preposition == "by" for clause in frame.clauses)
    head = head_noun(frame.noun) if frame.noun else ""
    if not kinds and ((denote_persons([head]) and " of the " not in frame.noun) or head in PLACE_NOUNS):
        kinds = (head,)
    is_at_place = fact.shape == "text" and any(clause.preposition == "at" for clause in frame.clauses)
    if not kinds and is_at_place and not frame.object_noun:  # built at
        kinds = ("place",)
    if not kinds and (frame.object_noun or frame.noun.lower() == "year"):
        kinds = (frame.object_noun or frame.noun,)
    is_told = denote_persons([head, *fact.class_labels]) or head in CATEGORY_NOUNS | NOT_HAD_NOUNS | AGENT_NOUNS.keys()
    has_things = fact.shape == "entity" and not (is_told or fact.last_step.hops or is_membership_noun(frame.noun))
    is_plural = fact.count > 1 or (fact.asks_several and (bool(frame.clauses) or has_things))
    return QuestionTarget(kinds, is_plural, "Who" if has_agent else "What")


def realize_inverse_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the subjects whose object is the topic: ``Which films did X direct?``, ``Who reports to X?``."""
    target = QuestionTarget(fact.class_labels or _kinds_of_subjects(frame), fact.asks_several)
    yield from _subject_questions(topic, target, frame)


def _subject_questions(topic: TopicPhrase, target: QuestionTarget, frame: PredicateFrame) -> Iterator[str]:
    for clause in frame.clauses or (NounRelation(frame, topic.text, target.kinds, topic.kinds).as_clause(),):
        if clause.is_inverse:
            yield from ask_for_object(clause, target, topic.text, has_plural_subject=topic.is_plural)
        else:
            yield from ask_for_subject(clause, target, topic.text)


def _kinds_of_subjects(frame: PredicateFrame) -> tuple[str, ...]:
    """Return the kind of subjects whose class is not known: people, if a clause says that they are citizens."""
    roles = (clause.plural_complement for clause in frame.clauses if not clause.is_inverse)
    return ("person",) if denote_persons([head_noun(role) for role in roles if role]) else ()


def realize_count_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask for the number of objects or of subjects."""
    if fact.last_step.direction == "out":
        yield from _object_counts(topic, fact, frame)
        return
    target = _count_target(fact.class_labels or _kinds_of_subjects(frame) or ("thing",))
    for clause in frame.clauses:
        if clause.verb == "be" and clause.plural_complement and not clause.is_inverse:
            yield f"How many {clause.plural_complement} {'do' if topic.is_plural else 'does'} {topic.text} have?"
    yield from _as_count_questions(_subject_questions(topic, target, frame))


def _object_counts(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    target = _count_target(fact.class_labels or (frame.noun or frame.object_noun or "thing",))
    people = QuestionTarget(("people" if target.is_person else target.noun,), True)
    has = "have" if topic.is_plural else "has"
    do = "do" if topic.is_plural else "does"
    for clause in frame.clauses:
        if frame.event_verb:
            nouns, is_past = pluralize(frame.noun), clause.tense == "past"
            yield f"How many {nouns} {'did' if is_past else do} {topic.text} {clause.verb}?"
            if is_past:
                yield f"How many {nouns} {has} {topic.text} {past_participle(clause.verb)}?"
        elif clause.is_inverse:
            yield from _as_count_questions(ask_for_subject(clause, people, topic.text))
        elif clause.preposition != "by":
            asked = ask_for_object(
                clause, target, topic.text, has_plural_subject=topic.is_plural, with_fronted_preposition=False
            )
            yield from _as_count_questions(asked)
        elif len(frame.clauses) == 1:  # an adverb leaves only the passive
            passive = join_words(form_of_be(clause.tense, topic.is_plural), topic.text, clause.complement)
            yield f"By how many {people.kinds[0]} {passive}?"
            yield f"How many {people.kinds[0]} {passive} by?"
    if not frame.event_verb and (frame.noun or not frame.clauses):
        yield f"How many {pluralize(frame.noun) if frame.noun else target.noun} {do} {topic.text} have?"


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


def realize_yes_no_question(topic: TopicPhrase, fact: Fact, frame: PredicateFrame) -> Iterator[str]:
    """Ask whether the offered value is an answer of the fact."""
    kinds = fact.class_labels
    value = name_in_sentence(fact.offered_value, kinds or (frame.noun or frame.object_noun or "thing",))
    if fact.shape == "date":
        value = render_date(fact.offered_value)
    elif fact.shape == "number" and not frame.tells_year:
        value = render_amount(group_digits(value, "" if frame.counted_noun else frame.noun), frame.unit)
        yield from texts_of_rows("questions", "offered_number", FactQuestion(topic, fact, frame, _NO_TARGET, value))
        return
    elif frame.article and value[:1].islower():
        value = f"{frame.article} {value}"
    is_incoming = fact.last_step.direction == "in"
    clauses = frame.clauses
    if is_incoming and not clauses:
        clauses = (NounRelation(frame, topic.text, kinds, topic.kinds).as_clause(),)
    prep = None if fact.shape not in ("date", "number") else "on" if fact.datatype in _DAYS else "in"
    for clause in clauses:
        if (clause.verb, clause.preposition) == ("have", "by"):
            continue
        preposition = None if clause.preposition == "from" else prep
        if clause.is_inverse == is_incoming:
            yield ask_whether(clause, topic.text, value, prep=preposition, has_plural_subject=topic.is_plural)
        else:
            yield ask_whether(clause, value, topic.text, prep=preposition)
    if frame.noun and not clauses:
        table = "offered_date" if fact.shape == "date" else "offered_noun"
        yield from texts_of_rows("questions", table, FactQuestion(topic, fact, frame, _NO_TARGET, value))


_NO_TARGET = QuestionTarget((), False)


_TRAITS: dict[str, Callable[[FactQuestion], Any]] = {
    "topic": lambda q: q.phrase.text,
    "be": lambda q: form_of_be("present", q.phrase.is_plural),
    "do": lambda q: "do" if q.phrase.is_plural else "does",
    "have": lambda q: "have" if q.phrase.is_plural else "has",
    # The possessive, where the phrase is short enough to take one.
    "own": lambda q: possessive_form(q["topic"]) if q.phrase.is_name and is_short(q["topic"]) else "",
    "noun": lambda q: q.frame.noun or ("value" if q.fact.shape == "number" else ""),
    "nouns": lambda q: pluralize(q["noun"]),
    "a_noun": lambda q: add_indefinite_article(q["noun"]),
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
    "sorts_topic": lambda q: is_above(q["noun"].split()[0], q.phrase.kinds),
    "asked": lambda q: q["nouns"] if q.target.is_plural else q["noun"],
    "place_preposition": lambda q: preposition_before_place(q.phrase.kinds, q["noun"]),
    "fronted_place": lambda q: q["place_preposition"].capitalize() if q.phrase.has_clause else "",
    "topic_kind": lambda q: next(iter(q._topic_kinds), ""),
    "is_made": lambda q: "act" in q._topic_kinds[1:2] and q["topic_kind"] in ("possession", "communication"),
    "topic_happens": lambda q: any(
        "event" in noun_kinds(kind)[:2] or "time" in noun_kinds(kind)[:1] for kind in q.phrase.kinds[:1]
    ),
    "topic_place": lambda q: denote_places(q.phrase.kinds),
    "topic_person": lambda q: denote_persons(q.phrase.kinds),
    "counted": lambda q: q.frame.counted_noun,
    "things": lambda q: singularize(q["counted"]) if q.value == "1" else q["counted"],
    "event_verb": lambda q: q.frame.event_verb,
    "event_participle": lambda q: past_participle(q["event_verb"]),
    "adjective": lambda q: MEASURE_ADJECTIVES.get(q["noun"].lower(), ""),
    "value_is_occupation": lambda q: q._relation["value_is_occupation"],
    "value_is_kind": lambda q: q._relation["value_is_kind"],
    "value_has_noun": lambda q: q._relation["value_has_noun"],
    "membership": lambda q: q._relation["membership"],
    "a_value": lambda q: q._relation["a_value"],
    "asks_person": lambda q: q._relation["asks_person"],
    "value_is_name": lambda q: q.value[:1].isupper() and (q["is_entity"] or not re.search(r"\d", q.value)),
    "on": lambda q: "on" if q.fact.datatype in _DAYS else "in",
}
