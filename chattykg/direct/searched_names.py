"""Searched names: the names of a question that the linker left open, and what the graph has that is like them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from chattyshared.kg import Hit, KnowledgeGraph
from chattyshared.kg.vocabulary import LiteralHit
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM, FUNCTION_WORDS, STOP_WORDS, normalize_text
from chattyshared.language.quantities import MONTHS
from chattyshared.language.tokenizer import Token, tokenize

from chattykg.linking.mentions import Mention
from chattykg.linking.vocabulary_card import VocabularyCard

MIN_NEAR_SCORE = 0.7
"""Score (0..1) from which a label or value may be meant by a name that is only a part of it, or misspelt. Set by
hand."""
MAX_NAMES, MAX_NEAR = 8, 2
"""Names of a question that are searched, and vertices or values that are shown for each."""
MIN_LETTERS = 5
"""Letters of the shortest word in small letters that is taken for a name."""
MAX_ACRONYM = 4
"""Letters of the longest word in capitals that may be no name ("CEO")."""
_NUMBER, _WORD = re.compile(r"\d+"), re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class SearchedNames:
    """What came of a search: mentions of vertices and of values, and the names that nothing in the graph has."""

    vertices: tuple[Mention, ...] = ()
    values: tuple[Mention, ...] = ()
    unknown: tuple[str, ...] = ()


def search_open_names(card: VocabularyCard, kg: KnowledgeGraph) -> SearchedNames:
    """Search the names that no mention of a card holds as a whole; two requests, and none without such a name.

    A name in small letters is a word that the dictionary does not have.

    Raises:
        EndpointError: the KG could not be asked.
    """
    mentions = (*card.mentions, *card.countries)
    runs = list(_open_runs(card, mentions))[:MAX_NAMES]
    texts = tuple(dict.fromkeys(_text_of(run, card) for run in runs))
    if not texts:
        return SearchedNames()
    things, literals = kg.search(texts, limit=MAX_NEAR), kg.search_literals(texts, limit=MAX_NEAR)
    vertices, values, unknown = [], [], []
    for run in runs:
        text, start, end = _text_of(run, card), run[0].start, run[-1].end
        is_held = any(mention.start < end and start < mention.end for mention in mentions)
        hits = tuple(hit for hit in things[text] if _is_near(text, hit.label, hit, is_held=is_held))
        found = tuple(hit for hit in literals[text] if _is_near(text, str(hit.value), hit, is_held=is_held))
        is_word = run[0].kind == "word" and text.islower()
        if hits:
            vertices.append(Mention(text, start, end, "vertex", hits[0].score, hits=hits))
        elif found:
            values.append(Mention(text, start, end, "value", found[0].score, values=found))
        elif not (is_held or is_word or _stands_in(text, literals[text])):
            unknown.append(text)
    return SearchedNames(tuple(vertices), tuple(values), tuple(unknown))


def _open_runs(card: VocabularyCard, mentions: Sequence[Mention]) -> Iterator[Sequence[Token]]:
    """Yield the capitalised and quoted names, and the unknown words, that no mention holds as a whole."""
    for run in _name_runs(tokenize(card.question), card):
        if not any(mention.start <= run[0].start and run[-1].end <= mention.end for mention in mentions):
            yield run


def _text_of(run: Sequence[Token], card: VocabularyCard) -> str:
    return run[0].text if len(run) == 1 else card.question[run[0].start : run[-1].end]


def _name_runs(tokens: Sequence[Token], card: VocabularyCard) -> Iterator[Sequence[Token]]:
    words = [token for token in tokens if token.kind == "word"]
    has_capitals = not all(token.is_capitalized for token in words)
    run: list[Token] = []
    for place, token in enumerate(tokens):
        is_first = place == 0 or tokens[place - 1].kind == "mark"
        is_name = token.kind == "word" and has_capitals and _is_name(token, card, is_first=is_first)
        if is_name or (run and token.kind == "number" and token.start == run[-1].end + 1):
            run.append(token)
            continue
        if run:
            yield run
        run = []
        if token.kind == "quoted":
            yield [token]
        elif token.kind == "word" and _is_unknown_word(token, card):
            yield from _runs_around(tokens, place)
    if run:
        yield run


def _runs_around(tokens: Sequence[Token], place: int) -> Iterator[Sequence[Token]]:
    """Yield an unknown word with the content word before it, with the one after it, and alone ("sierra parda")."""
    for start, end in ((place - 1, place + 1), (place, place + 2), (place, place + 1)):
        run = tokens[max(0, start) : end]
        others = [token for token in run if token is not tokens[place]]
        if len(run) == end - start and all(_is_content(token) for token in others):
            yield run


def _is_content(token: Token) -> bool:
    return token.kind == "word" and token.text.islower() and token.lower not in STOP_WORDS | FUNCTION_WORDS


def _is_name(token: Token, card: VocabularyCard, *, is_first: bool) -> bool:
    if not token.is_capitalized or not token.text[:1].isalpha():
        return False
    is_common = token.lower in {*STOP_WORDS, *COUNTRIES_BY_DEMONYM, *MONTHS} or token.text == "I"
    is_acronym = token.text.isupper() and token.text.isalpha() and len(token.text) <= MAX_ACRONYM
    is_noun = (is_first or card.language.has_capital_nouns) and card.language.morphology.is_word(token.lower)
    return not (is_common or is_acronym or is_noun)


def _is_unknown_word(token: Token, card: VocabularyCard) -> bool:
    is_long = len(token.text) >= MIN_LETTERS and token.text.isalpha() and token.text.islower()
    return is_long and not card.language.morphology.is_word(token.lower)


def _is_near(text: str, label: str, hit: Hit | LiteralHit, *, is_held: bool) -> bool:
    """Tell whether a label may be meant by a name: it has its numbers, and all its words if some are mentions."""
    if hit.score < MIN_NEAR_SCORE or set(_NUMBER.findall(text)) - set(_NUMBER.findall(label)):
        return False
    return not is_held or are_words_of(text, label)


def are_words_of(text: str, label: str) -> bool:
    """Tell whether all words of a text stand in a label."""
    return set(_WORD.findall(normalize_text(text))) <= set(_WORD.findall(normalize_text(label)))


def _stands_in(text: str, hits: Iterable[LiteralHit]) -> bool:
    return any(normalize_text(text) in normalize_text(str(hit.value)) for hit in hits)
