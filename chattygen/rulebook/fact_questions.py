"""Questions about one fact: for its objects, its subjects, their number, and whether an offered value is one.

What a clause says is asked by its verb, what a noun says by the rows of ``questions.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from chattyshared.language.inflection import class_noun, denote_places, head_noun, is_plural, pluralize
from chattyshared.language.wordnet import noun_kinds
from chattyshared.question_forms import FORM_BY_NAME

from chattygen.context.facts import Entity, Fact, Step
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
    WATER_NOUNS,
)
from chattygen.lexicalization.predicate_frames import ClauseFrame, PredicateFrame
from chattygen.lexicalization.rows import texts_of_rows
from chattygen.lexicalization.step_lexicalization import is_above, is_membership_noun, lexicalize_step
from chattygen.lexicalization.word_forms import (
    ENCLOSURES,
    are_persons,
    class_noun_of,
    counted_noun_of,
    form_of_be,
    is_mass_noun,
    is_participle,
    join_words,
    lemmatize_verb,
    name_in_sentence,
)
from chattygen.rulebook.referring_expressions import ReferringExpression, is_short, refer_by_name, refer_by_phrase
from chattygen.rulebook.set_phrases import RELATION_TRAITS, NounRelation, Traits, lexicalize_set

_ECHO = 4
"""Letters of a verb that a word repeats, at least; set by hand."""
_PLACED = frozenset("located based situated housed kept buried born".split())
"""Participles whose place is asked with *where*, also where nothing says that the answer is a place."""
_FRONTED = ("in", "at", "on")
"""Prepositions that a question with a name begins with; others begin one about a relative clause only."""
_STIFF_BEGINNING = re.compile(r"Which people (?:is|are|was|were|does|do|did)\b")
"""English says *who*."""
_CLAUSE = re.compile(r" (?:who|that|where) ")


def realize_fact_question(entity: Entity, fact: Fact, form: str) -> Iterator[str]:
    """Yield the wordings of one question, the most natural first."""
    topic, kinds = topic_of(entity, fact, refer_by_name(entity))
    frame = lexicalize_fact(entity, fact)
    question = FactQuestion(frame, "", kinds, fact.class_labels, topic=topic, fact=fact, is_past=is_past(entity, fact))
    kind = FORM_BY_NAME[form]
    writer = _confirm if kind.is_yes_no else _count if kind.is_count else _ask
    texts = tuple(text for text in writer(question) if not _STIFF_BEGINNING.match(text))
    texts = tuple(_drop_stranded_prepositions(texts)) if question.has_clause else texts
    yield from map(ask_of_record, texts) if fact.asks_record(form) else texts


AS_RECORDED = ", as far as is recorded"
"""The end of a question for what the data says."""


def ask_of_record(question: str) -> str:
    """Return a question as one for what the data says, of which it may lack some."""
    return f"{question.rstrip('?')}{AS_RECORDED}?"


def topic_of(entity: Entity, fact: Fact, owner: ReferringExpression) -> tuple[ReferringExpression, tuple[str, ...]]:
    """Return what the last step of a fact is about, and its class labels: the entity, or what a first step leads to."""
    if len(fact.steps) == 1:
        return owner, entity.class_labels
    end = realize_end(fact.steps[0], owner, entity.class_labels, fact.via_class_labels)
    return refer_by_phrase(end), fact.via_class_labels


def lexicalize_fact(entity: Entity, fact: Fact) -> PredicateFrame:
    """Return the frame of the last step of a fact, in the tense of its entity."""
    kinds = entity.class_labels if len(fact.steps) == 1 else fact.via_class_labels
    frame = lexicalize_step(fact.last_step, fact.shape, kinds, fact.class_labels)
    return frame.in_past() if is_past(entity, fact) else frame


def is_past(entity: Entity, fact: Fact) -> bool:
    """Tell whether a fact of an entity that is over is over too."""
    return entity.is_past and len(fact.steps) == 1


def realize_end(step: Step, owner: ReferringExpression, kinds: tuple[str, ...], via: tuple[str, ...]) -> str:
    """Return a noun phrase for the entity behind a step: ``the director of X``, ``his school``; ``kinds`` are the class
    labels of the owner, ``via`` those of that entity."""
    fact = Fact(0, (step,), "entity", class_labels=via or ("thing",))
    phrase = lexicalize_set(fact, lexicalize_step(step, "entity", kinds, via), owner, kinds)[0]
    return join_words(phrase.possessive or "the", phrase.noun, phrase.modifier)


def _drop_stranded_prepositions(texts: tuple[str, ...]) -> Iterator[str]:
    """Drop wordings that end with a preposition or ``have`` behind a relative clause: *the award he won given by*.

    A verb that the clause ends with is not repeated: *the city where it is located located*.
    """
    texts = tuple(re.sub(r"\b(\w{4,}) \1\b", r"\1", text) for text in texts)
    kept = [text for text in texts if text.rstrip("?").split()[-1] not in PREPOSITIONS | {"have"}]
    yield from kept or texts


@dataclass(frozen=True, slots=True)
class QuestionTarget:
    """What a question asks for: the labels of its class, nearest first; whether there are several; and the question
    word where the class is not known."""

    kinds: tuple[str, ...]
    is_plural: bool
    default_word: str = "What"

    @property
    def is_person(self) -> bool:
        """Whether the question word is ``who``."""
        return are_persons(self.kinds)

    @property
    def is_place(self) -> bool:
        """Whether the question word may be ``where``."""
        return denote_places(self.kinds) and not self.is_person

    @property
    def noun(self) -> str:
        """The class's noun in the right number, or the empty string."""
        noun = class_noun_of(self.kinds[0]) if self.kinds else ""
        return pluralize(noun) if noun and self.is_plural else noun

    def question_words(self, verb: str = "") -> Iterator[str]:
        """Yield the question words, the most natural first; ``which producer`` does not go with *produced*, nor ``who``
        with *have*."""
        role = head_noun(self.noun) if self.kinds else ""
        is_agent = role != "" and verb != "" and (AGENT_NOUNS.get(role, ("",))[0] == verb or _is_doer(role, verb))
        is_general = self.noun in ("person", "human", "people", "humans")
        if is_agent or (self.is_person and (verb != "have" or is_general)):
            yield "Who"
        if self.noun and not is_agent:
            first, _, rest = self.noun.partition(" ")  # which operating company, not with *operates*
            is_echo = rest and verb and first.startswith(verb[: max(_ECHO, len(verb) - 1)])
            if not is_general or self.is_plural:
                yield f"Which {rest if is_echo else self.noun}"
            if not self.is_person:
                yield f"What {rest if is_echo else self.noun}"
        if not self.kinds:
            yield self.default_word


def _is_doer(role: str, verb: str) -> bool:
    """Tell whether a role is the verb with *-er* or *-or*: the *thrower* who threw."""
    return role.removesuffix("er").removesuffix("or") in (verb, verb.removesuffix("e"), f"{verb}{verb[-1]}")


def ask_for_subject(clause: ClauseFrame, target: QuestionTarget, topic: ReferringExpression) -> Iterator[str]:
    """Ask for the subject of a clause: ``Who directed X?``, ``Which towns are located in X?``."""
    are_members = target.is_person and target.is_plural and clause.verb == "be" and clause.plural_complement
    for word in target.question_words(clause.verb):
        if word == "Who" and are_members:
            yield join_words("Who", form_of_be(clause.tense, True), "the", clause.tail(topic.subject, True)) + "?"
            continue
        several = target.is_plural and not is_mass_noun(target.noun) and word not in ("Who", "What")
        yield f"{word} {clause.behind_subject(topic.subject, several)}?"


def ask_for_object(clause: ClauseFrame, target: QuestionTarget, topic: ReferringExpression) -> Iterator[str]:
    """Ask for the object of a clause with the topic as its subject: ``Where is X located?``, ``In which city ...``."""
    complement, preposition = clause.predicate(topic.is_plural), clause.preposition
    is_wide = bool({head_noun(kind) for kind in map(class_noun, target.kinds[:1])} & (COUNTRY_NOUNS | WATER_NOUNS))
    is_spot = not is_wide and (target.is_place or (not target.kinds and complement in _PLACED))
    if is_spot and preposition in (*_FRONTED, "from"):
        tail = join_words(complement, "from" if preposition == "from" else "")
        yield clause.as_question(topic.subject, topic.is_plural, tail, "Where")
        if target.noun in ("location", "place") or (not target.kinds and preposition == "in"):
            return
    if (complement, preposition) == ("located", "in"):
        complement = ""
    verb = clause.verb
    if verb == "be":  # of a passive
        verb = lemmatize_verb(complement.split()[-1]) if preposition == "by" and complement else ""
    for word in target.question_words(verb):
        tail = join_words(complement, preposition, clause.suffix)
        yield clause.as_question(topic.subject, topic.is_plural, tail, word)
        may_front = (preposition in _FRONTED and (clause.verb != "be" or complement)) or _CLAUSE.search(topic.subject)
        if preposition and may_front and word.startswith("Which"):
            fronted = f"{preposition.capitalize()} {word[:1].lower()}{word[1:]}"
            yield clause.as_question(topic.subject, topic.is_plural, complement, fronted)


def ask_for_time(clause: ClauseFrame, topic: ReferringExpression, datatype: str) -> Iterator[str]:
    """Ask for the time of an event: ``When was X born?``; for its year where ``datatype`` is a year."""
    for words in _TIME_WORDS.get(datatype, _TIME_WORDS["date"]):
        yield clause.as_question(topic.subject, topic.is_plural, clause.complement, words)


_TIME_WORDS = {
    "time": ("At what time", "What time"),
    "gYear": ("When", "In what year", "In which year"),
    "gYearMonth": ("When", "In which month of which year"),
    "date": ("When", "On what date"),
}


def _encloses(noun: str) -> bool:
    """Tell whether things are in what a noun denotes: a room, a valley, a section of the coast."""
    heads = (head_noun(noun), noun.rpartition(" of ")[2])
    return noun in ENCLOSURES or any(noun_kinds(head)[:1] == ("object",) for head in heads)


_TRAITS: Traits = {
    **RELATION_TRAITS,
    "noun": lambda q: q.frame.noun or ("value" if q.fact.shape == "number" else ""),
    "topic": lambda q: q.topic.subject,
    "be": lambda q: form_of_be(q.tense, q.topic.is_plural),
    "do": lambda q: "did" if q.is_past else "do" if q.topic.is_plural else "does",
    "does": lambda q: "did" if q.is_past else "does",
    "have": lambda q: "" if q.is_past else "have" if q.topic.is_plural else "has",
    # The possessive, where the phrase is short enough to take one.
    "own": lambda q: "" if q.topic.is_long else q.topic.possessive,
    "noun_be": lambda q: form_of_be(q.tense, is_plural(q["noun"].partition(" of ")[0])),
    "be_one": lambda q: form_of_be(q.tense, False),
    "nouns_be": lambda q: form_of_be(q.tense, True),
    "whos": lambda q: f"{q.who}'s" if is_short(q["topic"]) and q["noun_be"] == "is" else "",
    "whats": lambda q: "What's" if q["whos"] else "",
    "clauses": lambda q: bool(q.frame.clauses),
    "is_entity": lambda q: q.fact.shape == "entity",
    "counts_several": lambda q: q.fact.count > 1,
    "had": lambda q: q["head"] not in NOT_HAD_NOUNS,
    "target_place": lambda q: q.target.is_place,
    "sorts_topic": lambda q: is_above(q["noun"].split()[0], q.members),
    "asked": lambda q: pluralize(q["noun"]) if q.target.is_plural else q["noun"],
    "fronted_place": lambda q: q["place_preposition"].capitalize() if q.has_clause else "",
    "topic_noun": lambda q: class_noun_of(q.members[0]) if q.members else "",
    "topic_place": lambda q: denote_places(q.members),
    "counted": lambda q: q.frame.counted_noun,
    "event_verb": lambda q: q.frame.event_verb,
    "adjective": lambda q: MEASURE_ADJECTIVES.get(q["noun"].lower(), ""),
    "value_is_name": lambda q: q.value[:1].isupper() and (q["is_entity"] or not re.search(r"\d", q.value)),
}


@dataclass(frozen=True, kw_only=True)
class FactQuestion(NounRelation):
    """A question about a fact as the rows see it: its attributes are their conditions and their slots.

    ``members`` are the class labels of the topic, nearest first; ``value`` is what a yes-no question offers. With
    ``is_past`` the topic is no more.
    """

    topic: ReferringExpression
    fact: Fact
    is_past: bool = False
    traits = _TRAITS

    @property
    def tense(self) -> str:
        """The tense of what is said by a noun."""
        return "past" if self.is_past else "present"

    @cached_property
    def target(self) -> QuestionTarget:
        """What it asks for."""
        return _question_target(self.fact, self.frame)

    @property
    def has_clause(self) -> bool:
        """Whether the topic has a relative clause, so that no preposition should be last: *the town where X is*."""
        return len(self.fact.steps) > 1 and _CLAUSE.search(self.topic.subject) is not None

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
        noun, kinds, is_text = self["noun"], self.members, self.fact.shape == "text"
        if self.frame.clauses:
            return False
        if self["is_entity"] and not are_persons(kinds) and _encloses(noun):
            return noun in {word for label in self.values for word in (class_noun(label), head_noun(label))}
        if self["head"] not in PLACE_NOUNS | COUNTRY_NOUNS:
            return False
        if denote_places(kinds) and self["head"] in COUNTRY_NOUNS:
            return True
        return " " not in noun and noun not in (("place", "state") if is_text else ("place",))

    @property
    def is_amount(self) -> bool:
        """Whether the noun is in the plural, but its numbers are no counts: working hours."""
        is_fraction = self.fact.datatype in FRACTIONAL_DATATYPES and not self["noun"].startswith("number of ")
        may_be_amount = self["counted"] and not self["event_verb"] and " per " not in self["counted"]
        return bool(may_be_amount and (self.frame.unit or is_fraction))

    @property
    def unit(self) -> str:
        """The unit, but not behind a preposition: *the city that X lives in in meters*."""
        is_stranded = self["topic"].split()[-1] in PREPOSITIONS
        return f"in {self.frame.unit}" if self.frame.unit and not is_stranded else ""


def _question_target(fact: Fact, frame: PredicateFrame) -> QuestionTarget:
    """Return the question target; a text whose noun denotes persons or places is a person or place."""
    kinds = fact.class_labels
    if fact.last_step.direction == "in":  # people, if a clause says that they are citizens
        roles = (head_noun(c.plural_complement) for c in frame.clauses if c.plural_complement and not c.is_inverse)
        return QuestionTarget(kinds or (("person",) if are_persons(roles) else ()), fact.asks_several)
    if fact.shape == "number" or fact.datatype == "integer":  # nobody, whatever the predicate is called
        return QuestionTarget((), fact.count > 1)
    has_agent = any(
        clause.is_inverse or (clause.preposition == "by" and fact.shape == "entity") for clause in frame.clauses
    )
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


def _ask(question: FactQuestion) -> Iterator[str]:
    """Ask for the ends of a fact: entities, texts, dates, numbers, one or several."""
    topic, fact, frame = question.topic, question.fact, question.frame
    clauses = frame.clauses
    if fact.shape == "date":
        for clause in clauses:
            is_event = clause.verb == "be" and is_participle(clause.complement.rpartition(" ")[2])
            is_over = is_event or question["members_event"]
            yield from ask_for_time(replace(clause, tense="past") if is_over else clause, topic, fact.datatype)
        if frame.noun:
            yield from texts_of_rows("questions", "date", question)
    elif fact.shape == "text" and clauses and question["head"] in ("time", "date", "day"):
        yield from ask_for_time(clauses[0], topic, question["head"])
    elif frame.tells_year and (fact.shape == "number" or (fact.shape == "text" and frame.noun)):
        for clause in clauses:
            if clause.preposition == "from":
                yield from ask_for_object(clause, QuestionTarget(("year",), False), topic)
            else:
                yield from ask_for_time(clause, topic, "gYear")
    elif fact.shape == "number":
        yield from texts_of_rows("questions", "number", question)
    else:
        yield from _ask_by_clauses(question, question.target)
        is_where = clauses and not clauses[0].is_inverse and question.target.is_place
        if fact.last_step.direction == "out" and frame.noun and not (frame.event_verb or is_where):
            yield from texts_of_rows("questions", "noun", question)


def _ask_by_clauses(question: FactQuestion, target: QuestionTarget) -> Iterator[str]:
    is_incoming = question.fact.last_step.direction == "in"
    if question.frame.event_verb and not is_incoming:
        target = replace(target, kinds=(question.frame.noun,))
    clauses = _clauses_of(question, target.kinds)
    is_active = not is_incoming and any(clause.is_inverse for clause in clauses)
    for clause in clauses:
        if is_active and clause.preposition == "by":  # who directed it, not who it was directed by
            continue
        asks_subject = clause.is_inverse != is_incoming
        yield from (ask_for_subject if asks_subject else ask_for_object)(clause, target, question.topic)


def _clauses_of(question: FactQuestion, kinds: tuple[str, ...]) -> tuple[ClauseFrame, ...]:
    """Return the clauses of a fact; of one that leads here by a noun, what members of some kinds are by that noun."""
    if question.frame.clauses or question.fact.last_step.direction == "out":
        return question.frame.clauses
    clause = NounRelation(question.frame, question.topic.subject, kinds, question.members).as_clause()
    return (clause.in_past() if question.is_past else clause,)


def _count(question: FactQuestion) -> Iterator[str]:
    """Ask for the number of objects or of subjects."""
    fact, frame = question.fact, question.frame
    is_incoming = fact.last_step.direction == "in"
    noun = counted_noun_of(question.target.kinds or (frame.noun or "thing",))  # with a plural
    target = QuestionTarget((noun, *question.target.kinds[1:]), True)
    nouns = [clause.plural_complement for clause in frame.clauses if is_incoming and not clause.is_inverse]
    if not is_incoming and not frame.event_verb and (frame.noun or not frame.clauses):
        nouns.append(pluralize(frame.noun) if frame.noun else target.noun)
    by_clauses = (text for text in _ask_by_clauses(question, target) if text.startswith("Which "))
    texts = [f"How many {text.removeprefix('Which ')}" for text in by_clauses]
    had = [f"How many {noun} {question['do']} {question['topic']} have?" for noun in nouns if noun]
    yield from (*had, *texts) if is_incoming else (*texts, *had)


def _confirm(question: FactQuestion) -> Iterator[str]:
    """Ask whether the offered value is an answer of the fact."""
    topic, fact, frame, is_incoming = question.topic, question.fact, question.frame, False
    value = name_in_sentence(fact.offered_value, fact.class_labels or (frame.noun or frame.object_noun or "thing",))
    value = "" if fact.shape == "boolean" else frame.with_article(value)
    is_incoming = fact.last_step.direction == "in"
    for clause in _clauses_of(question, fact.class_labels):
        is_about_topic = clause.is_inverse == is_incoming
        subject, thing = (topic.subject, value) if is_about_topic else (value, topic.subject)
        several = is_about_topic and topic.is_plural
        yield clause.as_question(subject, several, clause.tail(thing, several))
    if not (frame.clauses or is_incoming):
        yield from texts_of_rows("questions", "offered_noun", replace(question, value=value))
