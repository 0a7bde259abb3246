"""Mention selection: nationalities as mentions of their countries, and names that are only resembled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.languages import QuestionLanguage
from chattyshared.language.morphology import FUNCTION_WORDS, PREPOSITIONS, lemma_of
from chattyshared.language.tokenizer import Token

from chattykg.linking.mention_detection import EXACT_MENTION_SCORE, Mention
from chattykg.linking.question_spans import Span

DEMONYM_SCORE = 0.9
"""Score (0..1) of a country that its people's adjective mentions. Set by hand."""
_MIN_COUNTRY_SCORE = 0.985
"""Label score (0..1) from which a vertex is the country."""


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
    """Leave out the vertices that a nationality or an amount only resembles: "German" alone is no German Shepherd."""

    def is_noise(mention: Mention) -> bool:
        if mention.kind != "vertex":
            return False
        if mention.text.isdecimal():
            return mention.score < EXACT_MENTION_SCORE or _is_amount(mention, mentions, tokens)
        return mention.score < EXACT_MENTION_SCORE and _is_nationality(mention.start, mention.end, tokens, language)

    return [mention for mention in mentions if not is_noise(mention)]


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


def _is_amount(mention: Mention, mentions: Sequence[Mention], tokens: Sequence[Token]) -> bool:
    """Tell whether a number is compared or counts what follows: "more than 3", "3 beds", but not "line 3 ends"."""
    if any(m.kind == "class" and m.end == mention.start - 1 for m in mentions):
        return False
    before = next((token.lower for token in reversed(tokens) if token.end <= mention.start), "")
    after = next((token for token in tokens if token.start >= mention.end), None)
    is_plain = after is not None and after.kind == "word" and not after.is_capitalized
    return before == "than" or (after is not None and is_plain and after.lower not in PREPOSITIONS)
