"""Follow-ups that choose from the last list: "Which of the two is cheaper?", "the one with more beds"."""

from __future__ import annotations

import re

from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import degree
from chattykg.rulebook.legacy.closed_words import BE, FUNCTION, HAVE, IRREGULAR, NUMBERS

_THE_ONE = re.compile(
    r"(?i)^\s*(and\s+)?((give|show|tell|list|find|name|return)\s+(me\s+)?|what\s+is\s+|which\s+is\s+|who\s+is\s+)?"
    r"the\s+(one|ones)\s+(?P<how>with|from|in|that|which|who|by|of|having|born|made)\s+(?P<rest>.+?)\s*[?.!]*\s*$"
)
_GRADED = frozenset("more most less least fewer fewest".split())
_OPENERS = frozenset("and so then".split())
_IN_TIME = frozenset("first last earlier later earliest latest".split())
_THE_ONES = (["one"], ["of", "them"], ["of", "these"], ["of", "those"], ["ones"], ["of", "all"])
_HIGHEST = {"more": "most", "less": "least", "fewer": "fewest"}
_IRREGULAR = {"better": "best", "worse": "worst", "further": "furthest", "farther": "farthest"}


def choose(question: str, listed: str) -> str:
    """Return a question that chooses from ``listed`` (the last answer in words), in full; "" where it is none."""
    if not listed:
        return ""
    one = _THE_ONE.match(question)
    if one:
        how = one["how"].lower()
        verb = {"with": "has", "having": "has", "that": "", "which": "", "who": ""}.get(how, f"is {how}")
        rest = one["rest"] if verb != "has" else re.sub(r"(?i)^(a|an)\s+", "a ", one["rest"])
        return superlative(f"Which of {listed} {f'{verb} {rest}'.strip()}?")
    tokens = [token for token in tokenise(question) if token.kind != "mark"]
    while tokens and tokens[0].lower in _OPENERS:
        tokens = tokens[1:]
    words = [token.lower for token in tokens]
    if len(words) < 3 or words[0] not in ("which", "who", "what") or any(t.capital for t in tokens[1:]):
        return ""
    if _ranked(words):
        return superlative(f"Which of {listed} {question[tokens[1].start :]}")
    at = 3 if words[2] == "the" else 2
    graded = at < len(words) and (words[at] in _GRADED or bool(degree(words[at])[1]))
    if words[1] in BE and graded and words[at + 1 :] in _THE_ONES:
        return superlative(f"Which of {listed} {words[1]} the {words[at]}?")
    if words[1] in BE and graded and _ends(words, at) or words[:1] == ["which"] and words[1] in HAVE and graded:
        return "" if "than" in words else superlative(f"Which of {listed} {question[tokens[1].start :]}")
    return ""


def _ranked(words: list[str]) -> bool:
    """Tell whether a question asks what happened first or last, of nothing that it names: "which was founded first"."""
    verbal = words[1] in BE and (words[2] in IRREGULAR or words[2].endswith("ed"))
    verbal = verbal and len(words) == 4 or len(words) == 3 and (words[1] in IRREGULAR or words[1].endswith("ed"))
    return verbal and words[-1] in _IN_TIME


def names_its_choice(question: str) -> bool:
    """Tell whether a question names what is to be chosen from ("Which of these is larger: A or B?")."""
    tokens = tokenise(question)
    either = next((at for at, token in enumerate(tokens) if token.lower == "or"), 0)
    cut = max((at for at, token in enumerate(tokens[:either]) if token.lower in (",", ":")), default=0)
    sides = (tokens[cut + 1 : cut + 3], tokens[either + 1 : either + 3]) if cut > 1 else ()
    return bool(sides) and all(any(token.capital or token.kind == "quoted" for token in side) for side in sides)


def _ends(words: list[str], at: int) -> bool:
    """Tell whether nothing but the graded word (and an adjective behind "most") stands there: "the most expensive"."""
    return len(words) == at + 1 or words[at] in _GRADED and len(words) == at + 2


def superlative(question: str) -> str:
    """Return "Which of A and B is the cheapest?" for "Which of A and B is cheaper?": one of a list is asked for."""
    tokens = tokenise(question)
    if [t.lower for t in tokens[:2]] not in (["which", "of"], ["who", "of"]) or any(t.lower == "than" for t in tokens):
        return question
    for place in range(len(tokens) - 1, 1, -1):
        token = tokens[place]
        if token.kind == "quoted":
            break
        best = "" if token.capital else highest(token.lower)
        if best:
            article = "" if tokens[place - 1].lower == "the" else "the "
            return f"{question[: token.start]}{article}{best}{question[token.end :]}"
    return question


def highest(word: str) -> str:
    """Return the superlative of a comparative ("longest" for "longer", "most" for "more"; "" for any other word)."""
    if word in _HIGHEST:
        return _HIGHEST[word]
    return _IRREGULAR.get(word, word[:-2] + "est") if degree(word)[1] == "er" else ""


def counted(tokens: list[Token], place: int) -> tuple[int, int] | None:
    """Read "the two drugs", "both", "all three of them": how many (0: not said), and the place behind; else None."""
    words = [token.lower for token in tokens[place : place + 5]]
    at = 1
    if words[0] == "both" or words[0] == "all" and words[1:2] and words[1] in NUMBERS:
        number = 2 if words[0] == "both" else NUMBERS[words[1]]
        at = 1 if words[0] == "both" else 2
    elif words[0] == "the" and words[1:2] and words[1] in NUMBERS:
        number, at = NUMBERS[words[1]], 2
    else:
        return None
    if number < 2:
        return None
    if words[at : at + 2] in (["of", "them"], ["of", "these"], ["of", "those"]):
        return number, place + at + 2
    noun = tokens[place + at] if place + at < len(tokens) else None
    if noun is not None and noun.kind == "word" and not noun.capital and noun.lower not in FUNCTION:
        return (number, place + at + 1) if noun.lower.endswith("s") or noun.lemma != noun.lower else None
    return number, place + at
