"""Another name put in the place of the one that the question before had."""

from __future__ import annotations

import re

from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import parts
from chattykg.rulebook.legacy.closed_words import FUNCTION
from chattykg.rulebook.previous import description
from chattykg.rulebook.scene import Scene

_QUOTES = ('"', "\u201c", "\u2018", "'")
_BARE_POSSESSIVE = re.compile(r"^['’](?=\s)")
"""What marks the owner in "the Beatles' songs"; another name may need "'s"."""
LIST = r'"[^"]+"(?:, "[^"]+")*,? (?:and|or) "[^"]+"'
"""Several names, as a rewriting says them."""
_ARTICLES = frozenset("the a an".split())
_CALLED = frozenset("named called titled".split())


def as_described(scene: Scene, name: tuple[int, int] | None) -> tuple[str, int]:
    """Return the question before with the list in it said as it was described, and the turn that did so.

    "And Ann?" after "How many of them were late?" asks anew for all that Ann did. Where the question names something
    besides its list, that is meant (turn 0).
    """
    found = re.search(LIST, scene.previous)
    listed = scene.listed_last()
    if found is None or not listed or name and _names_outside(scene.previous, name, found.span()):
        return scene.previous, 0
    described = description(scene.told[listed[0].turn - 1]) if scene.told else ""
    if not described or re.search(LIST, described):
        return scene.previous, 0
    return f"{scene.previous[: found.start()]}the {described}{scene.previous[found.end() :]}", listed[0].turn


def asked_so(rest: str, scene: Scene) -> int:
    """Return the turn whose question named a thing of the kind that a name tells (0: the last one, or nobody knows).

    "What about the University of Oslo?" asks anew who studied there, though a country was named since.
    """
    kind, last = _words(rest), len(scene.told)
    topics = [r for r in scene.referents if r.role == "topic" and r.label.casefold() not in rest.casefold()]
    for topic in sorted(topics, key=lambda r: -r.turn):
        kinds = {word for label in topic.types for word in parts(label)}
        if kind & kinds & _words(topic.label):
            return topic.turn if topic.turn < last else 0
    return 0


def _words(name: str) -> frozenset[str]:
    return frozenset(t.lower for t in tokenise(name) if t.kind == "word" and t.lower not in FUNCTION)


def _names_outside(previous: str, name: tuple[int, int], listed: tuple[int, int]) -> bool:
    said = previous[slice(*name)]
    return said != said.lower() and not listed[0] <= name[0] < listed[1]


def put_name(rest: str, tokens: tuple[Token, ...], previous: str, place: tuple[int, int]) -> str:
    """Return the question before with what is named now in the place of its name.

    A noun before the name ("the town of", "the concert named") takes the place of the noun before that name.
    """
    start, end = place
    quoted = previous[start - 1 : start] in _QUOTES
    if not quoted:
        previous = previous[:end] + _BARE_POSSESSIVE.sub("'s", previous[end:])
    said, kind = _apart(rest, tokens)
    before = tokenise(previous[: start - quoted])
    if not kind and before and before[-1].lower in _ARTICLES and tokens[0].lower in _ARTICLES:
        return previous[: before[-1].start] + rest + previous[end:]
    if not kind:
        return previous[:start] + (tokens[0].text if quoted and tokens[0].kind == "quoted" else rest) + previous[end:]
    run = len(before)
    while run and before[run - 1].kind == "word" and not _is_outside(before[run - 1]):
        run -= 1
    if not before[run:]:
        return previous[:start] + (said if quoted else rest) + previous[end:]
    article = run and before[run - 1].lower in _ARTICLES
    beginning = before[run - 1].start if article else before[run].start
    return previous[:beginning] + rest + previous[end + quoted :]


def _is_outside(token: Token) -> bool:
    return token.lower in FUNCTION or token.capital


def _apart(rest: str, tokens: tuple[Token, ...]) -> tuple[str, str]:
    """Return the name of "the concert named Ebb Tide", and what stands before it ("" where nothing does)."""
    at = next((i for i, t in enumerate(tokens) if t.kind == "quoted" or t.capital and t.lower not in FUNCTION), 0)
    kind = [t for t in tokens[:at] if t.lower not in FUNCTION | _CALLED]
    name = tokens[at].text if tokens[at].kind == "quoted" else rest[tokens[at].start :]
    plain = all(t.kind == "word" for t in tokens[:at])
    return (name, re.sub(r"\s+", " ", rest[: tokens[at].start]).strip()) if kind and plain else (rest, "")
