"""What a short follow-up changes in the question before: the year, the bound, the degree, the number."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattykg.linking.tokens import Token, tokenise
from chattykg.linking.wording import degree
from chattykg.rulebook.leaning import has_no_noun
from chattykg.rulebook.legacy.closed_words import AUXILIARY, FUNCTION, HAVE, PREPOSITION, VERBS
from chattykg.rulebook.scene import Scene, last_turn, say_all

_DAY = r"[12]\d{3}(?:-\d\d(?:-\d\d)?)?"
_SPAN = (
    rf"(?:between\s+{_DAY}\s+and\s+{_DAY}|from\s+{_DAY}\s+(?:to|until|till)\s+{_DAY}"
    rf"|(?:in|before|after|since|until|on|during|by|from)\s+(?:the\s+year\s+)?{_DAY})"
)
_TIME = re.compile(rf"(?i)\b{_SPAN}(?!\d)")
_YEAR = re.compile(rf"\b{_DAY}(?!\d)")
_SIDE = re.compile(r"(?i)\b(before|after)\b")
_COMPARED = (
    r"(?:(?:more|less|fewer|greater|higher|lower|bigger|larger|smaller|longer|shorter|older|younger)\s+than"
    r"|at\s+(?:least|most)|over|under|above|below)"
)
_BOUND = re.compile(rf"(?i)^(?:with\s+)?{_COMPARED}\s+\S+$")
_OLD_BOUND = re.compile(rf"(?i)\b{_COMPARED}\s+[^\s?!]+?(?=[.?!]*(?:\s|$))")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SUPERLATIVE_WORDS = frozenset("maximum minimum max min average mean highest lowest most least total sum".split())
_MOST = frozenset("most fewest least".split())
_COUNTED = re.compile(
    r"(?i)\b(?:how\s+many|no|at\s+(?:least|most)\s+\w+|(?:more|fewer|less)\s+than\s+\w+|the\s+(?:most|fewest|least))"
    r"\s+(?P<noun>.+)$"
)
_NOUNLESS = re.compile(
    r"(?i)\b(?:have|has|had|with)\s+(?:at\s+(?:least|most)|(?:more|fewer|less)\s+than|exactly|only)\s+\w+\s*[?.!]*$"
)


_HAS = re.compile(r"(?i)^((?:and\s+)?(?:who|which(?:\s+one)?))\s+(?:has|have|had)\s+")
_DONE = re.compile(r"(?i)^\s*(?:and\s+)?how\s+many\s.+?\s(?:did|does|do|has|have)\s.+\s(?P<verb>[a-z]+)\s*[?.!]*\s*$")


def another_time(rest: str, previous: str) -> str:
    """Return the question before with another year or span of years, or another side of it ("" where none is said)."""
    tokens, said, known = tokenise(rest), _TIME.fullmatch(rest), _TIME.search(previous)
    if said:
        if known:
            return previous[: known.start()] + rest + previous[known.end() :]
        year = _YEAR.search(previous)
        if year:
            return previous[: year.start()] + rest + previous[year.end() :]
        return f"{previous.rstrip('?!. ')} {rest}?"
    year = _YEAR.search(rest)
    if year and len(tokens) <= 4:
        old = _YEAR.search(previous)
        if old:
            return previous[: old.start()] + year[0] + previous[old.end() :]
        return f"{previous.rstrip('?!. ')} {rest if tokens[0].lower in PREPOSITION else 'in ' + year[0]}?"
    side = _SIDE.search(previous)
    if len(tokens) == 1 and tokens[0].lower in ("before", "after") and side:
        return previous[: side.start()] + tokens[0].lower + previous[side.end() :]
    return ""


def another_degree(rest: str, scene: Scene) -> str:
    """Return the question before with another degree or bound: "the minimum", "more than 3", "12"; of a list that was
    the last answer, "the oldest"."""
    tokens, previous = tokenise(rest), scene.previous
    words = [t for t in tokens if t.lower not in ("the", "with", "a", "for")]
    if words and _is_superlative(words[0]):
        return _superlative(rest, words, scene)
    bound, old_bound = _BOUND.match(rest), _OLD_BOUND.search(previous)
    if bound and old_bound:
        return previous[: old_bound.start()] + re.sub(r"(?i)^with\s+", "", rest) + previous[old_bound.end() :]
    old_number = _NUMBER.search(previous)
    if _NUMBER.fullmatch(rest) and old_number:
        return previous[: old_number.start()] + rest + previous[old_number.end() :]
    return ""


def _superlative(rest: str, words: list[Token], scene: Scene) -> str:
    previous = scene.previous
    old = next((t for t in tokenise(previous) if _is_superlative(t)), None)
    if old is None:
        return _highest_of_list(words, rest, scene)
    if len(words) == 1:
        return previous[: old.start] + words[0].text + previous[old.end :]
    after = [t for t in tokenise(previous) if t.start > old.end]
    if words[-1].lower in ("one", "ones"):
        return previous[: old.start] + rest[words[0].start : words[-1].start].strip() + previous[_end(old, after) :]
    end = after[0].end if after and after[0].kind == "word" and after[0].lower not in FUNCTION else old.end
    return previous[: old.start] + rest[words[0].start :] + previous[end:]


def _end(old: Token, after: list[Token]) -> int:
    """Return where a degree ends: "most expensive" of "the most expensive lamp", "most" of "the most rivers"."""
    graded = old.lower in _MOST and [t.kind == "word" and t.lower not in FUNCTION for t in after[:2]] == [True, True]
    return after[0].end if graded else old.end


def _highest_of_list(words: list[Token], rest: str, scene: Scene) -> str:
    """Return "Which of A and B is the oldest?" where the last answer was a list."""
    answers = scene.answers
    if len(answers) < 2 or answers[0].turn != last_turn(scene) or not degree(words[0].lower)[1]:
        return ""
    if any(t.lower in PREPOSITION | AUXILIARY for t in words[1:]):
        return ""
    own = len(words) > 1 and words[1].lower not in ("one", "ones", scene.asked) and not _is_asked(words[1], scene)
    said = f"has the {rest[words[0].start :]}" if own else f"is the {words[0].text}"
    return f"Which of {say_all(scene)} {said}?"


def _is_asked(noun: Token, scene: Scene) -> bool:
    return bool(scene.asked) and noun.lemma == next(iter(tokenise(scene.asked))).lemma


def _is_superlative(token: Token) -> bool:
    return token.lower in _SUPERLATIVE_WORDS or degree(token.lower)[1] == "est"


def with_noun(question: str, previous: str) -> str:
    """Return a question that leaves out what it counts, with the noun from the one before ("" where none is left out).

    "Who directed the most?" after "How many films ...?" counts films, and so does "Which ones have at least two?".
    """
    bare = has_no_noun(tokenise(question))
    counted = next(iter(reversed(tuple(_nouns(previous)))), "")
    if not counted or not (bare or _NOUNLESS.search(question)):
        return ""
    said = question.rstrip("?!. ")
    verb = _verb_of(previous) if bare else ""
    said = _HAS.sub(rf"\1 {verb} ", said) if verb else said
    said = re.sub(r"(?i)(?<!\bthe)\s+(most|fewest|least)$", r" the \1", said) if bare else said
    return f"{said} {counted}?"


def _verb_of(previous: str) -> str:
    """Return the verb of "How many films did Ann direct?" ("" where it says no more than that she has them)."""
    found = _DONE.match(previous)
    return "" if found is None or found["verb"].lower() in HAVE | AUXILIARY | PREPOSITION else found["verb"]


def _nouns(previous: str) -> Iterator[str]:
    """Yield the nouns that a question counts."""
    for found in _COUNTED.finditer(previous):
        run: list[str] = []
        for token in tokenise(found["noun"]):
            if token.kind != "word" or token.lower in FUNCTION or token.capital or run and token.lower in VERBS:
                break
            run.append(token.text)
        if run:
            yield " ".join(run)
