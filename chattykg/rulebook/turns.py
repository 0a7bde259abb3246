"""Questions of more than one sentence in a conversation, and what was spoken of lately."""

from __future__ import annotations

import re

from chattykg.linking.tokens import tokenise
from chattykg.rulebook.legacy.closed_words import AUXILIARY, BE, COMMAND, PREPOSITION, WH
from chattykg.rulebook.previous import is_plural
from chattykg.rulebook.scene import Scene, last_turn, listed

_SHIFT = re.compile(
    r"(?i)^\s*(?:and\s+|so\s+)?(?:what|how)\s+about\s+(?P<name>[^?!.,]+?)\s*"
    r"(?:[?!.]|,\s*(?=(?:and\s+)?(?:who|whose|what|which|where|when|how|is|are|was|were|do|does|did|has|have|can)\b))"
    r"\s*(?P<rest>\S.*\S)\s*$"
)
_CHOSEN = re.compile(
    r"(?i)^(?:which|who)(?:\s+ones?|\s+of\s+(?:them|those|these))?\s+(?P<rest>(?:are|were|have|had|do|did|can)\s.+)$"
)
_ASKED_AFTER = re.compile(r"(?i)^(?P<there>(is|are|was|were)\s+there)\s+(any\s+)?(?P<rest>[^?]+?)\s*\?\s*(and\s+)?"
                          r"(if so,?\s+)?(which|who|what)(\s+(one|ones))?\s*\?*\s*$")  # fmt: skip
_MEANT = re.compile(
    r"(?i)^\s*(?:(?:no|nope|sorry|oops|wait|actually|rather|my\s+mistake)\s*[,.:;!-]+\s*)*"
    r"(?:(?:(?:sorry|no|actually|but)\s+)*i\s+(?:really\s+|actually\s+)?(?:meant|mean|was\s+asking\s+about|was\s+thinking\s+of)\s+"
    r"(?:to\s+(?:say|ask)\s+)?)?(?P<meant>.+)$"
)
_NOT_THAT = re.compile(r"(?i)^not\s+[^,]+?(?:,|\s+but)\s+(?=\S)")
_NOT_BEHIND = re.compile(r"(?i),?\s+(?:and\s+)?not\s+[^,?]+$")
_INSTEAD = re.compile(r"(?i),?\s+(?:instead|please)\s*$")
_PERSONAL = frozenset("he she it they him them".split())
_POSSESSIVE = frozenset("his her its their".split())
_MORE = re.compile(r"(?i)\b(others?|else|another)\b")
_MOST = 12
_TURNS = 3


def meant(question: str) -> str:
    """Return what a correction asks for ("What about X?" for "No, I meant X"; any other question as it stands)."""
    found = _MEANT.match(question)
    if found is None or not found.start("meant") and not _NOT_THAT.match(question):
        return question
    said = _NOT_THAT.sub("", found["meant"].strip().rstrip("?!. "))
    said = _INSTEAD.sub("", _NOT_BEHIND.sub("", said)).strip()
    tokens = tokenise(said)
    if not tokens:
        return question
    whole = tokens[0].lower in WH | AUXILIARY | COMMAND
    return f"{said[0].upper()}{said[1:]}?" if whole else f"What about {said}?"


def one_sentence(question: str) -> str:
    """Return "How many has X won?" for "What about X? How many has she won?", "Which ... are there?" for "Are there
    ...? Which?", "What about X?" for "No, I meant X"; any other question as it stands."""
    question = meant(question)
    asked = _ASKED_AFTER.match(question.strip())
    if asked:
        return f"Which {asked['rest']} {' '.join(asked['there'].lower().split())}?"
    shift = _SHIFT.match(question)
    if shift and not any(token.capital for token in tokenise(shift["name"])):
        chosen = _CHOSEN.match(shift["rest"])
        return (
            f"Which of {shift['name']} {chosen['rest']}" if chosen and is_plural(tokenise(shift["name"])) else question
        )
    if not shift:
        return question
    return _with_name(shift["name"], shift["rest"]) or question


def _with_name(name: str, rest: str) -> str:
    """Return a question with a name in the place of its pronouns ("" where it has none)."""
    done, said = 0, ""
    tokens = tokenise(rest)
    for place, token in enumerate(tokens):
        following = tokens[place + 1 : place + 2]
        before = tokens[place - 1].lower if place else ""
        owns = token.lower in _POSSESSIVE and following and following[0].kind == "word" and following[0].lower not in BE
        alone = not following or following[0].kind == "mark"
        if token.lower == "there" and alone:
            text = name if before in PREPOSITION else f"there in {name}" if before in BE else f"in {name}"
        elif token.lower in _PERSONAL | _POSSESSIVE or token.lower in ("that", "this") and alone:
            text = f"{name}'s" if owns else name
        else:
            continue
        said += rest[done : token.start] + text
        done = token.end
    return said + rest[done:] if done else ""


def besides(question: str, scene: Scene) -> str:
    """Name what "other" and "else" leave out: the entities that were asked about or answered lately."""
    if not _MORE.search(question) or re.search(r"(?i)\b(other than|except|besides)\b", question):
        return question
    since = last_turn(scene) - _TURNS
    said = question.casefold()
    recent = {r.iri: r for r in scene.referents if r.iri and r.turn > since and r.label.casefold() not in said}
    if not recent or len(recent) > _MOST:
        return question
    return f"{question.rstrip('?!. ')} except {listed(tuple(recent.values()))}?"
