"""The rule model's reply to ``generate/plan_verbalization``: each turn, standalone and in the dialogue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from chattyshared.language.inflection import head_noun
from chattyshared.language.lexicon import word_set
from chattyshared.model import Request

from chattygen.form_registry import form_of
from chattygen.lexicalization.word_forms import are_persons, base_of_verb
from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.referring_expressions import (
    ReferringExpression,
    asks_for_several,
    choose_turn_reference,
    collect_competing_kinds,
    introduce,
    refer_by_name,
    refer_by_pronoun,
)
from chattygen.turns import TurnSpec

SHORT_FORM_ODDS = 0.6
"""Probability that a question about the other one of two things leaves out what it asks; set by hand."""


def realize_plan(request: Request) -> dict[str, Any]:
    """Write every turn of a plan: ``standalone`` names its entity, ``question`` refers to it where it can."""
    plans: tuple[TurnSpec, ...] = request.variables["turns"]
    used_beginnings, used_references, turns = set[str](), list[str](), list[dict[str, Any]]()
    for index, plan in enumerate(plans):
        rng = Random(f"{request.digest()}/{plan.number}")
        # What many things are (a goalkeeper) is said of them, and needs no kind before it.
        is_said_of_things = plan.entity.label[:1].islower() and plan.fact.last_step.direction == "in"
        introduced = plan if index or is_said_of_things else replace(plan, entity=introduce(plan.entity))
        turn = TurnRealizer(introduced, plans[:index], rng, used_beginnings, used_references)
        standalone = turn.realize_standalone()
        question = (
            deduplicate_wordings([expand_contraction(turn.realize_question(standalone))])[0] if index else standalone
        )
        question = _vary_beginning(question, [str(earlier["question"]) for earlier in turns])
        used_beginnings.add(first_two_words(question))
        turns.append({"turn": plan.number, "standalone": standalone, "question": question})
    return {"turns": turns}


def _vary_beginning(question: str, earlier: list[str]) -> str:
    """Return a question that begins with *and* once in a dialogue, and asks *what about* once."""
    beginnings = [text.split()[0] for text in earlier]
    name = re.fullmatch(r"(?:And|What about) (.+)\?", question)
    if not question.startswith(("And ", "What about ")) or question.split()[0] not in beginnings:
        return question
    if name and question.startswith("What about "):
        return question if any(text.startswith("And ") for text in earlier) else f"And {name[1]}?"
    rest = question.removeprefix("And ")
    if re.split(r"[ ']", rest)[0] in QUESTION_WORDS:
        return rest[:1].upper() + rest[1:]
    return f"What about {rest}"


_PRONOUN_AGENT = re.compile(r"\bby (?:him|her|them|it)\?$")


def drop_repetitive(options: Iterable[str]) -> list[str]:
    """Return the wordings that repeat the fewest words (*created by Ann were created*) and have no pronoun between a
    preposition and a verb (*created by her were*)."""
    texts = list(options)
    echoes = [_echoes(text) for text in texts]
    return [text for text, count in zip(texts, echoes, strict=True) if count == min(echoes)]


def _echoes(text: str) -> int:
    stems = [word[:5] for word in re.findall(r"[^\W\d_]{5,}", text.casefold())]
    return len(stems) - len(set(stems)) + bool(re.search(r"\b(?:by|of|to) (?:him|her|them|it) \w", text))


def _count_stems(stem: str, text: str) -> int:
    """Return how many words of a text begin with a stem, in their own or in their base form: *builder*, *built*."""
    words = re.findall(r"\w+", text.lower())
    return sum(word.startswith(stem) or base_of_verb(word)[: len(stem)] == stem for word in words)


def expand_contraction(text: str) -> str:
    """Expand a contraction before a possessive: not *Who's the film's director?*"""
    return re.sub(r"^(And )?(\w+)'s (?=[^?]*(?:'s|s') )", lambda match: f"{match[1] or ''}{match[2]} is ", text)


@dataclass(frozen=True, slots=True)
class TurnRealizer:
    """The realization of one turn: its plan, the turns before it, its random stream, and the beginnings used so far."""

    plan: TurnSpec
    earlier: tuple[TurnSpec, ...]
    rng: Random
    used_beginnings: set[str]
    used_references: list[str] = field(default_factory=list)

    def realize_standalone(self) -> str:
        """Return a wording that is complete without the dialogue."""
        options = form_of(self.plan).word(self.plan, refer_by_name(self.plan.entity))
        may_repeat = self.plan.is_selection or len(self.plan.fact.steps) > 1
        return self._choose(drop_repetitive(options) if may_repeat else options)

    def realize_question(self, standalone: str) -> str:
        """Return the wording within the dialogue."""
        plan = self.plan
        if plan.opens:
            return standalone
        if plan.repeats_question:
            if plan.entity.is_invented:  # something that no earlier turn leads to
                return prefix_with_and(standalone) if self.rng.random() < 0.4 else standalone
            return self._shift_topic(standalone)
        if plan.picks_from_answers:
            return self._choose_among_answers(standalone)
        if plan.position and not are_persons(plan.entity.class_labels):  # nobody is "the other one"
            if _asks_same(plan, self.earlier[-1]) and self.rng.random() < SHORT_FORM_ODDS:
                return "And the other one?"
        reference = self._choose_reference(standalone)
        if plan.condition is None:
            return self._sometimes_prefix_and(self._refer_back(standalone, reference))
        if plan.other_entity is not None:
            return self._choose(form_of(plan).word(plan, reference))
        return self._choose(self._set_wordings(reference))

    def _choose_reference(self, standalone: str) -> ReferringExpression:
        """Return how the turn refers to its entity; a pronoun where the last turn had the same noun."""
        reference = choose_turn_reference(self.plan, self.earlier, standalone, self.rng)
        is_repeated = reference.subject.startswith("the ") and self.used_references[-1:] == [reference.subject]
        has_rival = collect_competing_kinds(self.plan, self.earlier) or asks_for_several(self.earlier[-1])
        if is_repeated and not has_rival:
            reference = refer_by_pronoun(self.plan.entity)
        self.used_references.append(reference.subject)
        return reference

    def _refer_back(self, standalone: str, reference: ReferringExpression) -> str:
        """Return a question with a reference for the name, and not *by them* if another wording can do without."""
        plan = self.plan
        question = replace_name(standalone, plan.entity.label, reference)
        if not _PRONOUN_AGENT.search(question):
            return question
        options = form_of(plan).word(plan, reference)
        return next((text for text in options if not _PRONOUN_AGENT.search(text)), question)

    def _set_wordings(self, reference: ReferringExpression) -> list[str]:
        """Return wordings of a choice from a set that repeat no noun (*the concerts conducted by the conductor*)."""
        word = partial(form_of(self.plan).word, self.plan)
        options = drop_repetitive(word(reference))
        is_noun = reference.subject.startswith(("the ", "that "))
        stem = head_noun(reference.subject)[:5] if is_noun else ""
        without_echo = [text for text in options if not stem or _count_stems(stem, text) < 2]
        is_ambiguous = are_persons(self.plan.fact.class_labels) and are_persons(self.plan.entity.class_labels)
        return without_echo or (options if is_ambiguous else drop_repetitive(word(refer_by_pronoun(self.plan.entity))))

    def _choose_among_answers(self, standalone: str) -> str:
        """Choose from earlier answers: ``which of them`` right after them, else the set is named again."""
        plan, between = self.plan, [turn for turn in self.earlier if turn.number > self.plan.antecedent_turn]
        if plan.condition is None:
            return standalone
        if not any(asks_for_several(turn) for turn in between):
            return self._choose(form_of(plan).word(plan, None))
        reference = self._choose_reference(standalone)
        named_again = [
            text for text in self._set_wordings(reference) if re.search(r"\b(?:Which|How many) of the \w+ ", text)
        ]
        return self._choose(named_again or form_of(plan).word(plan, None))

    def _shift_topic(self, standalone: str) -> str:
        """Ask the same for another entity: in short form right after the first question, else in full."""
        plan = self.plan
        earlier = next(turn for turn in self.earlier if turn.number == plan.antecedent_turn)
        name = refer_by_name(plan.entity).object
        if _asks_same(plan, earlier) and plan.antecedent_turn == plan.number - 1 and not name.startswith('"'):
            return self.rng.choice((f"What about {name}?", f"And {name}?"))
        return prefix_with_and(standalone)

    def _sometimes_prefix_and(self, text: str) -> str:
        """Sometimes begin with ``and``, if the topic stays the same."""
        stays = not (self.plan.position or self.plan.is_about_answer)
        return prefix_with_and(text) if stays and self.rng.random() < 0.12 else text

    def _choose(self, options: Any) -> str:
        return choose_wording(deduplicate_wordings(options), self.used_beginnings, self.rng)


def _asks_same(plan: TurnSpec, earlier: TurnSpec) -> bool:
    """Tell whether two turns differ only in the entity; the number of answers does not matter."""
    this, that = plan.fact, earlier.fact
    has_same_form = plan.kind == earlier.kind or (plan.kind.is_lookup and earlier.kind.is_lookup)
    has_same_fact = this.steps == that.steps and this.offered_value == that.offered_value
    are_comparisons = plan.other_entity is not None or earlier.other_entity is not None
    return has_same_form and has_same_fact and plan.condition == earlier.condition and not are_comparisons


def prefix_with_and(text: str) -> str:
    """Begin a question with ``and``."""
    first = text.split()[0].lower().split("'")[0]
    return f"And {text[:1].lower()}{text[1:]}" if first in QUESTION_WORDS else text


QUESTION_WORDS = word_set("function_words", "question_beginnings", "question_prepositions")


def choose_wording(options: list[str], used_beginnings: set[str], rng: Random) -> str:
    """Choose a wording at random: earlier ones weigh more, and so do beginnings that are not used yet."""
    beginnings = Counter(first_two_words(text) for text in options)
    weights = [
        (0.3 if first_two_words(text) in used_beginnings else 1.0) / (index + 1.5) / beginnings[first_two_words(text)]
        for index, text in enumerate(options)
    ]
    return rng.choices(options, weights=weights)[0]


def deduplicate_wordings(options: Iterable[str]) -> list[str]:
    """Return the wordings without duplicates; a name that ends with a question mark ends the question."""
    texts = (re.sub(r'^([^"]*)"([^"]+\?)"\?$', r"\1\2", re.sub(r"\?+$", "?", text)) for text in options)
    return list(dict.fromkeys(texts))


def first_two_words(question: str) -> str:
    """Return the first two words, the beginning of a question."""
    return " ".join(question.split()[:2]).casefold()
