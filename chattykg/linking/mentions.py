"""Mentions: the words of a question that name a vertex, a class, a predicate or a literal value of the KG.

`find_mentions` goes from the spans of a question to one lookup of each kind of thing, gives every span that names
something its score, and leaves out what another mention explains better.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from chattyshared.kg import Hit, KnowledgeGraph, LiteralHit
from chattyshared.kg.label_ranking import WITHOUT_BRACKETS, singular_key, singularize, split_words
from chattyshared.language.languages import ENGLISH, QuestionLanguage
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    FUNCTION_WORDS,
    PREPOSITIONS,
    STOP_WORDS,
    is_english_word,
    lemma_of,
    parse_degree,
)
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import parse_number
from rapidfuzz.distance import OSA

from chattykg.linking.label_lexicon import (
    PART_SCORE,
    PART_SHARE_WEIGHT,
    STEM_MATCH_SCORE,
    VOCABULARY_KINDS,
    LabelLexicon,
    correct_spelling,
    is_unknown_word,
    lexicon_of,
)
from chattykg.linking.question_spans import END_MARKS, Span, extract_spans

MentionKind = Literal["vertex", "class", "predicate", "value"]

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
EXACT_MENTION_SCORE = 0.95
"""Least score (0..1) of a mention by a whole name, also in the plural."""
PARTIAL_NAME_SCORE = 0.9
"""Score (0..1) of the only vertex with all words of a span in its name, and of the country of a nationality."""
FUZZY_FACTOR = 0.95
"""Factor (0..1) of the label score of a name that is only similar."""
MIN_NAME_SCORE, MIN_MISSPELT_SCORE = 0.62, 0.8
"""Least label scores (0..1) of capitalised or quoted words, and of plain words of which one is misspelt."""
_EXACT_LABEL_SCORE, _MIN_SAME_LEMMA_SCORE, _MIN_LABEL_SCORE = 0.985, 0.6, 0.5
"""Label scores (0..1) from which a hit is exact, differs in the form of its last word only, and is read at all."""
_MIN_OVERLAPPING_SCORE = 0.9
"""Least label score (0..1) of a similar name that overlaps an exact one."""
_MIN_NAMED_SHARE = 0.5
"""Share (0..1) of the words of a name that a part of it has at least."""
MIN_WORD_SIMILARITY = 0.66
"""Share (0..1) of unchanged letters from which two words of names are one, misspelt: two of three."""
MIN_LONGER_SCORE = 0.8
"""Label score (0..1) from which words, though misspelt, are a name that its parts do not stand beside."""
_MIN_PART_LETTERS = 3
"""Letters of the shortest word that stands for a longer name: "TV" alone is no Rock TV."""
_MAX_HEADED_WORDS, _MAX_VALUE_WORDS, _MAX_VOCABULARY_WORDS = 3, 5, 4
"""Words of the longest plain name that its head alone may stand for, of a plain text that is looked up as a value,
and of a text that is compared with classes and predicates."""

_AUXILIARIES = word_set("function_words", "auxiliaries")
_INNER_WORDS = _AUXILIARIES | {"'s"}
"""No label has one of these after its first word: "films did direct" holds two mentions."""
_YEAR = re.compile(r"[12]\d{3}(?:[/–-]\d{2,4})?")
"""A year, or a season that begins in one: "2024/25"."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of the question that name something in the KG: ``question[start:end]``.

    One span may have several mentions of different kinds. Candidates are best first: ``hits`` for a vertex,
    ``values`` for a literal value, ``iris`` (with ``scores`` beside) for classes and predicates.
    """

    text: str
    start: int
    end: int
    kind: MentionKind
    score: float
    hits: tuple[Hit, ...] = ()
    values: tuple[LiteralHit, ...] = ()
    iris: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()

    def holds(self, other: Mention | Span) -> bool:
        """Tell whether another span lies within this one, or is the same."""
        return self.start <= other.start and other.end <= self.end


def find_mentions(
    question: str,
    kg: KnowledgeGraph,
    language: QuestionLanguage,
    *,
    limit: int,
    aliases: Sequence[tuple[str, str]] = (),
) -> tuple[tuple[Mention, ...], tuple[Mention, ...]]:
    """Return the mentions of a question in their order, and the countries that its nationalities mention.

    ``aliases`` are names in the question, each with an alias. At most ``limit`` candidates a mention.

    Raises:
        EndpointError: the KG could not be asked.
    """
    tokens = tokenize(question)
    spans = extract_spans(question, tokens, language)
    found = [*vocabulary_mentions(lexicon_of(kg.vocabulary, language), spans)]
    if spans:
        found += value_mentions(kg, spans, limit=limit)
        found += vertex_mentions(kg, spans, limit=limit, language=language, known=found)
    known = {(m.text, hit.iri) for m in found for hit in m.hits}
    for m in _mentions_by_other_name(kg, question, aliases, limit):
        hits = tuple(hit for hit in m.hits if (m.text, hit.iri) not in known)
        found += [replace(m, hits=hits)] if hits else []
    found = _drop_overlapped(found, spans)
    mentions = select_mentions(found, tokens)
    named = [m for m in mentions if m.score >= EXACT_MENTION_SCORE]
    peoples = [
        (span.text, language.demonyms[span.words[0]])
        for span in spans
        if _is_nationality(span, tokens, language) and not any(m.holds(span) for m in named)
    ]
    countries = _mentions_by_other_name(kg, question, peoples, limit)
    order = sorted(mentions, key=lambda m: (m.start, -(m.end - m.start), m.kind))
    return tuple(order), tuple(replace(m, score=PARTIAL_NAME_SCORE) for m in countries)


def vocabulary_mentions(lexicon: LabelLexicon, spans: Sequence[Span]) -> Iterator[Mention]:
    """Yield the class and predicate mentions; a text that begins or ends with a function word is a whole label."""
    stop_words = lexicon.language.label_words
    for span in spans:
        parts = (part for word in span.words for part in (word.split("-") if word.count("-") == 1 else (word,)))
        words = tuple(part for part in parts if part not in stop_words)
        words = words if span.is_within_word else tuple(correct_spelling(word, lexicon) for word in words)
        if not 0 < len(words) <= _MAX_VOCABULARY_WORDS or not _INNER_WORDS.isdisjoint(span.words[1:]):
            continue
        is_framed = not stop_words.isdisjoint((span.words[0], span.words[-1]))
        for kind in VOCABULARY_KINDS:
            matches = lexicon.match_text(kind, span.words) if is_framed else lexicon.match_labels(kind, words)
            score = matches[0].score if matches else 0.0
            is_part = span.is_within_word and score < STEM_MATCH_SCORE
            is_part |= kind == "class" and "of" in span.words and score <= PART_SCORE + PART_SHARE_WEIGHT
            if matches and not is_part:
                yield Mention(
                    span.text, span.start, span.end, kind, score,
                    iris=tuple(n.iri for n in matches), scores=tuple(n.score for n in matches),
                )  # fmt: skip


def vertex_mentions(
    kg: KnowledgeGraph,
    spans: Sequence[Span],
    *,
    limit: int,
    language: QuestionLanguage = ENGLISH,
    known: Sequence[Mention] = (),
) -> Iterator[Mention]:
    """Yield the vertex mentions: whole names, else names that the words are a part of, else similar names of
    capitalised, quoted or misspelt words.

    A nationality is no name that it is only like ("German": German Shepherd). No plain word of a ``known`` mention is a
    part of a name.
    """
    taken = [mention for mention in known if mention.score >= EXACT_MENTION_SCORE]
    lone = {span for span in spans if _is_plain_word(span) and not any(m.holds(span) for m in taken)}
    hits = _search(kg, spans, lone if kg.is_indexed else frozenset(), limit, language)
    whole = {span: tuple(hit for hit in hits[span.text] if _is_whole(span, hit)) for span in spans}
    exact = [span for span, found in whole.items() if found]
    for span in spans:
        found = hits[span.text]
        if whole[span]:
            score = max(EXACT_MENTION_SCORE, *(hit.score for hit in whole[span]))
            longer = tuple(hit for hit in found if span.is_proper_name and _begins(span, hit))
            yield Mention(span.text, span.start, span.end, "vertex", score, hits=(*whole[span], *longer))
            continue
        if span.text.lower() in language.demonyms:
            continue
        partial = _named_in_part(span, found, language, is_lone=span in lone)
        if partial and not any(_crosses(span, other) for other in exact):
            yield Mention(span.text, span.start, span.end, "vertex", PARTIAL_NAME_SCORE, hits=partial)
            continue
        least = MIN_NAME_SCORE if span.is_proper_name else MIN_MISSPELT_SCORE if _is_misspelt(span, language) else 1.0
        near = tuple(hit for hit in found if hit.score >= least and (not span.is_noun or _ends_with(hit, span.text)))
        is_free = not any(span.start < other.end and other.start < span.end for other in exact)
        if near and (is_free or span.is_proper_name and near[0].score >= _MIN_OVERLAPPING_SCORE):
            yield Mention(span.text, span.start, span.end, "vertex", near[0].score * FUZZY_FACTOR, hits=near)


def _search(
    kg: KnowledgeGraph, spans: Sequence[Span], lone: Set[Span], limit: int, language: QuestionLanguage
) -> dict[str, tuple[Hit, ...]]:
    """Return the hits of the texts of all spans: those with equal labels, and similar ones of words that are no part of
    such a name."""
    found = dict(kg.find_exact(tuple(dict.fromkeys(span.text for span in spans)), limit=limit))
    names = [s for s in spans if s.is_proper_name and any(hit.score >= _EXACT_LABEL_SCORE for hit in found[s.text])]
    free = [span for span in spans if not any(_crosses(span, name) for name in names)]
    parts = {s.text for s in free if s.is_proper_name or s in lone or _may_be_part(s, language)}
    texts = tuple(dict.fromkeys(span.text for span in free))
    found |= kg.search(texts, limit=limit, whole_only=frozenset(texts) - parts, min_score=_MIN_LABEL_SCORE)
    return {text: tuple(h for h in hits if _ends_alike(text, h.matched_label)) for text, hits in found.items()}


def _ends_alike(text: str, label: str) -> bool:
    """Tell whether the mark at the end of a text is a part of a name ("Jeopardy!"), or if it has none."""
    return text[-1] not in END_MARKS or label.endswith(text[-1])


def _is_whole(span: Span, hit: Hit) -> bool:
    """Tell whether the words of a span are a label, or differ from one in the form of the last word only."""
    words = tuple(hit.matched_label.lower().split())
    is_near = hit.score >= _MIN_SAME_LEMMA_SCORE and len(words) == len(span.words) and words[:-1] == span.words[:-1]
    return hit.score >= _EXACT_LABEL_SCORE or is_near and lemma_of(words[-1]) == lemma_of(span.words[-1])


def _named_in_part(span: Span, hits: Sequence[Hit], language: QuestionLanguage, *, is_lone: bool) -> tuple[Hit, ...]:
    """Return the hits of the only vertex whose name has the words of a span, or of several that are called by these
    words and one more: "the 2010 congress", "harbour line" for "Harbour Line I" and "Harbour Line II".

    Longer names that end alike are as near: a surname is not that of the person with the shortest name alone.
    """
    is_part = _is_part if _may_be_part(span, language) else _is_head if is_lone else None
    if is_part is None:
        return ()
    is_proper = span.is_proper_name and FUNCTION_WORDS.isdisjoint(span.words[1:])
    labels = {hit.matched_label: _WORD.findall(hit.matched_label) for hit in hits}
    held = [] if is_proper else [hit for hit in hits if is_part(span, labels[hit.matched_label])]
    if len({hit.iri for hit in held}) == 1:
        alike = [hit for hit in hits if _ends_with(hit, span.text)] if _ends_with(held[0], span.text) else []
        return tuple(dict.fromkeys((*held, *alike)))
    begun = [
        hit
        for hit in hits
        for first in [labels[hit.matched_label][:-1]]
        if len(first) > 1 and first[0][0].isupper() and tuple(map(str.lower, first)) == span.words
    ]
    return tuple(begun) if len({hit.iri for hit in begun}) > 1 else ()


def _is_part(span: Span, parts: Sequence[str]) -> bool:
    """Tell whether the words of a span are a good part of a name, or any part of one with their year.

    Around a preposition they must be the whole name or have a year: "the booking office on Ostrey", "the cup in
    2024/25", not "hotels in Vik".
    """
    words = [part for word in span.words if word not in FUNCTION_WORDS for part in _WORD.findall(word)]
    folded = [part.lower() for part in parts]
    if not {lemma_of(word) for word in words} <= {lemma_of(part) for part in folded}:
        return False
    if any(map(_YEAR.fullmatch, span.words)):
        return True
    if not FUNCTION_WORDS.isdisjoint(span.words):
        return sorted(words) == sorted(folded)
    return sum(part[0].isupper() for part in parts) > 1 and len(words) >= _MIN_NAMED_SHARE * len(parts)


def _is_head(span: Span, parts: Sequence[str]) -> bool:
    """Tell whether a name is the word of a span with plain words before it: "a pool", the swimming pool."""
    is_plain = 1 < len(parts) <= _MAX_HEADED_WORDS and not any(part[0].isupper() for part in parts[1:])
    return is_plain and lemma_of(parts[-1].lower()) == lemma_of(span.words[0])


def _may_be_part(span: Span, language: QuestionLanguage) -> bool:
    """Tell whether a span may be a part of a name: several words, or one that the dictionary lacks."""
    words = [word for word in span.words if word not in FUNCTION_WORDS and any(map(str.isalnum, word))]
    is_lone = len(words) == len(span.words) == 1 and words[0].isalpha() and not language.morphology.is_word(words[0])
    return (len(words) > 1 or is_lone) and _AUXILIARIES.isdisjoint(span.words)


def _is_misspelt(span: Span, language: QuestionLanguage) -> bool:
    """Tell whether several plain words may be a misspelt name: the dictionary lacks one of them."""
    is_plain = len(span.words) > 1 and language.mention_stop_words.isdisjoint(span.words)
    return is_plain and any(is_unknown_word(word, language.morphology) for word in span.words)


def _is_plain_word(span: Span) -> bool:
    return not span.is_proper_name and len(span.words) == 1 and span.words[0] not in FUNCTION_WORDS | STOP_WORDS


def _ends_with(hit: Hit, word: str) -> bool:
    """Tell whether a label is a name that ends with a word, as those of people do with the family name."""
    *others, last = hit.matched_label.split()
    return bool(others) and last.casefold() == word.casefold() and all(other[0].isupper() for other in others)


def _begins(span: Span, hit: Hit) -> bool:
    """Tell whether the words of a span begin a longer name: "Port Carrow", of "Port Carrow FC" too, but no edition."""
    start, rest = hit.matched_label[: len(span.text)], hit.matched_label[len(span.text) :]
    return start.casefold() == span.text.casefold() and rest[:1] == " " and not any(map(str.isdigit, rest))


def _crosses(span: Span, other: Span) -> bool:
    """Tell whether a span overlaps another one and neither holds the other, or is within it."""
    holds = span.start <= other.start and other.end <= span.end
    return span.start < other.end and other.start < span.end and not holds


def value_mentions(kg: KnowledgeGraph, spans: Sequence[Span], *, limit: int) -> Iterator[Mention]:
    """Yield the literal values of the KG that the question holds, also in the plural."""
    short = [span for span in spans if len(span.words) <= _MAX_VALUE_WORDS or span.is_proper_name]
    found = kg.search_literals(tuple(dict.fromkeys(span.text for span in short)), limit=limit, whole_only=True)
    for span in short:
        ended = [hit for hit in found[span.text] if _ends_alike(span.text, str(hit.value))]
        hits = tuple(hit for hit in ended if hit.score >= _EXACT_LABEL_SCORE)
        score = hits[0].score if hits else EXACT_MENTION_SCORE
        if not hits and not span.is_proper_name and singularize(span.words[-1]) != span.words[-1]:
            hits = tuple(h for h in ended if singular_key(str(h.value)) == singular_key(span.text))
        if hits:
            yield Mention(span.text, span.start, span.end, "value", score, values=hits)


def _mentions_by_other_name(
    kg: KnowledgeGraph, question: str, names: Sequence[tuple[str, str]], limit: int
) -> Iterator[Mention]:
    """Yield the vertices that have the second of two names, where the question has the first one."""
    found = kg.search(tuple(dict.fromkeys(other for _, other in names)), limit=limit) if names else {}
    for name, other in names:
        start = question.find(name)
        hits = tuple(hit for hit in found[other] if hit.score >= _EXACT_LABEL_SCORE)
        if start >= 0 and hits:
            yield Mention(name, start, start + len(name), "vertex", hits[0].score, hits=hits)


def select_mentions(mentions: Sequence[Mention], tokens: Sequence[Token]) -> list[Mention]:
    """Leave out what words of a question only resemble, so that it cannot be meant.

    A part of a longer mention is not meant by itself. A number is compared or counts.
    An ordinary word is no name if only the beginning of a sentence capitalises it ("Longest"), if it stands in a longer
    unknown name ("Wolf Alice"), or if the name does not have it ("Alice": Alive). Neither Ann Berg nor Tom Holt is Ann
    Holt.
    """
    runs = [run for run in _capital_runs(mentions, tokens) if len(run) > 1]
    openings = frozenset(_sentence_openings(tokens))
    kept = []
    for mention in mentions:
        if mention.kind != "vertex":
            kept.append(mention)
            continue
        rivals = [m for m in mentions if m is not mention and m.holds(mention)]
        is_whole = mention.score >= EXACT_MENTION_SCORE
        is_number = mention.text.isdecimal() and (not is_whole or is_amount(mention, mentions, tokens))
        if is_number or any(_covers(m, mention) for m in rivals):
            continue
        run = next((r for r in runs if r[0].start <= mention.start and mention.end <= r[-1].end), [])
        is_first = (mention.start, mention.end) in openings
        is_led = len(run) > 1 and (run[0].start, run[0].end) in openings and is_english_word(run[0].lower)
        name = " ".join(token.text for token in run[is_led:])
        hits = tuple(
            hit
            for hit in mention.hits
            if is_whole
            or hit.score >= WITHOUT_BRACKETS
            or not (name and is_other_name(name, hit) or _is_resemblance(mention, hit, bool(run) or is_first))
        )
        kept += [replace(mention, hits=hits)] if hits else []
    return kept


def _covers(other: Mention, mention: Mention) -> bool:
    """Tell whether a mention that holds a vertex mention says what it is: a longer name, or the whole name of a
    class."""
    is_whole = mention.hits[0].score >= WITHOUT_BRACKETS
    if other.kind != "vertex":
        return not is_whole and other.score >= EXACT_MENTION_SCORE
    is_held = _words(other.text) <= _words(other.hits[0].matched_label)
    is_held &= not is_whole or other.score >= EXACT_MENTION_SCORE
    is_longer = other.end - other.start > mention.end - mention.start
    return is_longer and (is_held or not is_whole and other.hits[0].score >= MIN_LONGER_SCORE)


def _is_resemblance(mention: Mention, hit: Hit, is_unsure: bool) -> bool:
    """Tell whether a single word is only like a label, or like a part of one."""
    words = split_words(mention.text)
    if len(words) != 1 or mention.text[:1] in "\"'“‘«„":
        return False
    is_common = mention.text[:1].isupper() and is_english_word(words[0])
    has_word = _words(mention.text) <= _words(hit.matched_label)
    return len(words[0]) < _MIN_PART_LETTERS or is_common and (is_unsure or not has_word)


def is_other_name(name: str, hit: Hit) -> bool:
    """Tell whether a name and a label each have a word that the other has not: "Ann Holt" and "Ann Berg"."""
    words = split_words(name)
    labels = [split_words(label) for label in {hit.label, hit.matched_label} if label]
    return hit.score < WITHOUT_BRACKETS and all(
        any(not _has_like(label, word) for word in words) and any(not _has_like(words, word) for word in label)
        for label in labels
    )


def _has_like(words: Sequence[str], word: str) -> bool:
    """Tell whether one of some words is like another one: misspelt, or its beginning ("J" for "John")."""
    return word in FUNCTION_WORDS or any(
        each.startswith(word) or word.startswith(each) or OSA.normalized_similarity(each, word) >= MIN_WORD_SIMILARITY
        for each in words
    )


def is_amount(
    mention: Mention, mentions: Sequence[Mention], tokens: Sequence[Token], *, with_dates: bool = False
) -> bool:
    """Tell whether a number is compared or counts what follows: "more than 3", "3 beds", but not "line 3 ends" or "does
    1984 have".

    ``with_dates``: or stands behind a preposition ("in 1990").
    """
    is_number = parse_number(mention.text.replace(",", "")) is not None
    if not is_number or any(m.kind == "class" and m.end == mention.start - 1 for m in mentions):
        return False
    before = next((token.lower for token in reversed(tokens) if token.end <= mention.start), "")
    if before == "than" or parse_degree(before)[0] or (with_dates and before in PREPOSITIONS):
        return True
    after = next((token for token in tokens if token.start >= mention.end), None)
    is_plain = after is not None and after.kind == "word" and not after.is_capitalized
    return after is not None and is_plain and after.lower not in PREPOSITIONS | _AUXILIARIES


def _is_nationality(span: Span, tokens: Sequence[Token], language: QuestionLanguage) -> bool:
    """Tell whether a span is the adjective of a people: before a noun or behind "is"; else it may be a language."""
    if not span.text[:1].isupper() or span.text.lower() not in language.demonyms:
        return False
    after = next((token for token in tokens if token.start >= span.end), None)
    if after is None or after.kind == "mark":
        return any(lemma_of(token.lower) == "be" for token in tokens if token.end <= span.start)
    return after.kind == "word" and after.lower not in FUNCTION_WORDS | PREPOSITIONS


def _drop_overlapped(mentions: Sequence[Mention], spans: Sequence[Span]) -> list[Mention]:
    """Leave out mentions within words that overlap a longer exact mention: of two names, the longer one is meant."""
    within_words = {(span.start, span.end) for span in spans if span.is_within_word}
    exact = {(m.start, m.end) for m in mentions if m.score >= EXACT_MENTION_SCORE}
    return [
        m
        for m in mentions
        if (m.start, m.end) not in within_words
        or not any(s < m.end and m.start < e and e - s > m.end - m.start for s, e in exact)
    ]


def _capital_runs(mentions: Sequence[Mention], tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the runs of capitalised words that may be one name: without classes, predicates, roles and titles."""
    known = [m for m in mentions if m.kind == "class" or m.kind == "predicate" and m.score >= EXACT_MENTION_SCORE]

    def is_part(token: Token) -> bool:
        is_role = "person" in noun_kinds(lemma_of(token.lower))[:1]
        is_known = is_role or token.lower in FUNCTION_WORDS | STOP_WORDS
        is_known = is_known or any(m.start <= token.start and token.end <= m.end for m in known)
        return token.kind == "word" and token.is_capitalized and not is_known

    return (list(run) for is_name, run in groupby(tokens, is_part) if is_name)


def _sentence_openings(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the first words of sentences, without owners ("Bush's wife")."""
    for before, token, after in zip((None, *tokens), tokens, (*tokens[1:], None), strict=False):
        if (before is None or before.text in END_MARKS) and (after is None or after.kind != "possessive"):
            yield token.start, token.end


def _words(text: str) -> frozenset[str]:
    return frozenset(map(singularize, split_words(text)))
