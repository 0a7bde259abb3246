"""The rule model's answer to ``generate/words``: each turn of a plan alone, and as it is said in the talk."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from chattyshared.model import Request

from chattygen.rulebook.comparison_questions import compared
from chattygen.rulebook.dialogue_rewriting import retold
from chattygen.rulebook.question_realizer import beginning, choose, question_word_lowered, tidy, wordings
from chattygen.rulebook.referring_expressions import Reference, gives_several, mention, named, pronoun
from chattygen.rulebook.set_questions import follow_ups, picked
from chattygen.rulebook.words import head, mean_person
from chattygen.stages.turn_plan import Ask


def words(request: Request) -> dict[str, Any]:
    """Word every turn of a plan: ``standalone`` names what it is about, ``question`` refers to it where it can."""
    asks: tuple[Ask, ...] = request.variables["turns"]
    begun, turns = set[str](), []
    for place, ask in enumerate(asks):
        chance = Random(f"{request.digest()}/{ask.number}")
        turn = Turn(ask, asks[:place], chance, begun)
        standalone = turn.standalone()
        question = tidy([spelled_out(turn.question(standalone))])[0] if place else standalone
        begun.add(beginning(question))
        turns.append({"turn": ask.number, "standalone": standalone, "question": question})
    return {"turns": turns}


def smooth(options: Iterable[str]) -> list[str]:
    """Return the wordings that say the fewest words twice (*created by Ann were created*), and that have no pronoun
    between a preposition and a verb (*created by her were*)."""
    texts = list(options)
    echoes = [_echoes(text) for text in texts]
    return [text for text, count in zip(texts, echoes, strict=True) if count == min(echoes)]


def _echoes(text: str) -> int:
    stems = [word[:5] for word in re.findall(r"[^\W\d_]{5,}", text.casefold())]
    return len(stems) - len(set(stems)) + bool(re.search(r"\b(?:by|of|to) (?:him|her|them|it) \w", text))


def spelled_out(text: str) -> str:
    """Take a contraction back that stands before a possessive: not *Who's the film's director?*"""
    return re.sub(r"^(And )?(\w+)'s (?=[^?]*(?:'s|s') )", lambda found: f"{found[1] or ''}{found[2]} is ", text)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn to be worded: what it asks, what was asked before it, its chance, and how questions began so far."""

    ask: Ask
    before: tuple[Ask, ...]
    chance: Random
    begun: set[str]

    def standalone(self) -> str:
        """Word it so that it makes sense alone."""
        ask = self.ask
        if ask.condition is None:
            return self._choose(wordings(ask.entity, ask.fact, ask.form))
        if ask.other is not None:
            return self._choose(compared(ask, named(ask.entity)))
        return self._choose(smooth(picked(ask, named(ask.entity))))

    def question(self, standalone: str) -> str:
        """Word it as it is said in the talk."""
        ask = self.ask
        if ask.link == "shift":
            return self._shifted(standalone)
        if ask.link == "among":
            if ask.other is not None:
                return self._choose(compared(ask, named(ask.entity)))
            return self._among(standalone)
        found = mention(ask, self.before, standalone, self.chance)
        if ask.condition is None:
            return self._joined(retold(standalone, ask.entity.label, found))
        if ask.other is not None:
            return self._choose(compared(ask, found))
        return self._choose(self._picked(found))

    def _picked(self, found: Reference) -> list[str]:
        """Word a pick from a set so that no noun is echoed: not *the concerts conducted by the conductor*."""
        options = smooth(picked(self.ask, found))
        stem = head(found.subject)[:5] if found.subject.startswith(("the ", "that ")) else ""
        apart = [text for text in options if not stem or len(re.findall(rf"\b{re.escape(stem)}", text.lower())) < 2]
        unclear = mean_person(self.ask.fact.kinds) and mean_person(self.ask.entity.kinds)
        return apart or (options if unclear else smooth(picked(self.ask, pronoun(self.ask.entity))))

    def _among(self, standalone: str) -> str:
        """Pick from answers given before: ``which of them`` right after them, else the set is named once more."""
        ask, between = self.ask, [one for one in self.before if one.number > self.ask.of]
        if ask.condition is None:
            return standalone
        if not any(gives_several(one) for one in between):
            return self._choose(follow_ups(ask))
        found = mention(ask, self.before, standalone, self.chance)
        named_again = [text for text in self._picked(found) if re.search(r"\b(?:Which|How many) of the \w+ ", text)]
        return self._choose(named_again or follow_ups(ask))

    def _shifted(self, standalone: str) -> str:
        """Ask the same of another entity: shortly where it follows at once, else in full."""
        ask = self.ask
        earlier = next(one for one in self.before if one.number == ask.of)
        name = named(ask.entity).object
        if _asks_same(ask, earlier) and ask.of == ask.number - 1 and not name.startswith('"'):
            return self.chance.choice((f"And what about {name}?", f"What about {name}?", f"And {name}?"))
        return question_word_lowered(standalone)

    def _joined(self, text: str) -> str:
        """Sometimes begin with ``and``, as one does when one goes on about the same thing."""
        return question_word_lowered(text) if self.ask.link == "topic" and self.chance.random() < 0.12 else text

    def _choose(self, options: Any) -> str:
        return choose(tidy(options), self.begun, self.chance)


def _asks_same(ask: Ask, earlier: Ask) -> bool:
    """Tell whether two turns ask the same but for the entity; how many answers there are makes no difference."""
    alike = ask.form == earlier.form or {ask.form, earlier.form} <= {"object", "subject", "list"}
    this, that = ask.fact, earlier.fact
    same = (this.steps, this.offer, ask.condition) == (that.steps, that.offer, earlier.condition)
    return alike and same and ask.other is None and earlier.other is None
