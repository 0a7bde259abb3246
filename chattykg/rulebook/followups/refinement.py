"""Refinement: follow-ups that count, narrow or select from the last answer set."""

from __future__ import annotations

import re

from chattyshared.language.lexicon import alternation
from chattyshared.language.morphology import AUXILIARY, BE, HAVE, IRREGULAR, parse_degree
from chattyshared.language.tokenizer import tokenize

from chattykg.rulebook.followups.dialogue_state import describe_target

_COUNT = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many(\s+of\s+(them|(these|those)(?!\s+(are|is|were|was)\b)(\s+\w+)?|these|those))?"
    r"(\s+(are|is|were)\s+(there|those|they|these|that))?(\s+in total)?\s*\??\s*$"
)
_COUNT_ANEW = re.compile(
    rf"(?i)^\s*(?:and\s+)?how\s+many\s+(?P<rest>(?:{alternation(AUXILIARY)})\s+(?-i:[\"A-Z]).*?)\s*\??\s*$"
)
"""A count that leaves out what it counts: "And how many did Ann direct?"."""
_LIST_THEM = re.compile(
    r"(?i)^\s*(?:list|show|name|give)(?:\s+me)?\s+(?:them|these|those)(?:\s+all)?(?:,?\s+please)?\s*[?.!]*$"
)
_NARROWED = re.compile(r"(?i)^\s*(?:(?:and|just|only)\s+)+(?:the\s+ones|those)\s+(?P<rest>\S.*?)\s*[?.!]*$")
_WHICH_ONES = re.compile(r"(?i)^\s*(and\s+)?(which|who|what)\s+(ones?|of\s+(them|these|those))\s+(?P<rest>.+)$")
_DEGREE_WORDS = frozenset("more most less least fewer fewest".split())
_OPENERS = frozenset("and so then".split())
_TEMPORAL_RANKS = frozenset("first last earlier later earliest latest".split())
_THE_ONES = (["one"], ["of", "them"], ["of", "these"], ["of", "those"], ["ones"], ["of", "all"])
_CLAUSE = re.compile(r"(?<!\s)\s++(?:that|who|which)\s+")
_HIGHEST = {"more": "most", "less": "least", "fewer": "fewest"}
_IRREGULAR = {"better": "best", "worse": "worst", "further": "furthest", "farther": "farthest"}


def rewrite_refinement(question: str, previous: str, answer_phrase: str) -> str:
    """Return a question that counts or narrows the last list, in full ("" if it does none of these).

    ``answer_phrase`` is the last answer set in words, "" if there is none.
    """
    described = describe_target(previous)
    if not described:
        return ""
    if _LIST_THEM.match(question) and previous.lower().startswith("how many"):
        return f"List the {described}."
    if narrowed := _NARROWED.match(question):
        return f"List the {described} {narrowed['rest']}"
    if _COUNT.match(question):
        return f"How many {described} are there?"
    counted = _COUNT_ANEW.match(question)
    if counted and previous.lower().startswith("how many"):
        return f"How many {_CLAUSE.split(described, maxsplit=1)[0]} {counted['rest']}?"
    chosen = _WHICH_ONES.match(question)
    if chosen and not answer_phrase:
        return f"Which of the {described} {chosen['rest']}"
    return ""


def rewrite_selection(question: str, answer_phrase: str) -> str:
    """Return a selection from ``answer_phrase`` (the last answer set in words), in full; "" if it is none."""
    if not answer_phrase:
        return ""
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    while tokens and tokens[0].lower in _OPENERS:
        tokens = tokens[1:]
    words = [token.lower for token in tokens]
    if len(words) < 3 or words[0] not in ("which", "who", "what") or any(t.is_capitalized for t in tokens[1:]):
        return ""
    verb = words[1:-1] if words[1] not in BE else words[2:-1]
    if words[-1] in _TEMPORAL_RANKS and len(verb) == 1 and (verb[0] in IRREGULAR or verb[0].endswith("ed")):
        return comparative_to_superlative(f"Which of {answer_phrase} {question[tokens[1].start :]}")
    at = 3 if words[2] == "the" else 2
    graded = at < len(words) and (words[at] in _DEGREE_WORDS or bool(parse_degree(words[at])[1]))
    if not graded or "than" in words:
        return ""
    if words[1] in BE and words[at + 1 :] in _THE_ONES:
        return comparative_to_superlative(f"Which of {answer_phrase} {words[1]} the {words[at]}?")
    ends = len(words) == at + 1 or words[at] in _DEGREE_WORDS and len(words) == at + 2  # "the most expensive"
    if words[1] in BE and ends or words[0] == "which" and words[1] in HAVE:
        return comparative_to_superlative(f"Which of {answer_phrase} {question[tokens[1].start :]}")
    return ""


def names_alternatives(question: str) -> bool:
    """Tell whether a question names what is to be chosen from ("Which of these is larger: A or B?")."""
    tokens = tokenize(question)
    either = next((at for at, token in enumerate(tokens) if token.lower == "or"), 0)
    cut = max((at for at, token in enumerate(tokens[:either]) if token.lower in (",", ":")), default=0)
    sides = (tokens[cut + 1 : cut + 3], tokens[either + 1 : either + 3]) if cut > 1 else ()
    return bool(sides) and all(any(token.is_capitalized or token.kind == "quoted" for token in side) for side in sides)


def comparative_to_superlative(question: str) -> str:
    """Return "Which of A and B is the cheapest?" for "Which of A and B is cheaper?": one of a list is asked for."""
    tokens = tokenize(question)
    if [t.lower for t in tokens[:2]] not in (["which", "of"], ["who", "of"]) or any(t.lower == "than" for t in tokens):
        return question
    for index in range(len(tokens) - 1, 1, -1):
        token = tokens[index]
        if token.kind == "quoted":
            break
        best = "" if token.is_capitalized else _superlative_of(token.lower)
        if best:
            article = "" if tokens[index - 1].lower == "the" else "the "
            return f"{question[: token.start]}{article}{best}{question[token.end :]}"
    return question


def _superlative_of(word: str) -> str:
    """Return the superlative of a comparative ("longest" for "longer", "most" for "more"; "" for any other word)."""
    if word in _HIGHEST:
        return _HIGHEST[word]
    return _IRREGULAR.get(word, word[:-2] + "est") if parse_degree(word)[1] == "er" else ""
