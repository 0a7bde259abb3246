"""The rule model's reply to ``generate/plan_verbalization``: each turn, standalone and in the dialogue."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from chattyshared.language.inflection import denote_persons, head_noun
from chattyshared.model import Request
from chattyshared.question_forms import ENTITY_LOOKUP_FORMS

from chattygen.rulebook.comparison_questions import realize_comparison
from chattygen.rulebook.dialogue_rewriting import replace_name
from chattygen.rulebook.question_realizer import (
    choose_wording,
    deduplicate_wordings,
    first_two_words,
    prefix_with_and,
    realize_fact_question,
)
from chattygen.rulebook.referring_expressions import (
    ReferringExpression,
    asks_for_several,
    choose_turn_reference,
    refer_by_name,
    refer_by_pronoun,
)
from chattygen.rulebook.set_questions import realize_set_follow_up, realize_set_question
from chattygen.stages.turn_plan import TurnPlan


def realize_plan(request: Request) -> dict[str, Any]:
    """Word every turn of a plan: ``standalone`` names what it is about, ``question`` refers to it where it can."""
    asks: tuple[TurnPlan, ...] = request.variables["turns"]
    begun, turns = set[str](), []
    for place, ask in enumerate(asks):
        chance = Random(f"{request.digest()}/{ask.number}")
        turn = TurnRealizer(ask, asks[:place], chance, begun)
        standalone = turn.realize_standalone()
        question = (
            deduplicate_wordings([expand_contraction(turn.realize_question(standalone))])[0] if place else standalone
        )
        begun.add(first_two_words(question))
        turns.append({"turn": ask.number, "standalone": standalone, "question": question})
    return {"turns": turns}


def drop_repetitive(options: Iterable[str]) -> list[str]:
    """Return the wordings that say the fewest words twice (*created by Ann were created*), and that have no pronoun
    between a preposition and a verb (*created by her were*)."""
    texts = list(options)
    echoes = [_echoes(text) for text in texts]
    return [text for text, count in zip(texts, echoes, strict=True) if count == min(echoes)]


def _echoes(text: str) -> int:
    stems = [word[:5] for word in re.findall(r"[^\W\d_]{5,}", text.casefold())]
    return len(stems) - len(set(stems)) + bool(re.search(r"\b(?:by|of|to) (?:him|her|them|it) \w", text))


def expand_contraction(text: str) -> str:
    """Take a contraction back that stands before a possessive: not *Who's the film's director?*"""
    return re.sub(r"^(And )?(\w+)'s (?=[^?]*(?:'s|s') )", lambda found: f"{found[1] or ''}{found[2]} is ", text)


@dataclass(frozen=True, slots=True)
class TurnRealizer:
    """One turn to be worded: what it asks, what was asked before it, its chance, and how questions began so far."""

    plan: TurnPlan
    earlier: tuple[TurnPlan, ...]
    rng: Random
    used_beginnings: set[str]

    def realize_standalone(self) -> str:
        """Word it so that it makes sense alone."""
        ask = self.plan
        if ask.condition is None:
            return self._choose(realize_fact_question(ask.entity, ask.fact, ask.form))
        if ask.other_entity is not None:
            return self._choose(realize_comparison(ask, refer_by_name(ask.entity)))
        return self._choose(drop_repetitive(realize_set_question(ask, refer_by_name(ask.entity))))

    def realize_question(self, standalone: str) -> str:
        """Word it as it is said in the talk."""
        ask = self.plan
        if ask.link == "shift":
            return self._shifted(standalone)
        if ask.link == "among":
            if ask.other_entity is not None:
                return self._choose(realize_comparison(ask, refer_by_name(ask.entity)))
            return self._among(standalone)
        found = choose_turn_reference(ask, self.earlier, standalone, self.rng)
        if ask.condition is None:
            return self._joined(replace_name(standalone, ask.entity.label, found))
        if ask.other_entity is not None:
            return self._choose(realize_comparison(ask, found))
        return self._choose(self._picked(found))

    def _picked(self, found: ReferringExpression) -> list[str]:
        """Word a pick from a set so that no noun is echoed: not *the concerts conducted by the conductor*."""
        options = drop_repetitive(realize_set_question(self.plan, found))
        stem = head_noun(found.subject)[:5] if found.subject.startswith(("the ", "that ")) else ""
        apart = [text for text in options if not stem or len(re.findall(rf"\b{re.escape(stem)}", text.lower())) < 2]
        unclear = denote_persons(self.plan.fact.class_labels) and denote_persons(self.plan.entity.class_labels)
        return apart or (
            options if unclear else drop_repetitive(realize_set_question(self.plan, refer_by_pronoun(self.plan.entity)))
        )

    def _among(self, standalone: str) -> str:
        """Pick from answers given before: ``which of them`` right after them, else the set is named once more."""
        ask, between = self.plan, [one for one in self.earlier if one.number > self.plan.antecedent_turn]
        if ask.condition is None:
            return standalone
        if not any(asks_for_several(one) for one in between):
            return self._choose(realize_set_follow_up(ask))
        found = choose_turn_reference(ask, self.earlier, standalone, self.rng)
        named_again = [text for text in self._picked(found) if re.search(r"\b(?:Which|How many) of the \w+ ", text)]
        return self._choose(named_again or realize_set_follow_up(ask))

    def _shifted(self, standalone: str) -> str:
        """Ask the same of another entity: shortly where it follows at once, else in full."""
        ask = self.plan
        earlier = next(one for one in self.earlier if one.number == ask.antecedent_turn)
        name = refer_by_name(ask.entity).object
        if _asks_same(ask, earlier) and ask.antecedent_turn == ask.number - 1 and not name.startswith('"'):
            return self.rng.choice((f"And what about {name}?", f"What about {name}?", f"And {name}?"))
        return prefix_with_and(standalone)

    def _joined(self, text: str) -> str:
        """Sometimes begin with ``and``, as one does when one goes on about the same thing."""
        return prefix_with_and(text) if self.plan.link == "topic" and self.rng.random() < 0.12 else text

    def _choose(self, options: Any) -> str:
        return choose_wording(deduplicate_wordings(options), self.used_beginnings, self.rng)


def _asks_same(ask: TurnPlan, earlier: TurnPlan) -> bool:
    """Tell whether two turns ask the same but for the entity; how many answers there are makes no difference."""
    alike = ask.form == earlier.form or {ask.form, earlier.form} <= set(ENTITY_LOOKUP_FORMS)
    this, that = ask.fact, earlier.fact
    same = (this.steps, this.offered_value, ask.condition) == (that.steps, that.offered_value, earlier.condition)
    return alike and same and ask.other_entity is None and earlier.other_entity is None
