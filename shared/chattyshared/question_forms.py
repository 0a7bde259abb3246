"""The question forms: what a question asks for, and what a graph must offer for it.

What the generator does with a form stands in its own registry (``chattygen.form_registry``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from chattyshared.dialogue import Difficulty, LinkName

FormFamily = Literal["lookup", "operation", "path", "selection", "comparison"]
"""``lookup``: the ends of one fact; ``operation``: a count or a truth value of one fact; ``path``: the end of two
facts; ``selection``: members of an answer set; ``comparison``: one of two entities."""
AnswerKind = Literal["entity", "text", "date", "number", "boolean", "any"]

ANSWER_LINKS: tuple[LinkName, ...] = ("answer", "among", "position")
"""Links of turns that depend on an earlier answer."""
UNANSWERABLE = "unanswerable"
"""The share of a mix that asks lookups which the graph cannot answer; no form of its own."""
LOOKUP = "lookup"
"""The share of a mix that any lookup form meets; no form of its own."""


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """One form of question.

    Attributes:
        name: the name that benchmarks store.
        family: how the question is built.
        answer_kind: what the answers are; ``any`` where the fact decides.
        difficulty: the least difficulty of a question of this form; its fact or its link can raise it.
        links: the links that planned turns of this form can have; an unanswerable one can also shift.
        needs: what a graph must offer for such a question, as the object of *needs*.
        default_share: its default share of the turns in percent; lookups share theirs.
        introduces_referent: whether a single entity in its answer is new, so that a later pronoun may mean it.
        narrows_set: whether "them" means fewer entities after it than before.
    """

    name: str
    family: FormFamily
    answer_kind: AnswerKind
    difficulty: Difficulty
    links: tuple[LinkName, ...]
    needs: str
    default_share: float = 0.0
    introduces_referent: bool = False
    narrows_set: bool = False

    @property
    def is_lookup(self) -> bool:
        """Whether it asks for the ends of one fact, without any operation."""
        return self.family == "lookup"

    @property
    def selects(self) -> bool:
        """Whether it selects from a set, or can count what a condition selects."""
        return self.family == "selection" or self.narrows_set

    @property
    def picks_several(self) -> bool:
        """Whether it asks for those members of a set that a condition is true of."""
        return self.family == "selection" and self.narrows_set

    @property
    def follows_lookup(self) -> bool:
        """Whether its turns select from a set, or take a second step from an answer."""
        return self.selects or self.family == "path"

    @property
    def asks_attribute(self) -> bool:
        """Whether it asks for a number, a date or a text that is stated of a thing."""
        return self.is_lookup and self.answer_kind != "entity"

    @property
    def asks_measure(self) -> bool:
        """Whether it asks for a number that is stated of a thing."""
        return self.is_lookup and self.answer_kind == "number"

    @property
    def is_count(self) -> bool:
        """Whether it asks how many things there are."""
        return self.family == "operation" and self.answer_kind == "number"

    @property
    def is_yes_no(self) -> bool:
        """Whether it asks for a yes or a no."""
        return self.answer_kind == "boolean"


def _lookup(name: str, answer_kind: AnswerKind, *, introduces_referent: bool = True) -> QuestionForm:
    return QuestionForm(
        name, "lookup", answer_kind, "easy", ("opens", "topic", "answer", "position", "shift"),
        "a predicate that is no code, link or note", introduces_referent=introduces_referent,
    )  # fmt: skip


def _selection(name: str, default_share: float, needs: str) -> QuestionForm:
    return QuestionForm(
        name, "selection", "entity", "hard", ("opens", "topic", "among"), needs,
        default_share=default_share, narrows_set=True,
    )  # fmt: skip


_SET = "a set of 3 to 12 named things around a named thing, where the graph states"

QUESTION_FORMS: tuple[QuestionForm, ...] = (
    _lookup("object", "entity"),
    _lookup("subject", "entity"),
    _lookup("list", "entity", introduces_referent=False),
    _lookup("literal", "text"),
    _lookup("date", "date"),
    _lookup("number", "number"),
    QuestionForm(
        "count", "operation", "number", "medium", ("opens", "topic", "answer", "among"),
        "2 to 12 things, by a predicate of which one value is not the rule", default_share=10.0, narrows_set=True,
    ),
    QuestionForm(
        "boolean", "operation", "boolean", "medium", ("opens", "topic", "answer"),
        "a relation that people confirm, and a false value that something relates to the true one", default_share=10.0,
    ),
    QuestionForm(
        "two-hop", "path", "any", "hard", ("opens", "topic"),
        "a named thing behind a single value, and a fact of it that the topic does not tell", default_share=8.0,
        introduces_referent=True,
    ),
    QuestionForm(
        "superlative", "selection", "entity", "hard", ("opens", "topic", "among"),
        f"{_SET} a number or a date of each, and one has the most or the least", default_share=4.0,
        introduces_referent=True,
    ),
    QuestionForm(
        "comparison", "comparison", "entity", "medium", ("opens", "topic"),
        "another thing of the class, related to the topic, and a number or a date of both", default_share=3.0,
    ),
    _selection("filter", 4.0, f"{_SET} a number or a date of each, and a round bound parts them"),
    _selection("conjunction", 3.0, f"{_SET} a value that some share, but not all"),
    _selection("negation", 3.0, f"{_SET} a single value each, and few lack the most frequent one"),
)  # fmt: skip
"""All forms. Plans consider the forms in this order, so a changed order changes what a seed of chance gives."""

_FORM_BY_NAME = {form.name: form for form in QUESTION_FORMS}
FORM_BY_NAME: Mapping[str, QuestionForm] = MappingProxyType(_FORM_BY_NAME)


def add_form(form: QuestionForm) -> None:
    """Make a form known that is none of ``QUESTION_FORMS``; its share is 0 unless a mix names it.

    Raises:
        ValueError: another form has this name.
    """
    if _FORM_BY_NAME.setdefault(form.name, form) != form:
        raise ValueError(f'another question form is called "{form.name}"')


LOOKUP_FORMS: tuple[str, ...] = tuple(form.name for form in QUESTION_FORMS if form.is_lookup)
COMPARABLE_FORMS: tuple[str, ...] = tuple(
    form.name for form in QUESTION_FORMS if form.is_lookup and form.answer_kind in ("date", "number")
)
"""Lookups whose answers have an order, so that two entities can be compared by them."""
OPERATION_FORMS: tuple[str, ...] = tuple(form.name for form in QUESTION_FORMS if form.family == "operation")
SINGLE_ENTITY_FORMS: tuple[str, ...] = tuple(
    form.name for form in QUESTION_FORMS if form.family in ("operation", "path")
)
"""Forms beyond lookups that need one entity only: no answer set and no other entity."""
FACT_FORMS: tuple[str, ...] = (*LOOKUP_FORMS, *SINGLE_ENTITY_FORMS)
"""Forms that a question about the numbered facts of one entity can have; the reply schemas of prompts list them."""
SET_FORMS: tuple[str, ...] = tuple(form.name for form in QUESTION_FORMS if form.family == "selection")
"""Forms that select members of an answer set."""
NARROWING_FORMS: tuple[str, ...] = tuple(form.name for form in QUESTION_FORMS if form.narrows_set)
"""Forms after which "them" means fewer entities than were listed before."""
NUMERIC_FORMS: tuple[str, ...] = tuple(form.name for form in QUESTION_FORMS if form.answer_kind in ("number", "any"))
"""Forms whose answer can be a number."""


def needs_of(name: str) -> str:
    """Return what a graph must offer for a name of a mix."""
    if name == UNANSWERABLE:
        return "a fact that other things of the class have and the topic lacks, or names of persons"
    return FORM_BY_NAME["object" if name == LOOKUP else name].needs


MIX_SHARES: tuple[tuple[str, float], ...] = (
    (LOOKUP, 50.0),
    *((form.name, form.default_share) for form in QUESTION_FORMS if not form.is_lookup),
    (UNANSWERABLE, 5.0),
)
"""The default shares of the turns, in percent."""
