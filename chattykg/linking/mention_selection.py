"""Mention selection: nationalities as mentions; names that are only resembled are held back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from chattyshared.kg import Hit, KnowledgeGraph
from chattyshared.kg.label_ranking import WITHOUT_BRACKETS, singularize, split_words
from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.morphology import (
    FUNCTION_WORDS,
    PREPOSITIONS,
    STOP_WORDS,
    is_english_word,
    lemma_of,
    parse_degree,
)
from chattyshared.language.tokenizer import Token
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import parse_number
from rapidfuzz.distance import OSA

from chattykg.linking.mention_detection import END_MARKS, EXACT_MENTION_SCORE, Mention
from chattykg.linking.question_spans import Span

DEMONYM_SCORE = 0.9
"""Score (0..1) of a country that its people's adjective mentions. Set by hand."""
_MIN_COUNTRY_SCORE = 0.985
"""Label score (0..1) from which a vertex is the country."""
MIN_WORD_SIMILARITY = 0.66
"""Share (0..1) of unchanged letters from which two words of names are one, misspelt: two of three. Set by hand."""
MIN_PART_LETTERS = 3
"""Letters of the shortest word that stands for a longer name: "TV" alone is no Rock TV."""
MIN_LONGER_SCORE = 0.8
"""Label score (0..1) from which words, though misspelt, are a name that its parts do not stand beside."""


def demonym_mentions(
    kg: KnowledgeGraph,
    spans: Sequence[Span],
    tokens: Sequence[Token],
    language: QuestionLanguage,
    mentions: Sequence[Mention],
    *,
    limit: int,
) -> Iterator[Mention]:
    """Yield the countries of the nationalities that nothing in the graph is called by ("Japanese": Japan).

    At most one request, and none for a question without such a word.

    Raises:
        EndpointError: the KG could not be asked.
    """
    named = [m for m in mentions if m.score >= EXACT_MENTION_SCORE]
    places = {
        span: language.demonyms[span.words[0]]
        for span in spans
        if len(span.words) == 1 and _is_nationality(span.start, span.end, tokens, language)
        if not any(m.start <= span.start and span.end <= m.end for m in named)
    }
    hits = kg.search(tuple(dict.fromkeys(places.values())), limit=limit) if places else {}
    for span, place in places.items():
        countries = tuple(hit for hit in hits.get(place, ()) if hit.score >= _MIN_COUNTRY_SCORE)
        if countries:
            yield Mention(span.text, span.start, span.end, "vertex", DEMONYM_SCORE, hits=countries)


def drop_noise(mentions: Sequence[Mention], tokens: Sequence[Token], language: QuestionLanguage) -> list[Mention]:
    """Leave out the vertices that a nationality or an amount only resembles: "German" alone is no German Shepherd.

    So are those that share a part of a name: neither Ann Berg nor Tom Holt is Ann Holt.
    """
    openings = frozenset(_sentence_openings(tokens))
    runs = [run for run in _capital_runs(mentions, tokens) if len(run) > 1]
    names = [run[(run[0].start, run[0].end) in openings and is_english_word(run[0].lower) :] for run in runs]

    def without_others(mention: Mention) -> Mention:
        name = next((n for n in names if n and n[0].start <= mention.start and mention.text_end <= n[-1].end), [])
        text = " ".join(token.text for token in name)
        return replace(mention, hits=tuple(h for h in mention.hits if not is_other_name(text, h))) if name else mention

    def is_noise(mention: Mention) -> bool:
        if mention.kind != "vertex":
            return False
        if mention.text.isdecimal():
            return mention.score < EXACT_MENTION_SCORE or is_amount(mention, mentions, tokens)
        return mention.score < EXACT_MENTION_SCORE and _is_nationality(mention.start, mention.end, tokens, language)

    kept = [without_others(mention) for mention in mentions if not is_noise(mention)]
    return [mention for mention in kept if mention.kind != "vertex" or mention.hits]


def _is_nationality(start: int, end: int, tokens: Sequence[Token], language: QuestionLanguage) -> bool:
    """Tell whether a span is the adjective of a people: before a noun or behind "is"; else it may be a language."""
    index = next(i for i, token in enumerate(tokens) if token.end > start)
    token, after = tokens[index], tokens[index + 1] if index + 1 < len(tokens) else None
    is_behind_copula = any(lemma_of(earlier.lower) == "be" for earlier in tokens[:index]) and (
        after is None or after.kind == "mark"
    )
    is_attribute = after is not None and after.kind == "word" and after.lower not in FUNCTION_WORDS | PREPOSITIONS
    is_known = token.end == end and token.is_capitalized and token.lower in language.demonyms
    return is_known and (is_attribute or is_behind_copula)


def is_amount(
    mention: Mention, mentions: Sequence[Mention], tokens: Sequence[Token], *, with_dates: bool = False
) -> bool:
    """Tell whether a number is compared or counts what follows: "more than 3", "3 beds", but not "line 3 ends".

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
    return after is not None and is_plain and after.lower not in PREPOSITIONS


def drop_resemblances(mentions: Sequence[Mention], tokens: Sequence[Token]) -> list[Mention]:
    """Leave out what words of the question only resemble, so that it cannot be meant.

    A whole name with words of the vocabulary means the name, not something longer ("Coldplay albums"); words that are
    more like a class than like a predicate mean the class.
    A part of a longer mention is not meant by itself; nor is a name by an ordinary word that only the beginning of a
    sentence capitalises ("Longest"), that stands in a longer unknown name ("Wolf Alice"), or that the name does not
    have ("Alice": Alive).
    """
    parts = {(token.start, token.end) for run in _capital_runs(mentions, tokens) if len(run) > 1 for token in run}
    unsure = parts.union(_sentence_openings(tokens))
    mentions = [m for m in mentions if not (_holds_name(m, mentions) or _is_rather_class(m, mentions))]
    kept = []
    for mention in mentions:
        if mention.kind != "vertex":
            kept.append(mention)
        elif not any(_covers(other, mention) for other in mentions):
            span = mention.start, mention.text_end
            hits = tuple(h for h in mention.hits if not _is_resemblance(mention, h, span in unsure))
            kept += [replace(mention, hits=hits)] if hits else []
    return kept


def _holds_name(mention: Mention, mentions: Sequence[Mention]) -> bool:
    """Tell whether words that are no name themselves hold a whole name and words of the vocabulary only."""
    if mention.kind != "vertex" or mention.hits[0].score >= MIN_LONGER_SCORE:
        return False
    inner = [
        m for m in mentions if mention.start <= m.start and m.end <= mention.end and m.score >= EXACT_MENTION_SCORE
    ]
    names = [m for m in inner if m.kind == "vertex" and m.text != mention.text]
    rest = {word for m in inner if m.kind in ("class", "predicate") for word in split_words(m.text)}
    return any(rest and set(split_words(mention.text)) <= rest.union(split_words(name.text)) for name in names)


def _is_rather_class(mention: Mention, mentions: Sequence[Mention]) -> bool:
    return mention.kind == "predicate" and any(
        m.kind == "class" and (m.start, m.end) == (mention.start, mention.end) and m.score > mention.score
        for m in mentions
    )


def _covers(other: Mention, mention: Mention) -> bool:
    """Tell whether another mention says what a vertex mention is: a longer name, or the whole name of a class."""
    start, end = mention.start, mention.text_end
    if not (other.start <= start and end <= other.text_end):
        return False
    is_longer = other.text_end - other.start > end - start
    is_whole = mention.hits[0].score >= WITHOUT_BRACKETS
    if other.kind != "vertex":
        return not is_whole and other.score >= EXACT_MENTION_SCORE
    is_held = _words(other.text) <= _words(other.hits[0].matched_label)
    return is_longer and (is_held or not is_whole and other.hits[0].score >= MIN_LONGER_SCORE)


def _is_resemblance(mention: Mention, hit: Hit, is_unsure: bool) -> bool:
    """Tell whether a single word is only like a label, or like a part of one."""
    words = split_words(mention.text)
    if len(words) != 1 or mention.text[:1] in "\"'“‘«„" or hit.score >= WITHOUT_BRACKETS:
        return False
    word = words[0]
    is_common = mention.text[:1].isupper() and is_english_word(word)
    has_word = _words(mention.text) <= _words(hit.matched_label)
    return len(word) < MIN_PART_LETTERS or is_common and (is_unsure or not has_word)


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


def _capital_runs(mentions: Sequence[Mention], tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the runs of capitalised words that may be one name: without classes, predicates, roles and titles."""
    vocabulary = [m for m in mentions if m.kind == "class" or m.kind == "predicate" and m.score >= EXACT_MENTION_SCORE]
    run: list[Token] = []
    for token in tokens:
        is_named = any(m.start <= token.start and token.end <= m.end for m in vocabulary)
        is_role = "person" in noun_kinds(lemma_of(token.lower))[:1]
        is_small = token.lower in FUNCTION_WORDS | STOP_WORDS
        if token.kind == "word" and token.is_capitalized and not (is_named or is_role or is_small):
            run.append(token)
            continue
        if run:
            yield run
        run = []
    if run:
        yield run


def _sentence_openings(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yield the spans of the first words of sentences, without owners ("Bush's wife")."""
    before = END_MARKS[0]
    for place, token in enumerate(tokens):
        is_owner = any(after.kind == "possessive" for after in tokens[place + 1 : place + 2])
        if before in END_MARKS and not is_owner:
            yield token.start, token.end
        before = token.text


def _words(text: str) -> frozenset[str]:
    return frozenset(map(singularize, split_words(text)))
