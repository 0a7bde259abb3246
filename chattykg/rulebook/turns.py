"""Questions of more than one sentence in a conversation, and what was spoken of lately."""

from __future__ import annotations

import re

from chattykg.linking.tokens import tokenise
from chattykg.rulebook.closed_words import BE
from chattykg.rulebook.scene import Scene, last_turn, listed

_SHIFT = re.compile(
    r"(?i)^\s*(?:and\s+|so\s+)?(?:what|how)\s+about\s+(?P<name>[^?!.]+?)\s*[?!.]\s*(?P<rest>\S.*\S)\s*$"
)
_ASKED_AFTER = re.compile(r"(?i)^(?P<there>(is|are|was|were)\s+there)\s+(any\s+)?(?P<rest>[^?]+?)\s*\?\s*(and\s+)?"
                          r"(if so,?\s+)?(which|who|what)(\s+(one|ones))?\s*\?*\s*$")  # fmt: skip
_PERSONAL = frozenset("he she it they him them".split())
_POSSESSIVE = frozenset("his her its their".split())
_MORE = re.compile(r"(?i)\b(others?|else|another)\b")
_MOST = 12
_TURNS = 3


def one_sentence(question: str) -> str:
    """Return "How many has X won?" for "What about X? How many has she won?", "Which ... are there?" for "Are there
    ...? Which?"; any other question as it stands."""
    asked = _ASKED_AFTER.match(question.strip())
    if asked:
        return f"Which {asked['rest']} {' '.join(asked['there'].lower().split())}?"
    shift = _SHIFT.match(question)
    if not shift or not any(token.capital for token in tokenise(shift["name"])):
        return question
    name, rest, done, said = shift["name"], shift["rest"], 0, ""
    tokens = tokenise(rest)
    for place, token in enumerate(tokens):
        following = tokens[place + 1 : place + 2]
        owns = token.lower in _POSSESSIVE and following and following[0].kind == "word" and following[0].lower not in BE
        if token.lower in _PERSONAL or token.lower in _POSSESSIVE:
            said += rest[done : token.start] + (f"{name}'s" if owns else name)
            done = token.end
    return said + rest[done:] if done else question


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
