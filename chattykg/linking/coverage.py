"""What a question says and its reading leaves out: names, quoted words and numbers that stand nowhere in the QIR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    COUNTRIES_BY_DEMONYM,
    GENERIC_WORDS,
    PREPOSITIONS,
    STOP_WORDS,
    lemma_of,
    normalize_text,
)
from chattyshared.language.quantities import MONTHS, parse_century, parse_decade
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.literals import parse_number

from chattykg.linking.candidates import EntityLink
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown

_SURE = 0.95
_NEAR = 0.6
"""A noun this near to a predicate's label is one that the graph has: "timezone" and "time zone"."""
_PERIOD = 4
"""Tokens of the longest period: late, nineteen, the mark, eighties."""
_BEYOND = frozenset("before after prior earlier later".split())
"""Words behind which a period may stand in a reading by the year next to it."""
_WHOLES = word_set("nouns", "whole_nouns")
"""Nouns that leave nothing out: "in this graph", "in history"."""
_TELLING = frozenset(("by",))
"""Prepositions that tell the relation by themselves: who made it."""
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_PER = (60.0, 3600.0, 24.0, 86400.0)
_SCALES = frozenset((10.0, 100.0, 1e3, 1e6, 1e9, 0.1, 0.01, 0.001, *_PER, *(round(1 / n, 6) for n in _PER)))
"""A number may be said in another unit than it is kept in: "8.38 million", "20 metres", "ten minutes" in seconds."""
_COMMA = re.compile(r"\d+,\d+")
_PLAIN = word_set("function_words", "uncovered_words")
"""Words that a reading need not take up."""


def uncovered_mentions(
    question: str, qir: QIR, card: VocabularyCard, candidate_links: Mapping[str, Sequence[EntityLink]]
) -> tuple[str, ...]:
    """Return what a question names and its QIR does not: an answer that leaves it out answers another question."""
    spoken = _spoken(qir)
    tokens = tokenize(question)
    told = tuple(t.text for t in tokens if t.kind in ("quoted", "number") and not _is_heard(t, qir, spoken))
    known = {str(term) for anchors in candidate_links.values() for anchor in anchors for term in anchor.terms}
    heard = " | ".join(spoken)
    names = tuple(text for text, iris in _names(card, tokens) if normalize_text(text) not in heard and not iris & known)
    strange = () if qir.entities() or told or names else tuple(t.text for t in _capitals(tokens, card, spoken))
    unread = (*_periods(tokens, spoken), *_unread(qir, card, tokens, spoken))
    return tuple(dict.fromkeys((*told, *names, *strange, *unread)))


def _periods(tokens: Sequence[Token], spoken: Sequence[str]) -> Iterator[str]:
    """Yield decades and centuries of which the reading has no year: "90s" in "90s films"."""
    years = {int(year) for said in spoken for year in re.findall(r"\b\d{4}\b", said)}
    slack = int(any(token.lower in _BEYOND for token in tokens))  # after the 80s: from 1990
    for end in range(1, len(tokens) + 1):
        for start in range(max(0, end - _PERIOD), end):
            text = " ".join(token.lower for token in tokens[start:end])
            bounds = parse_decade(text) or parse_century(text)
            if bounds and tokens[start].kind == "word":
                named = any(normalize_text(tokens[end - 1].text) in said.split() for said in spoken)
                if not named and not years & set(range(bounds[0] - slack, bounds[1] + slack + 1)):
                    yield text
                break


def _unread(qir: QIR, card: VocabularyCard, tokens: Sequence[Token], spoken: Sequence[str]) -> Iterator[str]:
    """Yield nouns that the graph has not and the reading only calls an unknown by: "weather" in "the weather in X".

    So is "frumbies" in "made in the frumbies", which nothing else is said of. Of a yes-or-no question any unknown may
    be so called, and where it names nothing else each word must be read.
    """
    free = [t for t in tokens if t.kind == "word" and not any(m.start <= t.start < m.end for m in card.mentions)]
    free = [
        t for t in free if not _is_said(t, spoken) and t.lower not in STOP_WORDS | PREPOSITIONS | GENERIC_WORDS | _PLAIN
    ]
    truth = qir.shape == "boolean"
    idle = qir.unknowns() if truth else (*_idle_target(qir), *_idle_ends(qir))
    called = {word for unknown in idle for word in _words(unknown)}
    bare = truth and not (qir.entities() or qir.filters or qir.having or qir.triples)
    free = [t for t in free if bare or {t.lower, t.lemma} & called]
    yield from (
        t.text for t in free if all(lexical_similarity(t.lower, entry.label) < _NEAR for entry in card.predicates)
    )


def _idle_target(qir: QIR) -> tuple[str, ...]:
    """Return what is asked for where neither a class nor a word of a relation tells what it is."""
    around = [r for r in (*qir.triples, *qir.negated) if qir.target in r.ends()]
    told = any(unknown == qir.target for unknown, _ in (*qir.classes, *qir.values))
    idle = around and all(is_function_phrase(r.relation) and r.relation not in _TELLING for r in around)
    idle = idle and not any(all(map(is_unknown, r.ends())) for r in around)
    return (qir.target,) if idle and not told and not qir.order and qir.shape != "date" else ()


def _idle_ends(qir: QIR) -> Iterator[str]:
    """Yield the unknowns behind a preposition of which the reading says nothing else."""
    relations = (*qir.triples, *qir.negated)
    told = {qir.target, *qir.targets, *(unknown for unknown, _ in (*qir.classes, *qir.values))}
    told |= {end for condition in qir.filters for end in (condition.unknown, condition.value)}
    told |= {having.counted for having in qir.having} | ({qir.order.by} if qir.order else set())
    for relation in relations:
        end, words = relation.object, relation.relation.split()
        lonely = is_unknown(end) and end not in told and sum(end in r.ends() for r in relations) == 1
        if lonely and words and words[-1] in PREPOSITIONS and not _WHOLES.issuperset(_words(end)):
            yield end


def _words(unknown: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z]+", unknown.lower()))


def _is_said(token: Token, spoken: Sequence[str]) -> bool:
    words = {word for said in spoken for word in said.split()}
    return token.lower in words or token.lemma in words or token.lemma in {lemma_of(word) for word in words}


def _capitals(tokens: Sequence[Token], card: VocabularyCard, spoken: Sequence[str]) -> Iterator[Token]:
    """Yield capitalised words of the first sentence that nothing was made of: a name that the graph does not know."""
    known = [m for m in card.mentions if m.kind in ("class", "predicate")]
    end = next((at for at, token in enumerate(tokens) if token.lower in "?|"), len(tokens))
    if all(token.is_capitalized for token in tokens[:end] if token.kind == "word"):
        return
    for before, token in zip(tokens, tokens[1:end], strict=False):
        named = token.kind == "word" and token.is_capitalized and token.text[:1].isalpha() and before.lower not in ".!:"
        plain_word = token.lower in STOP_WORDS or token.lower in COUNTRIES_BY_DEMONYM or token.lower in MONTHS
        if named and not plain_word and not _is_spoken(token, spoken):
            if not any(m.start <= token.start and token.end <= m.end for m in known):
                yield token


def _is_spoken(token: Token, spoken: Sequence[str]) -> bool:
    word = normalize_text(token.text)
    return any(word in said or token.lemma in said for said in spoken)


def _spoken(qir: QIR) -> tuple[str, ...]:
    """Return all words of a QIR but the names of its unknowns, which bind nothing."""
    said = [*qir.entities(), *qir.relations(), *(name for _, name in qir.classes)]
    said += [condition.value for condition in qir.filters if not is_unknown(condition.value)]
    said += [having.value for having in qir.having]
    return tuple(normalize_text(text) for text in said if text)


def _is_heard(token: Token, qir: QIR, spoken: Sequence[str]) -> bool:
    if token.kind == "quoted":
        words = set(normalize_text(token.text).split())
        return any(words & set(said.split()) for said in spoken)
    wanted = _numbers(token.text)  # one number: "1,500" may be read in two ways, and one of them is enough
    order = {Decimal(n) for n in (qir.order.limit, qir.order.offset, qir.order.offset + 1)} if qir.order else set()
    heard = order.union(*(_numbers(said) for said in spoken))
    return not wanted or any(n == m or n and round(float(m / n), 6) in _SCALES for n in wanted for m in heard)


def _numbers(text: str) -> set[Decimal]:
    """Return the numbers in a text by value, each also as it reads with a decimal comma."""
    forms = [found.replace(",", "") for found in _NUMBER.findall(text)]
    forms += [found.replace(",", ".") for found in _COMMA.findall(text)]
    return {number for form in forms if (number := parse_number(form)) is not None}


def _names(card: VocabularyCard, tokens: Sequence[Token]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the names in a question that are labels of vertices, the longest ones, with the vertices."""
    words = [m for m in card.mentions if m.kind in ("class", "predicate")]
    found = [m for m in card.mentions_of_kind("vertex") if m.score >= _SURE and m.hits]
    for mention in found:
        inner = [t for t in tokens if mention.start <= t.start < mention.end]
        wider = any(o.start <= mention.start and mention.end <= o.end and o is not mention for o in (*found, *words))
        if (
            not wider
            and inner
            and inner[0].start > 0
            and all(t.is_capitalized or not t.text[:1].isalpha() for t in inner)
        ):
            yield mention.text, frozenset(str(hit.iri) for hit in mention.hits)
