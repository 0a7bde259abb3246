"""What a rewriting looks at, and how it says what was answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from chattyshared.literals import parse_number

from chattykg.referents import Referent
from chattykg.rulebook.ability import ENOUGH, able, asked_stems, fit
from chattykg.rulebook.legacy.closed_words import AUXILIARY
from chattykg.rulebook.previous import description
from chattykg.rulebook.references import fits_noun, last_answers

NAMED_AT_MOST = 12
"""Answers that are said by name; a longer list is said by the words that described it."""
_PLAIN_LABEL = 7
_COMPARED_TURNS = 3
_AMBIGUOUS = re.compile(r"""[?!,;:"]|^\W|['’](?:s\b|(?!\w))""")
"""What in a label may be read as more than a name: marks, a mark at the beginning, the sign of an owner."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a rewriting looks at: the last question as it was understood, and the referents.

    ``told`` are all questions before as they were understood, ``spoken`` the same as they were said.
    """

    previous: str
    asked: str
    referents: tuple[Referent, ...]
    question: str = ""
    told: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()

    @property
    def others(self) -> tuple[Referent, ...]:
        """The referents that the question itself does not name: nobody says "Ann" and then means her by "she"."""
        said = self.question.casefold()
        return tuple(r for r in self.referents if r.label.casefold() not in said) or self.referents

    @property
    def said(self) -> Mapping[str, float]:
        """The stems of what the question asks for."""
        return asked_stems(self.question)

    def said_besides(self, noun: str) -> Mapping[str, float]:
        """The same without the noun that points back: "the city" says nothing of what is asked about it."""
        return asked_stems(self.question, noun)

    @property
    def answers(self) -> tuple[Referent, ...]:
        """The answers of the latest turn that had any."""
        return last_answers(self.referents)

    def listed_last(self, noun: str = "") -> tuple[Referent, ...]:
        """Return the set that "them" or "those films" stand for: the latest list, of the noun's kind if there is one.

        Nothing where what was counted last ("How many films are there?") is meant and no list was said since.
        """
        lists: dict[int, list[Referent]] = {}
        for referent in self.referents:
            if referent.role == "answer" and referent.of > 1:
                lists.setdefault(referent.turn, []).append(referent)
        fitting = [turn for turn, found in lists.items() if noun and fits_noun(found[0], noun)]
        latest = max(fitting or lists, default=0)
        if not latest or not fitting and self.counted_turn() > latest:
            return () if noun else self.compared(())
        found = tuple(sorted(lists[latest], key=lambda referent: referent.place))
        return found if noun else self.compared(found) or found

    def compared(self, answers: tuple[Referent, ...]) -> tuple[Referent, ...]:
        """Return what several turns asked the same of, where that, and not its answers, can have what is asked now.

        "How high is Mont Aran? And Pic Dour? Which one was climbed first?"
        """
        since = last_turn(self) - _COMPARED_TURNS
        topics = tuple({r.iri: r for r in self.referents if r.role == "topic" and r.iri and r.turn > since}.values())
        anew = not answers or answers[0].turn < min((topic.turn for topic in topics), default=0)
        able_to = anew or all(fit(topic, self.said) >= ENOUGH for topic in topics)
        alike = len({topic.types[:1] for topic in topics}) == 1
        held = bool(answers) and (not answers[0].properties or fit(answers[0], self.said) >= ENOUGH)
        return topics if len(topics) > 1 and able_to and alike and not held else ()

    def counted_turn(self) -> int:
        """Return the latest turn that counted a set of its own, not one that was listed before (0: none did)."""
        turns = zip(self.told, self.spoken, strict=True)
        return max((turn for turn, (told, said) in enumerate(turns, 1) if _counts_anew(told, said)), default=0)

    @property
    def many(self) -> tuple[Referent, ...]:
        """What "they" and "their" stand for if it is more than one thing: a list that was said lately."""
        things = [r for r in self.referents if r.role == "answer" and r.iri]
        latest = last_answers(things)
        talked = max((r.turn for r in self.referents if r.role == "topic"), default=0)
        topics = {r.iri: r for r in self.referents if r.role == "topic" and r.turn == talked}
        if not latest or len(latest) < 2:
            return ()
        said = {r.iri for r in latest}
        if latest[0] not in able((latest[0], *(r for r in self.referents if r.role == "topic")), self.said):
            return ()
        return latest if latest[0].turn >= talked or len(topics.keys() & said) > 1 else ()


def named(referent: Referent) -> str:
    """Say a referent by its label, in quotes where the label could be read as more than a name."""
    label = referent.label
    if len(label.split()) > _PLAIN_LABEL or _AMBIGUOUS.search(label):
        return '"' + label.replace('"', "'") + '"'
    return label


def listed(answers: tuple[Referent, ...], joint: str = "and") -> str:
    """Say several referents: "A", "B" and "C"."""
    names = ['"' + answer.label.replace('"', "'") + '"' for answer in answers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}"


def last_turn(scene: Scene) -> int:
    """Return the latest turn that anything is known of."""
    return max((r.turn for r in scene.referents), default=0)


def says_many(scene: Scene) -> bool:
    """Tell whether "they" stands for several things: a list of entities, or of values where there is none."""
    if scene.many:
        return True
    answers = scene.answers
    literal = len(answers) > 1 and not any(r.iri for r in scene.referents if r.role == "answer" or r.role == "topic")
    return literal and answers[0].turn == last_turn(scene)


def say_many(scene: Scene, joint: str = "and") -> str:
    """Say what "they" stands for."""
    if scene.many and scene.many[0].turn < last_turn(scene) and len(scene.many) <= 100:
        return listed(scene.many, joint)
    return say_all(scene, joint)


def say_all(scene: Scene, joint: str = "and", noun: str = "") -> str:
    """Say the whole set that was spoken of: by names where they are few, else as it was described ("" if unknown)."""
    answers = scene.listed_last(noun)
    turn = answers[0].turn if answers else scene.counted_turn() or len(scene.told)
    described = description(scene.told[turn - 1]) if scene.told else description(scene.previous)
    few = answers and len(answers) <= NAMED_AT_MOST and all(answer.iri for answer in answers)
    if described and not few and (answers or scene.counted_turn()):
        return f"the {described}"
    if answers:
        return listed(answers[:100], joint)
    if scene.answers and not _is_number(scene.answers):
        return listed(scene.answers[:100], joint)
    return f"the {described}" if described else ""


def _is_number(answers: tuple[Referent, ...]) -> bool:
    return len(answers) == 1 and not answers[0].iri and parse_number(answers[0].label) is not None


def _counts_anew(told: str, said: str) -> bool:
    """Tell whether a question counts what it describes itself ("How many films ...?", not "How many of them ...?")."""
    words = said.lower().split()
    pairs = {" ".join(pair) for pair in zip(words, words[1:], strict=False)}
    noun = words[words.index("many") + 1 : words.index("many") + 2] if "many" in words else []
    bare = bool(noun) and noun[0].strip("?") in AUXILIARY
    return told.lower().startswith("how many") and not bare and not _OF_A_LIST & pairs


_OF_A_LIST = frozenset(("of them", "of these", "of those"))
