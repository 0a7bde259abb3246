"""Question coverage: the words of a question that have no place in its QIR or its query."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal

from chattyshared.language.languages import language_of
from chattyshared.language.lexicon import word_set
from chattyshared.language.morphology import (
    COUNTRIES_BY_DEMONYM,
    FUNCTION,
    GENERIC_WORDS,
    PREPOSITIONS,
    STOP_WORDS,
    analyze_phrase,
    lemma_of,
    normalize_text,
    related_stems,
)
from chattyshared.language.quantities import BEFORE_CHRIST, MONTHS, number_readings, written_number_at
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import has_sense
from chattyshared.literals import parse_moment, parse_number

from chattykg.linking.candidates import EntityLink
from chattykg.linking.relation_phrases import is_function_phrase
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, is_unknown

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MIN_NAME_SCORE = 0.95
"""Score (0..1) of a vertex mention from which it is a name that the QIR must hold."""
_MIN_LABEL_SIMILARITY = 0.6
"""Similarity (0..1) of a noun and a predicate label from which the graph has the noun ("timezone", "time zone")."""
_MAX_PERIOD_TOKENS = 4
"""Tokens of the longest period: "late nineteen-eighties" has four."""
_TEMPORAL_ORDER_WORDS = frozenset("before after prior earlier later".split())
"""After these words the QIR may hold the year next to a period."""
_CONTENT_PREPOSITIONS = frozenset(("by",))
"""Prepositions that name a relation without a verb: who made it."""
_TIME_RATIOS = (60.0, 3600.0, 24.0, 86400.0)
_UNIT_RATIOS = frozenset(
    (10.0, 100.0, 1e3, 1e6, 1e9, 0.1, 0.01, 0.001, *_TIME_RATIOS, *(round(1 / n, 6) for n in _TIME_RATIOS))
)
"""Ratios of a number in the question and the same number in the unit of the graph ("8.38 million", "20 metres")."""
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_DECIMAL_COMMA = re.compile(r"(?<!\d)\d+,\d+")
_CLOCK = re.compile(r"\b(\d\d):\d\d:\d\d\b")
"""A time of the day; its hour may be said from noon on ("3 pm")."""
_UNRESTRICTIVE_NOUNS = word_set("nouns", "whole_nouns")
"""Nouns that do not restrict a question: "in this graph", "in history"."""
_PRAISE = word_set("function_words", "praise")
"""Adjectives by which users praise what they ask for."""
_LINKING_WORDS = STOP_WORDS | PREPOSITIONS
_EMPTY_WORDS = _LINKING_WORDS | word_set("function_words", "uncovered_words")
"""Words that bind nothing."""


def uncovered_mentions(
    question: str, qir: QIR, card: VocabularyCard, candidate_links: Mapping[str, Sequence[EntityLink]]
) -> tuple[str, ...]:
    """Return the texts of a question that its QIR misses; an answer without them answers another question."""
    texts = _texts_of(qir)
    is_before_christ = any(parse_moment(each.value) and each.value.startswith("-") for each in qir.filters)
    tokens = [token for token in tokenize(question) if not (is_before_christ and token.lower in BEFORE_CHRIST)]
    numbers = {Decimal(n) for n in (qir.order.limit, qir.order.offset, qir.order.offset + 1)} if qir.order else set()
    numbers = numbers.union(*map(_numbers, texts))
    numbers |= {Decimal(hour) % 12 for text in texts for hour in _CLOCK.findall(text)}
    linked = {str(term) for links in candidate_links.values() for link in links for term in link.terms}
    written = [t.text for t in tokens if t.kind in ("quoted", "number") and not _is_covered(t, texts, numbers)]
    written += [
        name
        for name, iris in _vertex_names(card, tokens)
        if not iris & linked and not any(normalize_text(name) in text for text in texts)
    ]
    written += _unknown_names(tokens, card, texts, is_named=bool(qir.entities() or written))
    others = (*_uncovered_periods(tokens, card, texts), *_unknown_nouns(qir, card, tokens, texts))
    return tuple(dict.fromkeys((*written, *others)))


def texts_outside_query(question: str, card: VocabularyCard, sparql: str, unused: Sequence[str]) -> tuple[str, ...]:
    """Return the names, quoted words and numbers of a question that a query does not hold and nobody calls unused.

    A query that holds a vertex holds the words of its label. A year may be off by one ("after 1999" is from 2000 on).
    """
    tokens = tokenize(question)
    used = [hit.label for m in card.mentions_of_kind("vertex") for hit in m.hits if f"<{hit.iri}>" in sparql]
    text = normalize_text(" ".join((sparql, *used, *unused)))
    words = " ".join(re.findall(r"\w+", text))
    numbers = {number + step for number in _numbers(text) for step in (-1, 0, 1)}
    values = (
        t.text
        for t in tokens
        if t.kind in ("quoted", "number")
        and not _is_covered(t, (words,), numbers)
        and not _match(number_readings(written_number_at(question, t.start)), numbers)
    )
    names = (
        name
        for name, iris in _vertex_names(card, tokens)
        if normalize_text(name) not in text and not any(iri in sparql for iri in iris)
    )
    return tuple(dict.fromkeys((*values, *names)))


def restricting_words(question: str, unused: Sequence[str], qir: QIR | None = None) -> tuple[str, ...]:
    """Return the unused words that restrict what a question asks for; ``qir`` is None where there is only a query.

    The noun that a question word asks for only names a kind where a verb or noun tells the relation ("which city did X
    die in"); an adverb comments. All other content words restrict: without them an answer belongs to another question.
    """
    tokens, language = tokenize(question), language_of(question)
    ignored = set(language.uncovered_words)
    for at, token in enumerate(tokens if qir is not None and not _unconstrained_target(qir) else ()):
        after = [each.kind == "word" and each.lower not in language.closed_words for each in tokens[at + 1 : at + 3]]
        if token.lower in language.asking_words and after in ([True], [True, False]):
            ignored.add(tokens[at + 1].lower)
    words = (word for text in unused for word in _content_words(text))
    return tuple(word for word in words if word.lower() not in ignored and not _is_comment(word.lower()))


def unknown_first(words: Sequence[str], card: VocabularyCard) -> tuple[str, ...]:
    """Return the words that no sure mention holds, or all if each is in one: what the graph knows is not to blame."""
    known = " ".join(m.text.lower() for m in card.mentions if m.score >= _MIN_NAME_SCORE).split()
    return tuple(word for word in words if word.lower() not in known) or tuple(words)


def unknown_words(question: str, card: VocabularyCard) -> tuple[str, ...]:
    """Return the content words of a question that nothing of the graph is called by, as the question writes them."""
    known = [m for m in card.mentions if m.score >= _MIN_NAME_SCORE or m.kind in ("class", "predicate")]
    empty = _EMPTY_WORDS | GENERIC_WORDS | FUNCTION | language_of(question).commands
    words = (t for t in tokenize(question) if t.kind == "word" and t.lower not in empty)
    unknown = (t.text for t in words if not any(m.start <= t.start < m.end for m in known))
    return tuple(dict.fromkeys(unknown))


def dropped_modifiers(question: str, qir: QIR, unused: Sequence[str]) -> tuple[str, ...]:
    """Return the words that a question has before a noun or as one, and its QIR only in the name of an unknown.

    The name binds nothing: ``?vegan_film`` is any thing if no class and no relation holds "vegan". A plain noun that is
    asked for is left to `restricting_words`.
    """
    lemmas = {lemma_of(word) for text in (*_texts_of(qir), *unused) for word in normalize_text(text).split()}
    names = ((unknown, _words(unknown)) for unknown in qir.unknowns())
    words = (word for unknown, name in names if len(name) > 1 or unknown != qir.target for word in name)
    tokens = [token for token in tokenize(question) if token.lower not in _EMPTY_WORDS]
    asked = {lemma_of(part): token.text for token in tokens for part in (*token.lower.split("-"), token.lower)}
    return tuple(dict.fromkeys(asked[lemma_of(w)] for w in words if lemma_of(w) in asked.keys() - lemmas))


def foreign_words(question: str, unused: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a list of unused words that the question does not have, in any form."""
    text, lemmas = normalize_text(question), {token.lemma for token in tokenize(question)}
    words = (word for listed in unused for word in normalize_text(listed.replace("-", " ")).split())
    return tuple(word for word in words if word not in text and lemma_of(word) not in lemmas)


def unmatched_words(phrase: str, label: str) -> tuple[str, ...]:
    """Return the content words of a relation phrase that a predicate's label does not have, if it has another one."""
    stems = analyze_phrase(label).stems
    words = [word for word in analyze_phrase(phrase).words if word not in _LINKING_WORDS | GENERIC_WORDS]
    unmatched = tuple(word for word in words if stems.isdisjoint(related_stems(word)))
    return unmatched if len(unmatched) < len(words) else ()


def _content_words(text: str) -> Sequence[str]:
    """Return the words of a text without function words, or all of them if it has no others ("without")."""
    return [word for word in text.split() if word.lower() not in _LINKING_WORDS] or text.split()


def _is_comment(word: str) -> bool:
    """Tell whether a word comments: an adverb of manner ("quickly", not "daily" or "dog-friendly"), or praise."""
    return word in _PRAISE or word.endswith("ly") and "-" not in word and not has_sense(word, "a", "n")


# --------------------------------------------------------------------------------------- names, symbols and numbers
def _vertex_names(card: VocabularyCard, tokens: Sequence[Token]) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the longest names in a question that are labels of vertices, with the IRIs of the vertices."""
    names = [m for m in card.mentions_of_kind("vertex") if m.score >= _MIN_NAME_SCORE]
    others = [m for m in card.mentions if m.kind in ("class", "predicate")]
    for mention in names:
        words = [t for t in tokens if mention.start <= t.start < mention.end]
        is_within_other = any(o.holds(mention) for o in (*names, *others) if o is not mention)
        is_capitalized = all(t.is_capitalized or not t.text[:1].isalpha() for t in words)
        if words and words[0].start > 0 and is_capitalized and not is_within_other:
            yield mention.text, frozenset(hit.iri for hit in mention.hits)


def _unknown_names(
    tokens: Sequence[Token], card: VocabularyCard, texts: Sequence[str], *, is_named: bool
) -> Iterator[str]:
    """Yield what is written as a name in the first sentence, and that the QIR does not hold.

    Symbols in the place of a name are names; one at the end decorates a question that names something else. Where the
    QIR names something, a capitalised word may be any other word.
    """
    vocabulary = [m for m in card.mentions if m.kind in ("class", "predicate")]
    end = next((at for at, token in enumerate(tokens) if token.lower in "?|"), len(tokens))
    words = [token for token in tokens[:end] if token.kind == "word"] or tokens[:1]
    is_open = not is_named and not all(token.is_capitalized for token in words)
    for previous, token in zip(tokens, tokens[1:end], strict=False):
        is_common = token.lower in STOP_WORDS or token.lower in COUNTRIES_BY_DEMONYM or token.lower in MONTHS
        is_common |= card.language.has_capital_nouns and card.language.morphology.is_word(token.text)
        is_name = token.kind == "word" and token.text[:1].isupper() and token.text != "I" and not is_common
        is_name = is_name and is_open and previous.lower not in ".!:"
        if token.kind == "mark" and unicodedata.category(token.text) == "So":
            is_name = not is_named or token.start < words[-1].start
        is_known = any(m.start <= token.start and token.end <= m.end for m in vocabulary)
        is_held = any(normalize_text(token.text) in text or token.lemma in text for text in texts)
        if is_name and not (is_known or is_held):
            yield token.text


def _uncovered_periods(tokens: Sequence[Token], card: VocabularyCard, texts: Sequence[str]) -> Iterator[str]:
    """Yield the decades and centuries of which the QIR has no year: "90s" in "90s films"."""
    years = {int(year) for text in texts for year in re.findall(r"\b\d{4}\b", text)}
    slack = int(any(token.lower in _TEMPORAL_ORDER_WORDS for token in tokens))  # after the 80s: from 1990
    words = {word for text in texts for word in text.split()}
    for end in range(1, len(tokens) + 1):
        for start in range(max(0, end - _MAX_PERIOD_TOKENS), end):
            text = " ".join(token.lower for token in tokens[start:end])
            if bounds := card.language.morphology.read_period(text):
                is_named = tokens[start].kind != "word" or normalize_text(tokens[end - 1].text) in words
                if not is_named and years.isdisjoint(range(bounds[0] - slack, bounds[1] + slack + 1)):
                    yield text
                break


def _is_covered(token: Token, texts: Sequence[str], text_numbers: Set[Decimal]) -> bool:
    if token.kind == "quoted":
        words = set(normalize_text(token.text).split())
        return any(words & set(text.split()) for text in texts)
    numbers = _numbers(token.text)  # "1,500" has two readings; one of them is enough
    return not numbers or _match(numbers, text_numbers)


def _match(numbers: Set[Decimal], others: Set[Decimal]) -> bool:
    """Tell whether a number is among others, perhaps in another unit."""
    return any(n == m or n and round(float(m / n), 6) in _UNIT_RATIOS for n in numbers for m in others)


def _numbers(text: str) -> set[Decimal]:
    """Return the numbers in a text, each also read with a decimal comma."""
    forms = [match.replace(",", "") for match in _NUMBER.findall(text)]
    forms += [match.replace(",", ".") for match in _DECIMAL_COMMA.findall(text)]
    return {number for form in forms if (number := parse_number(form)) is not None}


def _texts_of(qir: QIR) -> tuple[str, ...]:
    """Return the normalized texts of a QIR without the names of its unknowns."""
    texts = [*qir.entities(), *qir.relations(), *(name for _, name in qir.classes)]
    texts += [text for f in qir.filters if not is_unknown(f.value) for text in (f.value, f.unit)]
    texts += [having.value for having in qir.having]
    return tuple(normalize_text(text) for text in texts if text)


# ------------------------------------------------------------------------------------------------------------- nouns
def _unknown_nouns(qir: QIR, card: VocabularyCard, tokens: Sequence[Token], texts: Sequence[str]) -> Iterator[str]:
    """Yield the words that nothing of the graph is called by and that only name an unknown ("weather" in "the weather
    in X"), or modify a class noun within a relation phrase.

    In a yes-or-no question any unknown may have such a name, and if the QIR has no other condition, it must hold each
    word.
    """
    classes = {lemma_of(m.text.lower()) for m in card.mentions_of_kind("class") if m.score >= _MIN_NAME_SCORE}
    phrases = [phrase.split() for phrase in map(normalize_text, qir.relations())]
    modifiers = {
        w for words in phrases if words and lemma_of(words[-1]) in classes for w in words[:-1]
    } - _LINKING_WORDS
    is_boolean = qir.shape == "boolean"
    unconstrained = qir.unknowns() if is_boolean else (*_unconstrained_target(qir), *_unconstrained_ends(qir))
    names = {word for unknown in unconstrained for word in _words(unknown)}
    is_bare = is_boolean and not (qir.entities() or qir.filters or qir.having or qir.triples)
    held = {form for text in texts for word in text.split() for form in (word, lemma_of(word))}
    for token in tokens:
        holding = [m for m in card.mentions if m.start <= token.start < m.end]
        if token.kind != "word" or any(m.kind != "value" or m.score >= _MIN_NAME_SCORE for m in holding):
            continue
        is_held = not held.isdisjoint((token.lower, token.lemma)) or token.lower in _EMPTY_WORDS | GENERIC_WORDS
        is_name = is_bare or not names.isdisjoint((token.lower, token.lemma))
        if token.lower in modifiers or is_name and not is_held and not holding:
            if token.lower in modifiers or all(
                lexical_similarity(token.lower, entry.label) < _MIN_LABEL_SIMILARITY for entry in card.predicates
            ):
                yield token.text


def _unconstrained_target(qir: QIR) -> tuple[str, ...]:
    """Return the target if neither a class nor the words of a relation restrict it."""
    incident = [r for r in (*qir.triples, *qir.negated) if qir.target in r.ends()]
    is_typed = any(unknown == qir.target for unknown, _ in (*qir.classes, *qir.values))
    is_vague = incident and all(
        is_function_phrase(r.relation)
        and r.relation not in _CONTENT_PREPOSITIONS
        and not all(map(is_unknown, r.ends()))
        for r in incident
    )
    return (qir.target,) if is_vague and not is_typed and not qir.order and qir.shape != "date" else ()


def _unconstrained_ends(qir: QIR) -> Iterator[str]:
    """Yield the unknowns after a preposition that have no other condition in the QIR."""
    relations = (*qir.triples, *qir.negated)
    constrained = {qir.target, *qir.targets, *(unknown for unknown, _ in (*qir.classes, *qir.values))}
    constrained |= {end for condition in qir.filters for end in (condition.unknown, condition.value)}
    constrained |= {having.counted for having in qir.having} | ({qir.order.by} if qir.order else set())
    for relation in relations:
        end, words = relation.object, relation.relation.split()
        is_lone = is_unknown(end) and end not in constrained and sum(end in r.ends() for r in relations) == 1
        if is_lone and words and words[-1] in PREPOSITIONS and not _UNRESTRICTIVE_NOUNS.issuperset(_words(end)):
            yield end


def _words(unknown: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z]+", unknown.lower()))
