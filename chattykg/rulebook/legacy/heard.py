"""What a question says, apart: what it asks for, the names, values and year in it, and the words that are left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import PREPOSITIONS, STOP_WORDS, analyze_phrase
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.qir import Operator

Asks = Literal["truth", "who", "where", "when", "since", "until", "count", "which"]

_SURE = 0.95
_YEAR = re.compile(r"[12]\d{3}")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_NUMBERS = "one two three four five six seven eight nine ten".split()
_TRUTH = frozenset("did does do has have was were is are".split())
_FILLERS = (
    STOP_WORDS
    | PREPOSITIONS
    | frozenset(
        "before after since until when where how who and as last there so far ever time than least year date "
        "tell me please you".split()
    )
)
_WEAK = frozenset("do have be".split())
_POLITE = re.compile(r"(?:please,? |(?:can|could) you |do you know |tell me |and |so )+")
_OPENINGS: tuple[tuple[str, Asks], ...] = (
    (r"(?:since|from) (?:when|what year|which year)\b", "since"),
    (r"how long has\b", "since"),
    (r"(?:until|till) (?:when|what year|which year)\b", "until"),
    (r"(?:when|(?:in )?(?:what|which) year)\b", "when"),
    (r"(?:by |with |for )?(?:who|whom)\b", "who"),
    (r"where\b", "where"),
    (r"how many\b", "count"),
    (r"(?:(?:in|for|at|on|of|with|to) )?(?:which|what)\b", "which"),
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a question: its text and the predicates at its vertices, with direction."""

    text: str
    predicates: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Value:
    """A literal in a question as the graph writes it, the words that say it, and its predicates."""

    text: str
    words: frozenset[str]
    predicates: frozenset[str]


@dataclass(frozen=True, slots=True)
class Count:
    """How many of a noun there must be for each answer; ``number`` is "" for the most."""

    number: str
    operator: Operator
    noun: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A question, taken apart.

    ``sign`` is how the year is meant ("before 2012": <). ``words`` are lemmas that are no name, value or function word;
    ``nouns`` those of the asked noun; ``served`` the words before "for" ("sailed for two clubs").
    """

    asks: Asks
    noun: str
    names: tuple[Name, ...]
    values: tuple[Value, ...]
    year: str
    sign: Operator
    rank: str
    rank_words: frozenset[str]
    words: tuple[str, ...]
    lemmas: frozenset[str]
    nouns: frozenset[str]
    passive: bool
    served: frozenset[str]
    counted: Count | None


def hear(question: str, card: VocabularyCard, kg: KnowledgeGraph, kinds: frozenset[str]) -> Heard | None:
    """Take a question apart; None where it is not of a kind that asks about one connector.

    ``kinds`` are the classes of connectors: what one of these is shown by is a value of it and no name.
    """
    asks = _asks(question)
    if asks is None:
        return None
    tokens = [token for token in tokenize(question) if token.kind != "mark"]
    named = _longest([m for m in card.mentions_of_kind("vertex") if m.score >= _SURE and m.hits], question)
    free = [t for t in tokens if not any(m.start <= t.start < m.end for m in named)]
    shown = [m for m in named if all(kinds & set(hit.types) for hit in m.hits)]
    named = [m for m in named if m not in shown]
    years = [t.text for t in free if _YEAR.fullmatch(t.text)]
    if len(years) > 1 or any(t.kind in ("number", "quoted") and t.text not in years for t in free):
        return None
    labels = frozenset(predicate for kind, predicate in kg.profile.type_labels if kind in kinds)
    values = (*_values(card, free), *(Value(m.hits[0].matched_label, frozenset(), labels) for m in shown))
    noun, taken = _noun(asks, free)
    counted, counting = _counted(free, asks)
    ordinal = next((t for t in free if t.lower in _ORDINALS), None)
    kept = [
        t
        for t in free
        if t.kind == "word" and t.lower not in _FILLERS | {"many"} and t not in counting and t not in taken
    ]
    words = tuple(t.lemma for t in kept if t.lemma not in _WEAK)
    everything = frozenset(t.lemma for t in free) | frozenset(t.lower for t in free)
    passive = bool(re.search(r"\b\w+(?:ed|en) by\b", question))
    served = frozenset(t.lemma for t, after in zip(free, free[1:], strict=False) if after.lower == "for")
    around = dict(card.incident_predicates)
    names = tuple(Name(m.text, _predicates(m, around)) for m in named)
    if not noun and asks == "which" and kept:
        noun = _owned(question, kept)
    return Heard(
        asks, noun, names, values, years[0] if years else "", _sign(question),
        str(_ORDINALS.index(ordinal.lower) + 1) if ordinal else "",
        frozenset({ordinal.lemma, ordinal.lower}) if ordinal else frozenset(),
        words, everything, frozenset(analyze_phrase(noun).lemmas), passive, served, counted,
    )  # fmt: skip


def _asks(question: str) -> Asks | None:
    said = _POLITE.sub("", question.strip().casefold())
    found = next((kind for pattern, kind in _OPENINGS if re.match(pattern, said)), None)
    return found or ("truth" if said.split(" ")[0] in _TRUTH else None)


def _sign(question: str) -> Operator:
    said = re.search(r"(?i)\b(before|after|since)\s+(?:the year\s+)?[12]\d{3}\b", question)
    signs: dict[str, Operator] = {"before": "<", "after": ">", "since": ">="}
    return signs[said[1].casefold()] if said else "="


def _longest(found: Sequence[Mention], question: str) -> list[Mention]:
    kept: list[Mention] = []
    for mention in sorted(found, key=lambda m: (m.start - m.end, m.start)):
        text = question[mention.start : mention.end]
        if text[:1].isupper() and not any(mention.start < o.end and o.start < mention.end for o in kept):
            kept.append(mention)
    return sorted(kept, key=lambda m: m.start)


def _values(card: VocabularyCard, free: Sequence[Token]) -> Iterator[Value]:
    """Yield the literals whose words are free, the longest first."""
    covered: set[int] = set()
    starts = {token.start: token for token in free}
    for mention in sorted(card.mentions_of_kind("value"), key=lambda m: m.start - m.end):
        inner = [token for start, token in starts.items() if mention.start <= start < mention.end]
        if mention.score < _SURE or not mention.values or not inner or covered & {t.start for t in inner}:
            continue
        if all(_YEAR.fullmatch(t.text) or t.lower in _FILLERS for t in inner):
            continue
        covered |= {t.start for t in inner}
        best = mention.values[0]
        yield Value(str(best.value), frozenset(t.lemma for t in inner), frozenset(best.predicates))


def _noun(asks: Asks, free: Sequence[Token]) -> tuple[str, tuple[Token, ...]]:
    """Return the noun that stands behind "which", "what" or "how many"."""
    if asks not in ("which", "count"):
        return "", ()
    at = next((n for n, t in enumerate(free) if t.lower in ("which", "what", "many")), -1)
    run: list[Token] = []
    for token in free[at + 1 :]:
        if token.lower in _FILLERS or token.kind != "word" or token.lower in _TRUTH:
            break
        run.append(token)
        if len(run) == 1:
            break
    return " ".join(t.lemma for t in run), tuple(run)


def _owned(question: str, kept: Sequence[Token]) -> str:
    """Return the noun of "what was X's score", "what is the rank of X"."""
    said = re.match(r"(?i)(?:what|which) (?:is|was|were|are)\b", question)
    return kept[0].lemma if said else ""


def _counted(free: Sequence[Token], asks: Asks) -> tuple[Count | None, tuple[Token, ...]]:
    """Return "more than two clubs", "two clubs", "most cups": number, operator, noun; and the tokens that say it."""
    signs: dict[str, Operator] = {"more": ">", "fewer": "<", "less": "<", "least": ">="}
    for at, token in enumerate(free[1:-1], 1):
        if token.lower in _NUMBERS[1:] and asks in ("who", "which"):
            before = [t.lower for t in free[max(0, at - 2) : at]]
            sign: Operator = next((signs[word] for word in before if word in signs), "=")
            used = (*(t for t in free[max(0, at - 2) : at] if t.lower in signs), token, free[at + 1])
            return Count(str(_NUMBERS.index(token.lower) + 1), sign, free[at + 1].lemma), used
        if token.lower == "most" and asks in ("who", "which"):
            return Count("", "=", free[at + 1].lemma), (token, free[at + 1])
    return None, ()


def _predicates(
    mention: Mention, around: dict[str, tuple[tuple[str, Literal["out", "in"], int], ...]]
) -> frozenset[tuple[str, str]]:
    return frozenset((iri, way) for hit in mention.hits[:3] for iri, way, _ in around.get(str(hit.iri), ()))
