"""A question as atoms: what the KG knows of it as whole pieces, all else word by word."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM, is_english_word, lemma_of
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.rulebook.legacy.closed_words import (
    AUXILIARY,
    BE,
    COMMAND,
    DETERMINER,
    FUNCTION,
    IRREGULAR,
    NOUN_ING,
    NOUN_VERB,
    PREPOSITION,
    VERBS,
    WH,
)

_JOINING = AUXILIARY | PREPOSITION | WH
_CODE = re.compile(r"@|^\+\d|^[A-Za-z]+[-/.]?\d|\d[-/.]\d+[-/.]?[A-Za-z]")
_PARTLY, _WHOLLY = 0.76, 0.95
"""A predicate of whose label the words are but a part gives way to what they name as a whole."""
_KINDS = {"vertex": 1.0, "class": 0.98, "predicate": 0.96, "value": 0.9}


@dataclass(frozen=True, slots=True)
class Atom:
    """One piece: its words, and the best mention of each kind on exactly this span."""

    text: str
    lower: str
    kind: str
    start: int
    end: int
    size: int = 1
    capital: bool = False
    vertex: Mention | None = None
    value: Mention | None = None
    group: Mention | None = None
    predicate: Mention | None = None

    @property
    def is_function(self) -> bool:
        """Tell whether it only holds the sentence together."""
        return self.kind == "function"

    @property
    def is_mark(self) -> bool:
        """Tell whether it is punctuation."""
        return self.kind == "mark"

    @property
    def is_content(self) -> bool:
        """Tell whether it may stand in a noun group."""
        return self.kind in ("word", "name")

    @property
    def is_name(self) -> bool:
        """Tell whether it names one thing: a vertex, a value, quoted or capitalised text."""
        if self.group and self.group.score >= 0.95 and not self.capital:
            return False
        if self.group or self.predicate:
            return self.kind == "name" and (self.capital or self.size > 1 and bool(self.vertex))
        return self.kind == "name"

    @property
    def is_plural(self) -> bool:
        """Tell whether its last word is a plural noun."""
        last = self.lower.rsplit(" ", 1)[-1]
        return last in ("people", "children", "men", "women", "staff") or (
            last.endswith("s")
            and not last.endswith(("ss", "us", "is"))
            and (lemma_of(last) != last or not self.capital and len(last) > 5 and not is_english_word(last))
        )

    @property
    def is_verb(self) -> bool:
        """Tell whether its form can be a verb's."""
        if self.size > 1 and self.predicate and not (self.vertex or self.group):
            first, second = self.lower.split()[:2] if " " in self.lower else (self.lower, "")
            said = second in DETERMINER | PREPOSITION or lemma_of(first) != first and lemma_of(first) not in NOUN_VERB
            said = said or second.endswith("ing") and second not in NOUN_ING
            return lemma_of(first) in VERBS and said and first not in NOUN_ING
        if self.kind not in ("word", "name") or self.size > 1 or (self.capital and self.kind == "name"):
            return False
        if self.lower in IRREGULAR or self.is_participle:
            return True
        return lemma_of(self.lower) in VERBS

    @property
    def is_participle(self) -> bool:
        """Tell whether it is a past or present participle (or past form) by its looks."""
        if self.size > 1 or self.kind not in ("word", "name"):
            return False
        lower = self.lower
        if lower in IRREGULAR:
            return True
        if lower.endswith("ing"):
            return lower not in NOUN_ING and len(lower) > 4
        return lower.endswith("ed") and len(lower) > 3 and lower not in ("red", "speed", "breed", "seed", "hundred")

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the IRIs of the classes of the vertices that it may name."""
        return tuple(dict.fromkeys(type_ for hit in self.vertex.hits[:3] for type_ in hit.types)) if self.vertex else ()

    @property
    def is_nounish(self) -> bool:
        """Tell whether a verb's form of it is as likely a noun ("names", "works")."""
        return lemma_of(self.lower) in NOUN_VERB and not self.is_participle


def read(question: str, card: VocabularyCard) -> tuple[Atom, ...]:
    """Cut a question into atoms by a card."""
    tokens = tokenize(question)
    taken = _cover(tokens, card)
    taken |= _names(tokens, taken)
    return tuple(_merged(question, tuple(_atoms(question, tokens, taken))))


def _merged(question: str, atoms: tuple[Atom, ...]) -> Iterator[Atom]:
    """Join capitalised names that stand side by side: they are one name that the card knows only in part."""
    place = 0
    while place < len(atoms):
        end = place + 1
        while end < len(atoms) and _is_bare_name(atoms[end - 1]) and _is_bare_name(atoms[end]):
            end += 1
        if end - place > 1 and atoms[0].lower in BE and all(_is_known(atom) for atom in atoms[place:end]):
            end = place + 1
        first, last = atoms[place], atoms[end - 1]
        if end - place == 1 or question[first.start - 1 : first.start] in ('"', "'", "“"):
            yield first
            place += 1
            continue
        text = question[first.start : last.end]
        yield Atom(text, text.lower(), "name", first.start, last.end, end - place, True)
        place = end


def _is_known(atom: Atom) -> bool:
    return any(mention is not None and mention.score >= 0.97 for mention in (atom.vertex, atom.value))


def _is_bare_name(atom: Atom) -> bool:
    alone = atom.size == 1 and atom.capital and atom.kind == "name" and atom.lower not in COUNTRIES_BY_DEMONYM
    return alone and not (atom.group or atom.predicate) and atom.text[:1].isalpha()


def _cover(tokens: tuple[Token, ...], card: VocabularyCard) -> dict[int, tuple[int, dict[str, Mention]]]:
    """Choose spans (first token -> last token + 1 and mentions): longer ones first, then better ones."""
    starts = {token.start: place for place, token in enumerate(tokens)}
    ends = {token.end: place + 1 for place, token in enumerate(tokens)}
    spans: dict[tuple[int, int], dict[str, Mention]] = {}
    groups = {
        (mention.start, mention.text.casefold())
        for mention in card.mentions_of_kind("class")
        if mention.score >= _WHOLLY
    }
    for mention in card.mentions:
        if mention.kind == "predicate" and (mention.start, _done_by(mention.text)) in groups:
            continue  # "students performed": who did it, and what they did
        known = mention.start in starts and mention.end in ends and starts[mention.start] < ends[mention.end]
        said = tokens[starts[mention.start]] if known else None
        if said and said.end == mention.end and mention.kind in ("class", "predicate") and said.lower in _JOINING:
            continue
        if known and not _is_adverbial(mention, tokens, ends[mention.end]):
            kinds = spans.setdefault((starts[mention.start], ends[mention.end]), {})
            if mention.kind not in kinds or mention.score > kinds[mention.kind].score:
                kinds[mention.kind] = mention
    taken: dict[int, tuple[int, dict[str, Mention]]] = {}
    used: set[int] = set()
    for (start, end), kinds in sorted(spans.items(), key=lambda item: (-_worth(item), item[0])):
        if used.isdisjoint(range(start, end)):
            used.update(range(start, end))
            taken[start] = (end, kinds)
    return taken


def _done_by(text: str) -> str:
    """Return what stands before the participle that ends some words; nothing if none does."""
    before, _, last = text.casefold().rpartition(" ")
    return before if last.endswith("ed") else ""


def _is_adverbial(mention: Mention, tokens: tuple[Token, ...], end: int) -> bool:
    """Tell whether what reads as a class or a predicate ends in an adverb ("was climbed first"; "first climber")."""
    last = mention.kind in ("class", "predicate") and tokens[end - 1].lower in ("first", "last")
    return last and (end == len(tokens) or tokens[end].kind == "mark")


def _worth(item: tuple[tuple[int, int], dict[str, Mention]]) -> float:
    (start, end), kinds = item
    return (end - start) * max(m.score * math.sqrt(m.score) * _KINDS[kind] for kind, m in kinds.items())


def _names(
    tokens: tuple[Token, ...], taken: dict[int, tuple[int, dict[str, Mention]]]
) -> dict[int, tuple[int, dict[str, Mention]]]:
    """Find runs of capitalised words that the card does not know."""
    covered = {place for start, (end, _) in taken.items() for place in range(start, end)}
    found: dict[int, tuple[int, dict[str, Mention]]] = {}
    place = 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and end not in covered and _is_proper(tokens, end, first=place):
            end += 1
        while end > place and tokens[end - 1].lower in PREPOSITION | {"the", "and", "de", "van", "von", "la"}:
            end -= 1
        if end - place > (1 if place == 0 and tokens[0].kind == "word" else 0):
            found[place] = (end, {})
        elif place == 0 and end == 1 and len(tokens) > 1 and tokens[1].kind == "possessive":
            found[place] = (end, {})
        place = max(end, place + 1)
    return found


def _is_proper(tokens: tuple[Token, ...], place: int, *, first: int) -> bool:
    token = tokens[place]
    if token.kind == "quoted":
        return place == first
    if token.kind == "number":
        return place > first and len(token.text) <= 3
    if token.kind != "word":
        return False
    if place > first and token.lower in ("of", "the", "de", "van", "von", "la", "der") and place + 1 < len(tokens):
        following = tokens[place + 1]
        return following.is_capitalized and following.lower not in FUNCTION or following.lower in ("the", "la")
    if token.lower in FUNCTION and not (place > first and token.text.isupper() and len(token.text) > 1):
        return False
    if place == 0 and token.lower in COMMAND:
        return False
    return token.is_capitalized


def _atoms(
    question: str, tokens: tuple[Token, ...], taken: dict[int, tuple[int, dict[str, Mention]]]
) -> Iterator[Atom]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if place in taken:
            end, kinds = taken[place]
            start, stop = token.start, tokens[end - 1].end
            named = not kinds or "vertex" in kinds or "value" in kinds
            kinds = _surest(kinds, related=end < len(tokens) and tokens[end].lower == "of")
            text = question[start:stop]
            kind = "name" if named else "word"
            if end - place == 1 and token.kind == "number":
                kind = "number"
            lower = token.lower if kind == "number" else text.lower()
            yield Atom(
                text, lower, kind, start, stop, end - place, _capital(tokens, place, kinds),
                kinds.get("vertex"), kinds.get("value"), kinds.get("class"), kinds.get("predicate"),
            )  # fmt: skip
            place = end
            continue
        yield Atom(token.text, token.lower, _kind(token), token.start, token.end, 1, token.is_capitalized)
        place += 1


def _capital(tokens: tuple[Token, ...], place: int, kinds: dict[str, Mention]) -> bool:
    """Tell whether a capital letter is telling: at the beginning of a question a class or predicate has one anyway."""
    common = "class" in kinds or "predicate" in kinds
    return tokens[place].is_capitalized and not (place == 0 and common)


def _surest(kinds: dict[str, Mention], *, related: bool) -> dict[str, Mention]:
    """Drop the class or the predicate where something else is named much better by the same words.

    A noun that is ``related`` to another by "of" keeps its predicate, whatever vertex bears its name.
    """
    group, predicate = kinds.get("class"), kinds.get("predicate")
    done = predicate is not None and predicate.text.lower().endswith("ed") and predicate.score >= _WHOLLY
    if group and predicate and (done or group.score < 0.9 <= predicate.score):
        return {kind: mention for kind, mention in kinds.items() if kind != "class"}
    wholly = ("class",) if related else ("class", "vertex", "value")
    best = max((kinds[kind].score for kind in wholly if kind in kinds), default=0.0)
    if predicate and predicate.score < _PARTLY and best >= _WHOLLY:
        return {kind: mention for kind, mention in kinds.items() if kind != "predicate"}
    return kinds


def _kind(token: Token) -> str:
    if token.kind == "word":
        if token.lower in COUNTRIES_BY_DEMONYM and token.is_capitalized:
            return "name"
        return "function" if token.lower in FUNCTION else "name" if _CODE.search(token.text) else "word"
    return {"quoted": "name"}.get(token.kind, token.kind)
