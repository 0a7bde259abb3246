"""Refinement: follow-ups that count, sort, narrow or select from the last answer set."""

from __future__ import annotations

import re

from chattyshared.language.closed_classes import AUXILIARY, BE, FUNCTION, HAVE, IRREGULAR, NUMBERS
from chattyshared.language.lexicon import alternation, word_list, word_set
from chattyshared.language.morphology import parse_degree
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.rulebook.followups.dialogue_state import describe_target

_COUNT = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many(\s+of\s+(them|(these|those)(?!\s+(are|is|were|was)\b)(\s+\w+)?|these|those))?"
    r"(\s+(are|is|were)\s+(there|those|they|these|that))?(\s+in total)?\s*\??\s*$"
)
_COUNT_THAT = re.compile(
    r"(?i)^\s*(and\s+)?how\s+many\s+(?P<of>of\s+(?:them|these|those)\s+)?"
    rf"(?P<rest>(?:{alternation(word_list('function_words', 'auxiliaries'))}"
    rf"|of(?!\s+(?:{alternation(word_list('followups', 'list_words'))})\b|.*'s)|live|work)\b.*?)\s*\??\s*$"
)
_LIST_THEM = re.compile(
    r"(?i)^\s*(?:(?:please|now|and|ok|okay|can you|could you)[,\s]+)*(?:"
    r"(?:list|show|name|enumerate|give)(?:\s+me)?\s+(?:them|these|those)(?:\s+all)?"
    r"|(?:what|which|who)\s+are\s+(?:they|these|those)|which\s+(?:ones|are\s+they))(?:,?\s+please)?\s*[?.!]*\s*$"
)
_ORDER = re.compile(
    r"(?i)^\s*((please|now|can you|could you)\s+)*(sort|order|arrange|rank|list)\s+"
    r"(them|it|these|those|the results?|the list|this list)?\s*(?P<how>(in\s+\w+\s+order\s+)?(of|by|in)\b.*)$"
)
_THERE_IN = re.compile(r"(?i)^(are|is|were|was)\s+there\s+[a-z]+\s+\S")
_WHICH_ONES = re.compile(r"(?i)^\s*(and\s+)?(which|who|what)\s+(ones?|of\s+(them|these|those))\s+(?P<rest>.+)$")
_RELATIVE_WORDS = word_set("followups", "restrictors") - {"whose", "above", "below"}
_THE_ONE = re.compile(
    r"(?i)^\s*(and\s+)?((give|show|tell|list|find|name|return)\s+(me\s+)?|what\s+is\s+|which\s+is\s+|who\s+is\s+)?"
    rf"the\s+(one|ones)\s+(?P<how>{alternation(_RELATIVE_WORDS)}|by|of|having|made)\s+(?P<rest>.+?)\s*[?.!]*\s*$"
)
_DEGREE_WORDS = frozenset("more most less least fewer fewest".split())
_OPENERS = frozenset("and so then".split())
_TEMPORAL_RANKS = frozenset("first last earlier later earliest latest".split())
_THE_ONES = (["one"], ["of", "them"], ["of", "these"], ["of", "those"], ["ones"], ["of", "all"])
_CLAUSE = re.compile(r"(?<!\s)\s++(?:that|who|which)\s+")
_HIGHEST = {"more": "most", "less": "least", "fewer": "fewest"}
_IRREGULAR = {"better": "best", "worse": "worst", "further": "furthest", "farther": "farthest"}


def rewrite_refinement(question: str, previous: str, answer_phrase: str) -> str:
    """Return a question that counts, sorts or narrows the last list, in full ("" if it does none of these).

    ``answer_phrase`` is the last answer set in words, "" if there is none.
    """
    described = describe_target(previous)
    if not described:
        return ""
    if _LIST_THEM.match(question) and previous.lower().startswith("how many"):
        return f"List the {described}."
    if _COUNT.match(question):
        return f"How many {described} are there?"
    counted = _COUNT_THAT.match(question)
    if counted and not counted["of"] and previous.lower().startswith("how many"):
        if _THERE_IN.match(counted["rest"]):
            return ""
        if _has_subject(counted["rest"]):
            head = _CLAUSE.split(described, maxsplit=1)[0]
            return f"How many {head} {counted['rest']}?"
    ordered = _ORDER.match(question)
    if ordered:
        return f"List the {described} ordered {ordered['how'].strip().rstrip('?!. ')}"
    chosen = _WHICH_ONES.match(question)
    if chosen and not answer_phrase:
        return f"Which of the {described} {chosen['rest']}"
    return ""


def rewrite_selection(question: str, answer_phrase: str) -> str:
    """Return a selection from ``answer_phrase`` (the last answer set in words), in full; "" if it is none."""
    if not answer_phrase:
        return ""
    one = _THE_ONE.match(question)
    if one:
        how = one["how"].lower()
        verb = {"with": "has", "having": "has", "that": "", "which": "", "who": ""}.get(how, f"is {how}")
        rest = one["rest"] if verb != "has" else re.sub(r"(?i)^(a|an)\s+", "a ", one["rest"])
        return comparative_to_superlative(f"Which of {answer_phrase} {f'{verb} {rest}'.strip()}?")
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    while tokens and tokens[0].lower in _OPENERS:
        tokens = tokens[1:]
    words = [token.lower for token in tokens]
    if len(words) < 3 or words[0] not in ("which", "who", "what") or any(t.is_capitalized for t in tokens[1:]):
        return ""
    if _asks_temporal_rank(words):
        return comparative_to_superlative(f"Which of {answer_phrase} {question[tokens[1].start :]}")
    at = 3 if words[2] == "the" else 2
    graded = at < len(words) and (words[at] in _DEGREE_WORDS or bool(parse_degree(words[at])[1]))
    if words[1] in BE and graded and words[at + 1 :] in _THE_ONES:
        return comparative_to_superlative(f"Which of {answer_phrase} {words[1]} the {words[at]}?")
    if (
        words[1] in BE
        and graded
        and _ends_with_degree(words, at)
        or words[:1] == ["which"]
        and words[1] in HAVE
        and graded
    ):
        return (
            ""
            if "than" in words
            else comparative_to_superlative(f"Which of {answer_phrase} {question[tokens[1].start :]}")
        )
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
        best = "" if token.is_capitalized else superlative_of(token.lower)
        if best:
            article = "" if tokens[index - 1].lower == "the" else "the "
            return f"{question[: token.start]}{article}{best}{question[token.end :]}"
    return question


def superlative_of(word: str) -> str:
    """Return the superlative of a comparative ("longest" for "longer", "most" for "more"; "" for any other word)."""
    if word in _HIGHEST:
        return _HIGHEST[word]
    return _IRREGULAR.get(word, word[:-2] + "est") if parse_degree(word)[1] == "er" else ""


def parse_counted_set(tokens: list[Token], index: int) -> tuple[int, int] | None:
    """Read "the two drugs", "both", "all three of them": the number and the index after the words; else None."""
    words = [token.lower for token in tokens[index : index + 5]]
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
        return number, index + at + 2
    noun = tokens[index + at] if index + at < len(tokens) else None
    if noun is not None and noun.kind == "word" and not noun.is_capitalized and noun.lower not in FUNCTION:
        return (number, index + at + 1) if noun.lower.endswith("s") or noun.lemma != noun.lower else None
    return number, index + at


def _has_subject(rest: str) -> bool:
    """Tell whether a subject follows the auxiliary: "(how many) did Ann write"."""
    tokens = tokenize(rest)
    return len(tokens) > 2 and tokens[0].lower in AUXILIARY and (tokens[1].is_capitalized or tokens[1].kind == "quoted")


def _asks_temporal_rank(words: list[str]) -> bool:
    """Tell whether a question asks what happened first or last, of nothing that it names: "which was founded first"."""
    verbal = words[1] in BE and (words[2] in IRREGULAR or words[2].endswith("ed"))
    verbal = verbal and len(words) == 4 or len(words) == 3 and (words[1] in IRREGULAR or words[1].endswith("ed"))
    return verbal and words[-1] in _TEMPORAL_RANKS


def _ends_with_degree(words: list[str], at: int) -> bool:
    """Tell whether the question ends with a degree word, alone or with its adjective: "the most expensive"."""
    return len(words) == at + 1 or words[at] in _DEGREE_WORDS and len(words) == at + 2
