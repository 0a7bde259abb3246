"""The vertices and values that a question mentions, as a prompt for a whole query lists them.

Names that the linker left open are searched: the prompt shows what the graph has that is like them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from chattyshared.kg import Hit, KnowledgeGraph
from chattyshared.kg.vocabulary import LiteralHit
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM, FUNCTION_WORDS, STOP_WORDS, normalize_text
from chattyshared.language.quantities import MONTHS
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.terms import NUMERIC_DATATYPES, Term, iri_to_words, n3
from rdflib import Literal

from chattykg.linking.mentions import Mention, is_amount
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.linking.vocabulary_card_text import WHOLE_NAME_SCORE

MAX_VERTICES, MAX_NAMESAKES, MAX_OTHERS = 12, 8, 2
"""Vertices in all, vertices of one mention that share the name of the best one, and vertices of other names."""
MAX_VALUES, MAX_PREDICATES = 8, 3
"""Lines of values, and predicates of each."""
MAX_KINDS = 3
"""Classes of a vertex that are named."""
MIN_SHARE_OF_BEST = 0.85
"""Share (0..1) of the best hit's score that another hit needs; set by hand."""


@dataclass(frozen=True, slots=True)
class MentionedVertex:
    """A vertex that the question mentions: its number, its kind and its classes, and the words that mention it."""

    number: int
    iri: str
    label: str
    kind: str
    mention: str
    types: tuple[str, ...] = ()

    def as_prompt_text(self) -> str:
        """Return its label and its kind on one line; the words that mention it are told if they are not its label."""
        words = (
            ""
            if normalize_text(self.mention) == normalize_text(self.label)
            else f', said as "{self.mention[:60].rstrip("?!.,;")}"'
        )
        return " ".join(f"{self.label[:80]} [{self.kind or 'thing'}]{words}".split())


def render_vertices(vertices: Sequence[MentionedVertex]) -> list[str]:
    """Return the lines of vertices; those of one name and one kind share a line."""
    numbers: dict[str, list[str]] = {}
    for vertex in vertices:
        numbers.setdefault(vertex.as_prompt_text(), []).append(f"e:{vertex.number}")
    return [f"{', '.join(group)} = {text}" for text, group in numbers.items()]


def find_mentioned_vertices(
    card: VocabularyCard, kg: KnowledgeGraph, rejected: Set[str], searched: Sequence[Mention] = ()
) -> tuple[MentionedVertex, ...]:
    """Return the vertices that a question mentions, without the rejected ones and without noise; no request.

    ``searched`` are mentions that the card does not have.
    """
    vertices: dict[str, MentionedVertex] = {}
    classes, tokens = kg.vocabulary.classes, tokenize(card.question)
    terms = {*classes, *kg.vocabulary.predicates}  # they have lines of their own
    mentions = sorted((*card.mentions_of_kind("vertex"), *card.countries, *searched), key=lambda mention: mention.start)
    for mention in mentions:
        is_quantity = is_amount(mention, card.mentions, tokens, with_dates=True)
        if is_quantity or any(_is_part(mention, other) for other in mentions):
            continue
        hits = [hit for hit in mention.hits if hit.iri not in rejected and (hit.types or hit.iri not in terms)]
        for hit in _best_hits(mention, hits):
            if hit.iri not in vertices and len(vertices) < MAX_VERTICES:
                number, kind = len(vertices) + 1, _name_kinds(hit.types, kg)
                vertices[hit.iri] = MentionedVertex(number, hit.iri, hit.label, kind, mention.text, hit.types)
    return tuple(vertices.values())


def _name_kinds(types: Sequence[str], kg: KnowledgeGraph) -> str:
    """Return the labels of classes, without those that are above another one."""
    vocabulary = kg.vocabulary
    above = {iri for type_ in types for iri in vocabulary.superclasses(type_) - {type_}}
    kinds, known = [iri for iri in types if iri not in above] or types, vocabulary.classes
    return ", ".join(known[iri].label if iri in known else iri_to_words(iri) for iri in kinds[:MAX_KINDS])


def render_values(
    card: VocabularyCard,
    kg: KnowledgeGraph,
    prefixed_name: Callable[[str], str],
    vertices: Sequence[MentionedVertex],
    searched: Sequence[Mention] = (),
) -> list[str]:
    """Return the lines of mentioned values, without quantities, parts of names, and what listed vertices state."""
    class_spans = {(m.start, m.end) for m in card.mentions_of_kind("class") if m.score >= WHOLE_NAME_SCORE}
    names = [m for m in card.mentions_of_kind("vertex") if m.score >= WHOLE_NAME_SCORE]
    tokens, lines = tokenize(card.question), []
    for mention in (*card.mentions_of_kind("value"), *searched):
        is_quantity = is_amount(mention, card.mentions, tokens, with_dates=True)
        is_class = (mention.start, mention.end) in class_spans
        if is_quantity or is_class or any(_is_within(mention, name) for name in names):
            continue
        for hit in mention.values[:MAX_OTHERS]:
            is_same = normalize_text(str(hit.value)) == normalize_text(mention.text)
            predicates = [iri for iri in hit.predicates if iri not in kg.profile.labels]
            is_name = any(name.text == mention.text for name in names) and not predicates
            is_like = not is_same and mention.text.islower() and mention not in searched
            if is_name or is_like or any(_is_stated(vertex, hit, kg) for vertex in vertices):
                continue  # the name of a thing, or a word that is like a name
            words = "" if is_same else f', said as "{mention.text[:60]}"'
            under = ", ".join(map(prefixed_name, (predicates or hit.predicates)[:MAX_PREDICATES]))
            lines.append(f"value {_short_term(hit.value)} under {under}{words}")
    return lines[:MAX_VALUES]


def _is_stated(vertex: MentionedVertex, hit: LiteralHit, kg: KnowledgeGraph) -> bool:
    """Tell whether a vertex may have a value, and is called by it."""
    known = kg.vocabulary.predicates
    if normalize_text(vertex.label) != normalize_text(str(hit.value)):
        return False
    domains = (known[predicate].domains for predicate in hit.predicates if predicate in known)
    return all(kg.vocabulary.may_share_members(vertex.types, classes) for classes in domains)


def _is_within(mention: Mention, other: Mention) -> bool:
    is_shorter = mention.end - mention.start < other.end - other.start
    return is_shorter and other.start <= mention.start and mention.end <= other.end


def _short_term(term: Term) -> str:
    """Return a literal as a query writes it, a number without its type."""
    is_plain = isinstance(term, Literal) and term.datatype in NUMERIC_DATATYPES
    return " ".join((str(term) if is_plain else n3(term))[:80].split())


def _best_hits(mention: Mention, hits: Sequence[Hit]) -> Iterator[Hit]:
    """Yield the best hits: all of the best one's name, else the best; of a demonym, its country or its own name."""
    if not hits:
        return
    name, is_exact = normalize_text(hits[0].label), normalize_text(hits[0].label) == normalize_text(mention.text)
    country = COUNTRIES_BY_DEMONYM.get(mention.text.lower(), "")
    if country and not is_exact and normalize_text(country) != name:
        return
    for place, hit in enumerate(hits):
        is_near = place < MAX_OTHERS and not is_exact and hit.score >= MIN_SHARE_OF_BEST * hits[0].score
        if place == 0 or is_near or (place < MAX_NAMESAKES and normalize_text(hit.label) == name):
            yield hit


def _is_part(mention: Mention, other: Mention) -> bool:
    """Tell whether a mention lies inside another one whose words all stand in the label of a vertex."""
    return _is_within(mention, other) and any(are_words_of(other.text, hit.label) for hit in other.hits)


# ---------------------------------------------------------------------------------------------------------------- names


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
