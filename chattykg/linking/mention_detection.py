"""Mention detection: the words of a question that name a vertex, a class, a predicate or a literal value of the KG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chattyshared.kg import Hit, KnowledgeGraph, LiteralHit
from chattyshared.kg.label_ranking import singular_key, singularize
from chattyshared.language.languages import ENGLISH, QuestionLanguage
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import FUNCTION_WORDS, STOP_WORDS, lemma_of
from chattyshared.language.tokenizer import Token

from chattykg.linking.label_lexicon import (
    PART_SCORE,
    PART_SHARE_WEIGHT,
    STEM_MATCH_SCORE,
    LabelLexicon,
    correct_spelling,
    is_unknown_word,
)
from chattykg.linking.question_spans import Span

MentionKind = Literal["vertex", "class", "predicate", "value"]
END_MARKS = "?!."
"""Marks at the end of a sentence, which a name may have too ("Jeopardy!")."""


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

    @property
    def text_end(self) -> int:
        """The end of its text without marks behind it ("Mira Holt?")."""
        return self.start + len(self.text.rstrip(END_MARKS))


# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MIN_NAME_SCORE = 0.62
"""Least label score (0..1) of capitalised or quoted words; plain words need an exact label."""
PLURAL_VALUE_SCORE = 0.95
"""Score (0..1) of a value that the question states in the plural ("herbs" for the kind "herb")."""
MIN_MISSPELT_SCORE = 0.8
"""Least label score (0..1) of several plain words of which one is misspelt."""
HEADED_SCORE = 0.9
"""Score (0..1) of the only vertex whose label has a word of the question as head."""
_MAX_HEADED, _MAX_HEADED_WORDS = 5, 3
"""Labels that are compared with a word, and words of the longest label that its head alone may stand for."""
_EXACT_LABEL_SCORE = 0.985
"""Label score (0..1) from which a hit is exact."""
EXACT_MENTION_SCORE = 0.95
"""Least score (0..1) of a vertex mention with an exact hit."""
_MIN_LABEL_SCORE = 0.5
"""Least label score (0..1) of any hit."""
_PARTIAL_NAME_SCORE = 0.9
"""Score (0..1) of the only vertex with all words of a span in its name ("the transport authority")."""
_MIN_NAMED_SHARE = 0.5
"""Share (0..1) of the words of a name that a part of it has at least."""
_MIN_OVERLAPPING_SCORE = 0.9
"""Least score (0..1) of a fuzzy name that overlaps an exact mention."""
_FUZZY_FACTOR = 0.95
"""Factor (0..1) of the score of a fuzzy mention."""
_MIN_SAME_LEMMA_SCORE = 0.6
"""Least label score (0..1) of a label that differs in the form of its last word only."""
_MAX_VALUE_WORDS = 5
"""Words of the longest plain text that is looked up as a value."""
_MAX_VOCABULARY_WORDS = 4
"""Words of the longest text that is compared with classes and predicates."""

_INNER_AUXILIARIES = word_set("function_words", "auxiliaries")
"""No label has one of these after its first word: "films did direct" holds two mentions."""
_ARTICLES = frozenset(("a", "an"))
_YEAR = re.compile(r"[12]\d{3}(?:[/–-]\d{2,4})?")
"""A year, or a season that begins in one: "2024/25"."""
_WORD = re.compile(r"\w+")


def vertex_mentions(
    kg: KnowledgeGraph, question_spans: Sequence[Span], *, limit: int, language: QuestionLanguage = ENGLISH
) -> Iterator[Mention]:
    """Yield the vertex mentions: exact labels for plain words, similar ones for capitalised or quoted words."""
    hits = _search(kg, question_spans, limit, language)
    exact_at: set[int] = set()
    exact: list[Span] = []
    fuzzy_hits: list[tuple[Span, tuple[Hit, ...]]] = []
    for span in question_spans:
        exact_hits = tuple(
            hit for hit in hits.get(span.text, ()) if hit.score >= _EXACT_LABEL_SCORE or _same_lemma(hit, span)
        )
        if exact_hits:
            exact_at.update(range(span.start, span.end))
            exact.append(span)
            score = max(EXACT_MENTION_SCORE, *(hit.score for hit in exact_hits))
            yield Mention(span.text, span.start, span.end, "vertex", score, hits=exact_hits)
        elif span.is_proper_name or _is_misspelt(span, language):
            min_score = MIN_NAME_SCORE if span.is_proper_name else MIN_MISSPELT_SCORE
            near = (hit for hit in hits.get(span.text, ()) if hit.score >= min_score)
            fuzzy_hits.append((span, tuple(hit for hit in near if not span.is_noun or _ends_with(hit, span.text))))
    begun: list[Span] = []
    for span in question_spans:
        found = hits.get(span.text, ())
        partial_hits = _named_in_part(span, found, language)
        if not partial_hits and (partial_hits := _begun_by(span, found)):
            begun.append(span)
        if partial_hits and not any(_crosses(span, other) for other in exact):
            yield Mention(span.text, span.start, span.end, "vertex", _PARTIAL_NAME_SCORE, hits=partial_hits)
    fuzzy_hits = [
        (s, found) for s, found in fuzzy_hits if not any(o.start <= s.start and s.end <= o.end for o in begun)
    ]
    for span, span_hits in fuzzy_hits:
        is_held = _is_held(span, span_hits) and not any(_crosses(span, other) for other in exact)
        is_separate = is_held or exact_at.isdisjoint(range(span.start, span.end))
        if span_hits and (is_separate or span.is_proper_name and span_hits[0].score >= _MIN_OVERLAPPING_SCORE):
            score = span_hits[0].score * _FUZZY_FACTOR
            yield Mention(span.text, span.start, span.end, "vertex", score, hits=span_hits)


def _search(
    kg: KnowledgeGraph, question_spans: Sequence[Span], limit: int, language: QuestionLanguage
) -> dict[str, tuple[Hit, ...]]:
    """Return the hits of the texts of all spans: first those with equal labels, then similar ones of words that are no
    part of such a name."""
    found = dict(kg.find_exact(tuple(dict.fromkeys(span.text for span in question_spans)), limit=limit))
    names = [s for s in question_spans if s.is_proper_name and _is_exact(found[s.text])]
    open_spans = [s for s in question_spans if not any(_crosses(s, name) for name in names)]
    fuzzy = {
        span.text
        for span in open_spans
        if span.is_proper_name or _is_misspelt(span, language) or _may_be_part(span, language)
    }
    texts = tuple(dict.fromkeys(span.text for span in open_spans))
    whole_only = frozenset(texts) - fuzzy
    return found | dict(kg.search(texts, limit=limit, whole_only=whole_only, min_score=_MIN_LABEL_SCORE))


def _is_exact(hits: Sequence[Hit]) -> bool:
    return any(hit.score >= _EXACT_LABEL_SCORE for hit in hits)


def headed_mentions(kg: KnowledgeGraph, spans: Sequence[Span], mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the only vertices whose labels are plain words with a word of the question as head: "a pool" for "swimming
    pool".

    Raises:
        EndpointError: the KG could not be asked.
    """
    exact = [m for m in mentions if m.score >= EXACT_MENTION_SCORE]
    words = {
        span: span.words[0]
        for span in spans
        if len(span.words) == 1 and not span.is_proper_name and span.words[0] not in FUNCTION_WORDS | STOP_WORDS
        if not any(m.start < span.end and span.start < m.end for m in exact)
    }
    is_open = bool(words) and kg.is_indexed
    hits = kg.search(tuple({*words.values()}), limit=_MAX_HEADED, min_score=_MIN_LABEL_SCORE) if is_open else {}
    for span, word in words.items():
        headed = tuple(hit for hit in hits.get(word, ()) if _is_head(word, hit.matched_label))
        if len({hit.iri for hit in headed}) == 1:
            yield Mention(span.text, span.start, span.end, "vertex", HEADED_SCORE, hits=headed[:1])


def _is_head(word: str, label: str) -> bool:
    """Tell whether a label is a word with plain words before it."""
    others = _WORD.findall(label)[1:]
    is_plain = 0 < len(others) < _MAX_HEADED_WORDS and not any(other[0].isupper() for other in others)
    return is_plain and lemma_of(others[-1]) == lemma_of(word)


def _ends_with(hit: Hit, word: str) -> bool:
    """Tell whether a label is a name that ends with a word, as those of people do with the family name."""
    *others, last = hit.matched_label.split()
    return bool(others) and last.casefold() == word.casefold() and all(other[0].isupper() for other in others)


def _is_held(span: Span, hits: Sequence[Hit]) -> bool:
    """Tell whether the name of one vertex alone, among the hits, has all of several words of a span."""
    words = {word for word in span.words if word not in FUNCTION_WORDS}
    holding = {hit.iri for hit in hits if words <= set(_WORD.findall(hit.matched_label.lower()))}
    return len(words) > 1 and len(holding) == 1


def _crosses(span: Span, other: Span) -> bool:
    """Tell whether a span overlaps another one and neither holds the other, or is within it."""
    holds = span.start <= other.start and other.end <= span.end
    return span.start < other.end and other.start < span.end and not holds


def _named_in_part(span: Span, hits: Sequence[Hit], language: QuestionLanguage) -> tuple[Hit, ...]:
    """Return the hits of the only vertex whose name holds all words of a span: "the 2010 congress", "the rype".

    Longer names that end alike are as near: a surname is not that of the person with the shortest name alone.
    """
    is_whole = span.is_proper_name and FUNCTION_WORDS.isdisjoint(span.words[1:])
    if is_whole or _is_exact(hits) or not _may_be_part(span, language):
        return ()
    matches = [hit for hit in hits if _is_part(span, hit.matched_label)]
    if len({hit.iri for hit in matches}) != 1:
        return ()
    alike = [hit for hit in hits if _ends_with(hit, span.text)] if _ends_with(matches[0], span.text) else []
    return tuple(dict.fromkeys((*matches, *alike)))


def _begun_by(span: Span, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits of several vertices whose names are the words of a span and one more: "harbour line" for "Harbour
    Line I" and "Harbour Line II"."""
    if len(span.words) < 2 or _is_exact(hits):
        return ()
    words = [(hit, _WORD.findall(hit.matched_label)) for hit in hits]
    begun = [hit for hit, parts in words if tuple(map(str.lower, parts[:-1])) == span.words and parts[0][0].isupper()]
    return tuple(begun) if len({hit.iri for hit in begun}) > 1 else ()


def _is_part(span: Span, label: str) -> bool:
    """Tell whether the words of a span are a good part of a label that is a name, or any part of one with their year.

    Around a preposition they must be the whole name or have a year: "the booking office on Ostrey", "the cup in
    2024/25", not "hotels in Vik".
    """
    words, parts = [word for word in span.words if word not in FUNCTION_WORDS], _WORD.findall(label)
    is_dated = any(map(_YEAR.fullmatch, words))
    is_joined = len(words) < len(span.words)
    words = [part for word in words for part in _WORD.findall(word)]
    lemmas, folded = {lemma_of(word) for word in words}, [part.lower() for part in parts]
    if not lemmas <= {lemma_of(part) for part in folded}:
        return False
    if is_joined and not is_dated:
        return sorted(words) == sorted(folded)
    is_name = sum(part[0].isupper() for part in parts) > 1 and len(words) >= _MIN_NAMED_SHARE * len(parts)
    return is_name or is_dated


def _may_be_part(span: Span, language: QuestionLanguage) -> bool:
    """Tell whether a span may be a part of a name: several words, or one that the dictionary lacks."""
    words = [word for word in span.words if word not in FUNCTION_WORDS and any(map(str.isalnum, word))]
    is_lone = len(words) == len(span.words) == 1 and words[0].isalpha() and not language.morphology.is_word(words[0])
    return (len(words) > 1 or is_lone) and _INNER_AUXILIARIES.isdisjoint(span.words)


def _is_misspelt(span: Span, language: QuestionLanguage) -> bool:
    """Tell whether several plain words may be a misspelt name: the dictionary lacks one of them."""
    is_plain = len(span.words) > 1 and language.mention_stop_words.isdisjoint(span.words)
    return is_plain and any(is_unknown_word(word, language.morphology) for word in span.words)


def _same_lemma(hit: Hit, span: Span) -> bool:
    words = tuple(hit.matched_label.lower().split())
    is_near = hit.score >= _MIN_SAME_LEMMA_SCORE and len(words) == len(span.words) and words[:-1] == span.words[:-1]
    return is_near and lemma_of(words[-1]) == lemma_of(span.words[-1])


def value_mentions(kg: KnowledgeGraph, question_spans: Sequence[Span], *, limit: int) -> Iterator[Mention]:
    """Yield the literal values of the KG that the question holds, also in the plural."""
    texts = tuple(
        dict.fromkeys(
            span.text for span in question_spans if len(span.words) <= _MAX_VALUE_WORDS or span.is_proper_name
        )
    )
    hits_by_text: Mapping[str, tuple[LiteralHit, ...]] = (
        kg.search_literals(texts, limit=limit, whole_only=True) if texts else {}
    )
    for span in question_spans:
        exact_hits = tuple(hit for hit in hits_by_text.get(span.text, ()) if hit.score >= _EXACT_LABEL_SCORE)
        if exact_hits:
            yield Mention(span.text, span.start, span.end, "value", exact_hits[0].score, values=exact_hits)
        elif not span.is_proper_name and singularize(span.words[-1]) != span.words[-1]:
            plural_hits = tuple(
                hit
                for hit in hits_by_text.get(span.text, ())
                if singular_key(str(hit.value)) == singular_key(span.text)
            )
            if plural_hits:
                yield Mention(span.text, span.start, span.end, "value", PLURAL_VALUE_SCORE, values=plural_hits)


def alias_mentions(
    kg: KnowledgeGraph, question: str, aliases: Sequence[tuple[str, str]], mentions: Sequence[Mention], *, limit: int
) -> Iterator[Mention]:
    """Yield the vertices with an alias of a name in the question, without those in ``mentions``.

    Raises:
        EndpointError: the KG could not be asked.
    """
    hits = kg.search(tuple(dict.fromkeys(alias for _, alias in aliases)), limit=limit)
    known = {(m.start, m.end, hit.iri) for m in mentions if m.kind == "vertex" for hit in m.hits}
    for name, alias in aliases:
        start = question.find(name)
        end = start + len(name)
        exact_hits = [
            hit for hit in hits.get(alias, ()) if hit.score >= _EXACT_LABEL_SCORE and (start, end, hit.iri) not in known
        ]
        if start >= 0 and exact_hits:
            yield Mention(name, start, end, "vertex", exact_hits[0].score, hits=tuple(exact_hits))


def vocabulary_mentions(lexicon: LabelLexicon, question_spans: Sequence[Span]) -> Iterator[Mention]:
    """Yield the class and predicate mentions."""
    for span in question_spans:
        parts = (part for word in span.words for part in (word.split("-") if word.count("-") == 1 else (word,)))
        words = tuple(part for part in parts if part not in lexicon.language.label_words and part != "'s")
        words = words if span.is_within_word else tuple(correct_spelling(word, lexicon) for word in words)
        if _INNER_AUXILIARIES.intersection(span.words[1:]) or "'s" in span.words:
            continue
        if span.start and span.text[0].isupper() and _ARTICLES.intersection(span.words[1:]):
            continue  # "is Vik Hospital a teaching hospital": the name ends before the article
        is_framed = not lexicon.language.label_words.isdisjoint((span.words[0], span.words[-1]))
        if is_framed or not 0 < len(words) <= _MAX_VOCABULARY_WORDS:
            continue
        for kind in ("class", "predicate"):
            matches = lexicon.match_labels(kind, words)
            if span.is_within_word and matches and matches[0].score < STEM_MATCH_SCORE:
                continue
            is_part = bool(matches) and matches[0].score <= PART_SCORE + PART_SHARE_WEIGHT
            if matches and not (kind == "class" and is_part and "of" in span.words):
                yield Mention(
                    span.text, span.start, span.end, "class" if kind == "class" else "predicate", matches[0].score,
                    iris=tuple(n.iri for n in matches), scores=tuple(n.score for n in matches),
                )  # fmt: skip


def prepositional_mentions(lexicon: LabelLexicon, question: str, tokens: Sequence[Token]) -> Iterator[Mention]:
    """Yield the mentions of predicates whose label begins with a preposition ("from station")."""
    for start, token in enumerate(tokens) if lexicon.prepositional else ():
        for end in range(start + 2, min(len(tokens), start + _MAX_VOCABULARY_WORDS) + 1):
            iris = lexicon.prepositional.get(" ".join(each.lower for each in tokens[start:end]), ())
            if iris:
                span = token.start, tokens[end - 1].end
                yield Mention(
                    question[slice(*span)], *span, "predicate", 1.0, iris=tuple(iris), scores=(1.0,) * len(iris)
                )


def drop_overlapped(mentions: Sequence[Mention], question_spans: Sequence[Span]) -> list[Mention]:
    """Leave out mentions within words that overlap a longer exact mention: of two names, the longer one is meant."""
    within_words = {(span.start, span.end) for span in question_spans if span.is_within_word}
    exact = {(m.start, m.end) for m in mentions if m.score >= EXACT_MENTION_SCORE}
    return [
        m
        for m in mentions
        if (m.start, m.end) not in within_words
        or not any(s < m.end and m.start < e and e - s > m.end - m.start for s, e in exact)
    ]
