"""The lexer: a question as chunks that the graph's vocabulary and the lexicon know, each with its categories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.morphology import (
    ADJECTIVE_ANTONYMS,
    ADJECTIVE_QUANTITIES,
    ADJECTIVE_SYNONYMS,
    COUNTRIES_BY_DEMONYM,
    is_english_word,
    lemma_of,
    parse_degree,
)
from chattyshared.language.quantities import normalize_quantity, parse_century, parse_decade
from chattyshared.language.tokenizer import Token
from chattyshared.language.wordnet import antonyms, similar_adjectives
from chattyshared.literals import parse_number

from chattykg.linking.answer_types import is_numeric_predicate, truth_values
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.legacy.closed_words import (
    COMMAND,
    FUNCTION,
    GENERIC,
    IRREGULAR,
    NAMING,
    NOUN_ING,
    NOUN_VERB,
    NUMBERS,
    ORDINALS,
    SCALES,
    UNITS,
    VERBS,
)

# Origin of the numbers below: set by hand, beside the weights of the rules.
KIND_SCORES = {"vertex": 1.0, "class": 0.98, "predicate": 0.96, "value": 0.9}
"""Score of a token inside an exact mention, by kind of the mention."""
PLAIN_NAME_FACTOR = 0.9
"""Factor of the score of a name in lower case."""
LENGTH_BONUS = 0.1
"""Added for each further token of a mention."""
UNKNOWN_NAME_SCORE, VERB_SCORE, NOUN_SCORE, UNKNOWN_SCORE = 0.7, 0.6, 0.2, -1.5
"""Score of a token of a capitalised name, a verb, a noun and a modifier that the graph does not know."""
NAME_IN_NOUN_COST = 1.2
"""Cost of each capitalised word or superlative in a noun that the graph does not know."""
VERB_AS_NOUN_COST = 1.0
"""Cost of a noun of the graph behind a name that may be the verb of the name."""
GENERIC_NOUN_FACTOR = 0.3
"""Factor of the score of a generic noun ("people") that a predicate has in part."""
_KNOWN_VERB_BONUS = 0.3
_PARTICLE_BONUS = 0.3
_NOUN_LIKE_VERB_COST = 0.35
_MAX_NOUN_TOKENS, _MAX_DATE_TOKENS = 3, 5
_SURE_FLAG = 0.75
"""Score from which a mention names a predicate of truth values."""
_PARTLY, _WEAK_CLASS, _WHOLLY = 0.76, 0.9, 0.95
"""Scores below which a predicate is named in part and a class weakly, and from which anything is named wholly."""
_PRONOUNS, _POSSESSIVES = frozenset("it he she they him them".split()), frozenset("its his her their".split())
_YEAR = re.compile(r"1\d{3}|20\d\d")
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z%€$°]{1,6})$")
_ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th)$")
_CODE = re.compile(r"@|^\+\d|^[A-Za-z]+[-/.]?\d|\d[-/.]\d+[-/.]?[A-Za-z]")
GENERIC_NOUNS = word_set("nouns", "generic") | GENERIC
"""Nouns that name no kind of thing by themselves."""
GENDERS = word_map("nouns", "genders")
PARTICLES = word_set("prepositions", "particles")
_NAME_INNER = frozenset("of the de van von la der".split())


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens ``start`` to ``end`` of a question and what is known of them.

    Attributes:
        text: The words as they are written.
        lower: The words in lower case.
        value: The number, date or period in its normal form.
        unit: The unit that is written together with a number ("20g").
        adjective: The positive form of a gradable adjective.
        country: The country of a demonym.
        group: The mention of a class.
        predicate: The mention of a predicate.
        classes: The IRIs of the class.
        types: The classes of the vertices that a name may name.
        is_numeric: It names a predicate of numbers.
        is_literal: It names a predicate of literals.
        is_plural: Its last word is a plural noun.
        is_naming: It is a word for names ("name", "title").
        is_known: The graph's vocabulary knows it.
        truths: The values for true and false of a predicate of truth values.
    """

    text: str
    lower: str
    start: int
    end: int
    value: str = ""
    unit: str = ""
    adjective: str = ""
    country: str = ""
    group: Mention | None = None
    predicate: Mention | None = None
    classes: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    is_literal: bool = False
    is_numeric: bool = False
    is_plural: bool = False
    is_naming: bool = False
    is_known: bool = False
    truths: tuple[str, str] | None = None

    @property
    def is_class_only(self) -> bool:
        """Tell whether the words name a class and no predicate."""
        return self.group is not None and self.predicate is None


@dataclass(slots=True)
class Lexer:
    """The lexical nodes of one question; ``quantifiers`` are words of the rules that are no part of a noun."""

    question: str
    tokens: Sequence[Token]
    card: VocabularyCard
    quantifiers: frozenset[str] = frozenset()
    _nodes: dict[tuple[str, int], list[Node]] = field(default_factory=dict)
    _categories: dict[int, frozenset[str]] = field(default_factory=dict)
    _covered: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._add_mentions()
        self._add_unknown_names()
        for position in range(len(self.tokens)):
            self._add_quantities(position)
            self._add_pronouns(position)
            self._add_adjectives(position)
            self._add_verbs(position)
            self._add_nouns(position)
        categories: dict[int, set[str]] = {}
        for category, start in self._nodes:
            categories.setdefault(start, set()).add(category)
        self._categories = {start: frozenset(names) for start, names in categories.items()}

    def categories(self, start: int) -> frozenset[str]:
        """Return the categories of the lexical nodes that begin at a token."""
        return self._categories.get(start, frozenset())

    def nodes(self, category: str, start: int) -> Sequence[Node]:
        """Return the lexical nodes of a category that begin at a token."""
        return self._nodes.get((category, start), ())

    def is_known(self, position: int) -> bool:
        """Tell whether a token is part of a mention or of a name."""
        return position in self._covered

    def _add(self, category: str, chunk: Chunk, score: float) -> None:
        node = Node(category, chunk.start, chunk.end, score, chunk)
        self._nodes.setdefault((category, chunk.start), []).append(node)

    # ------------------------------------------------------------------------------------------------------ mentions
    def _add_mentions(self) -> None:
        for (start, end), kinds in self._spans().items():
            text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
            is_related = end < len(self.tokens) and self.tokens[end].lower == "of"
            kinds = self._surest(dict(kinds), is_related=is_related)
            vertex, value, group, predicate = (kinds.get(k) for k in ("vertex", "value", "class", "predicate"))
            self._covered.update(range(start, end))
            named = vertex or value
            chunk = Chunk(
                text, text.lower(), start, end,
                country=COUNTRIES_BY_DEMONYM.get(text.lower(), ""),
                group=group, predicate=predicate,
                classes=self.card.expand_classes(group.iris) if group else frozenset(),
                types=frozenset(t for hit in vertex.hits[:3] for t in hit.types) if vertex else frozenset(),
                is_literal=self._is_literal(predicate), is_numeric=self._is_numeric(predicate),
                is_plural=is_plural(text, self._is_capital(start, kinds)),
                is_naming=text.lower() in NAMING, is_known=True, truths=truth_values(self._entry(predicate)),
            )  # fmt: skip
            if named and not (end - start == 1 and self.tokens[start].kind == "number"):
                factor = 1.0 if self.tokens[start].is_capitalized and start else PLAIN_NAME_FACTOR
                if chunk.country and named.score < _WHOLLY:
                    factor = 0.5  # rather the people or the country of that adjective
                if value is named and _YEAR.fullmatch(text):
                    factor = 0.5
                self._add("Name", chunk, factor * _score(named, end - start))
                if not self.tokens[start].is_capitalized or start == 0:
                    self._add("KindN", chunk, factor * _score(named, end - start))
            cost = VERB_AS_NOUN_COST * self._is_verb_of_name(start, end)
            if group:
                self._add("ClassN", chunk, _score(group, end - start) - cost)
            if predicate:
                factor = GENERIC_NOUN_FACTOR if chunk.lower in GENERIC_NOUNS and predicate.score < _WHOLLY else 1.0
                self._add("Rel", chunk, factor * _score(predicate, end - start) - cost)
                if end - start > 1 and is_participle(chunk.lower.rsplit(" ", 1)[-1]):
                    self._add("Ven", chunk, _score(predicate, end - start))
                if chunk.truths and predicate.score >= _SURE_FLAG:
                    self._add("Flag", chunk, _score(predicate, end - start))
                if end - start == 1 and is_adjective(chunk.lower):
                    self._add("AdjR", chunk, _score(predicate, end - start))
                if end - start > 1 and lemma_of(chunk.lower.split()[0]) in VERBS:
                    self._add("Vfin", chunk, _score(predicate, end - start))

    def _is_verb_of_name(self, start: int, end: int) -> bool:
        """Tell whether a word behind a name may be its verb rather than a noun ("people from Norland work ...")."""
        word = self.tokens[start].lower
        is_base = end - start == 1 and word in VERBS and lemma_of(word) == word
        return is_base and start > 1 and self.tokens[start - 1].is_capitalized

    def _surest(self, kinds: dict[str, Mention], *, is_related: bool) -> dict[str, Mention]:
        """Drop the class or the predicate where the same words name something else much better.

        A noun before "of" keeps its predicate, whatever vertex bears its name.
        """
        group, predicate = kinds.get("class"), kinds.get("predicate")
        if group and predicate and group.score < _WEAK_CLASS <= predicate.score:
            return {kind: mention for kind, mention in kinds.items() if kind != "class"}
        rivals = ("class",) if is_related else ("class", "vertex", "value")
        best = max((kinds[kind].score for kind in rivals if kind in kinds), default=0.0)
        if predicate and predicate.score < _PARTLY and best >= _WHOLLY:
            return {kind: mention for kind, mention in kinds.items() if kind != "predicate"}
        return kinds

    def _spans(self) -> Mapping[tuple[int, int], Mapping[str, Mention]]:
        starts = {token.start: position for position, token in enumerate(self.tokens)}
        ends = {token.end: position + 1 for position, token in enumerate(self.tokens)}
        spans: dict[tuple[int, int], dict[str, Mention]] = {}
        groups = {
            (starts.get(mention.start), mention.text.casefold())
            for mention in self.card.mentions_of_kind("class")
            if mention.score >= _WHOLLY
        }
        for mention in self.card.mentions:
            if mention.start not in starts or mention.end not in ends or starts[mention.start] >= ends[mention.end]:
                continue
            start, end = starts[mention.start], ends[mention.end]
            if mention.kind in ("class", "predicate") and end - start == 1 and self.tokens[start].lower in FUNCTION:
                continue
            if mention.kind == "predicate" and (start, _doer(mention.text)) in groups:
                continue  # "students performed": who did it, and what they did
            if start == 0 and end > 1 and self.tokens[0].lower in COMMAND and mention.kind != "vertex":
                continue
            kinds = spans.setdefault((start, end), {})
            if mention.kind not in kinds or mention.score > kinds[mention.kind].score:
                kinds[mention.kind] = mention
        return spans

    def _is_capital(self, start: int, kinds: Mapping[str, Mention]) -> bool:
        """Tell whether a capital letter says that this is a name: at the beginning of a question all words have one."""
        return self.tokens[start].is_capitalized and not (start == 0 and ("class" in kinds or "predicate" in kinds))

    def _is_literal(self, predicate: Mention | None) -> bool:
        entry = self._entry(predicate)
        return entry is not None and entry.object_kind == "literal"

    def _is_numeric(self, predicate: Mention | None) -> bool:
        entry = self._entry(predicate)
        return entry is not None and self._is_literal(predicate) and is_numeric_predicate(entry)

    def _entry(self, predicate: Mention | None) -> PredicateEntry | None:
        if predicate is None:
            return None
        entries = {entry.iri: entry for entry in self.card.predicates}
        return next((entries[iri] for iri in predicate.iris if iri in entries), None)

    def _add_unknown_names(self) -> None:
        """Add runs of capitalised words, quoted texts and codes that the graph does not know."""
        position = 0
        while position < len(self.tokens):
            end = position
            while end < len(self.tokens) and self._is_proper(end, first=position):
                end += 1
            while end > position and self.tokens[end - 1].lower in _NAME_INNER | {"and"}:
                end -= 1
            is_covered = self._covered.issuperset(range(position, end))
            is_people = end - position == 1 and self.tokens[position].lower in COUNTRIES_BY_DEMONYM
            is_name = position or end - position > 1 or self._is_marked(position)
            if end > position and not is_covered and not is_people and is_name:
                text = self.question[self.tokens[position].start : self.tokens[end - 1].end]
                chunk = Chunk(text, text.lower(), position, end, country=COUNTRIES_BY_DEMONYM.get(text.lower(), ""))
                self._add("Name", chunk, UNKNOWN_NAME_SCORE * (end - position))
                self._covered.update(range(position, end))
            position = max(end, position + 1)

    def _is_marked(self, position: int) -> bool:
        return self.tokens[position].kind == "quoted" or bool(_CODE.search(self.tokens[position].text))

    def _is_proper(self, position: int, *, first: int) -> bool:
        token = self.tokens[position]
        if token.kind == "quoted":
            return position == first
        if token.kind == "number":
            return position > first and len(token.text) <= 3
        if token.kind != "word" or (position == first and self.tokens[first].kind == "quoted"):
            return False
        if position > first and self.tokens[first].kind == "quoted":
            return False
        if position > first and token.lower in _NAME_INNER and position + 1 < len(self.tokens):
            following = self.tokens[position + 1]
            return following.is_capitalized and following.lower not in FUNCTION or following.lower in ("the", "la")
        if token.lower in FUNCTION and not (position > first and token.text.isupper() and len(token.text) > 1):
            return False
        return token.is_capitalized or bool(_CODE.search(token.text))

    # ---------------------------------------------------------------------------------------------------- quantities
    def _add_quantities(self, position: int) -> None:
        token = self.tokens[position]
        chunk = _number(self.tokens, position)
        if chunk is not None:
            self._add("Often" if token.lower in ("once", "twice") else "Num", chunk, 0.5)
        ordinal = _ORDINAL.match(token.lower)
        rank = int(ordinal[1]) if ordinal else ORDINALS.get(token.lower, 0)
        if rank:
            self._add("Ord", self._chunk(position, position + 1, value=str(rank)), 0.3)
        if token.lower in UNITS:
            self._add("Unit", self._chunk(position, position + 1), 0.3)
        for end in range(position + 1, min(position + _MAX_DATE_TOKENS, len(self.tokens)) + 1):
            text = " ".join(t.lower for t in self.tokens[position:end])
            date = text if end - position == 1 and _YEAR.fullmatch(text) else _date(text)
            if date:
                self._add("Date", self._chunk(position, end, value=date), 0.6 * (end - position))
            years = parse_decade(text.removesuffix(" 's"), is_plural=text.endswith(" 's")) or parse_century(text)
            if years:
                self._add("Period", self._chunk(position, end, value=f"{years[0]}/{years[1]}"), 0.6 * (end - position))

    def _chunk(self, start: int, end: int, **known: str) -> Chunk:
        text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
        lower = self.tokens[start].lower if end - start == 1 else text.lower()
        text = lower if end - start == 1 and text.lower() != lower else text  # a misspelt word is corrected
        return Chunk(text, lower, start, end, **known)  # type: ignore[arg-type]

    def _add_pronouns(self, position: int) -> None:
        lower = self.tokens[position].lower
        if lower in _PRONOUNS:
            self._add("Pronoun", self._chunk(position, position + 1), 0.0)
        if lower in GENDERS:
            self._add("Gender", replace(self._chunk(position, position + 1), text=GENDERS[lower]), 0.0)
        if lower in _POSSESSIVES:
            self._add("Possessive", self._chunk(position, position + 1), 0.0)

    # ----------------------------------------------------------------------------------- adjectives, verbs and nouns
    def _add_adjectives(self, position: int) -> None:
        lower = self.tokens[position].lower
        adjective, degree = parse_degree(lower)
        if degree:
            category: Literal["AdjEr", "AdjEst"] = "AdjEr" if degree == "er" else "AdjEst"
            self._add(category, self._chunk(position, position + 1, adjective=adjective), 0.5)
        if lower in ADJECTIVE_QUANTITIES or lower in ADJECTIVE_ANTONYMS or lower in ADJECTIVE_SYNONYMS:
            self._add("Adj", self._chunk(position, position + 1, adjective=lower), 0.4)
        if lower in COUNTRIES_BY_DEMONYM:
            chunk = self._chunk(position, position + 1, country=COUNTRIES_BY_DEMONYM[lower])
            self._add("Country", chunk, 0.4)

    def _add_verbs(self, position: int) -> None:
        token = self.tokens[position]
        if token.kind != "word" or token.lower in FUNCTION or (token.is_capitalized and position):
            return
        chunk, lemma = self._chunk(position, position + 1), lemma_of(token.lower)
        known = any(n.meaning.predicate for n in self.nodes("Rel", position) if n.end == position + 1)
        score = VERB_SCORE + _KNOWN_VERB_BONUS * known
        categories = ["Ving" if token.lower.endswith("ing") else "Ven"] if is_participle(token.lower) else []
        if not token.lower.endswith("ing") and (lemma in VERBS or is_participle(token.lower)):
            categories.append("Vfin")
        for category in categories:
            cost = _NOUN_LIKE_VERB_COST if category == "Vfin" and lemma in NOUN_VERB else 0.0
            self._add(category, chunk, score - cost)
            if position + 1 < len(self.tokens) and self.tokens[position + 1].lower in PARTICLES:
                self._add(category, self._chunk(position, position + 2), score - cost + _PARTICLE_BONUS)

    def _add_nouns(self, position: int) -> None:
        """Add nouns that the graph does not know: other words for its predicates or classes."""
        for end in range(position + 1, min(position + _MAX_NOUN_TOKENS, len(self.tokens)) + 1):
            run = self.tokens[position:end]
            if not all(self._is_plain(at) for at in range(position, end)):
                return
            chunk = self._chunk(position, end)
            if end - position == 1 and chunk.lower in GENERIC_NOUNS:
                self._add("Generic", chunk, NOUN_SCORE)
            if any(n.end == end for c in ("Rel", "ClassN", "Name") for n in self.nodes(c, position)):
                continue
            if end - position > 1 and self._holds_known_noun(position, end):
                continue
            chunk = Chunk(
                chunk.text, chunk.lower, position, end,
                is_plural=is_plural(chunk.text, False), is_naming=chunk.lower in NAMING,
            )  # fmt: skip
            names = sum(
                self._is_name_like(at) or parse_degree(self.tokens[at].lower)[1] == "est" for at in range(position, end)
            )
            self._add("Noun", chunk, NOUN_SCORE * len(run) - NAME_IN_NOUN_COST * names)
            if end - position == 1 and chunk.lower not in GENERIC_NOUNS:
                self._add("Unknown", chunk, UNKNOWN_SCORE)

    def _is_name_like(self, position: int) -> bool:
        """Tell whether a word inside a question is written as names are ("Rome", not "CEO")."""
        token = self.tokens[position]
        return position > 0 and token.is_capitalized and not token.text.isupper()

    def _holds_known_noun(self, start: int, end: int) -> bool:
        """Tell whether a run ends with a noun of the graph: the words before it are then modifiers."""
        categories = ("Rel", "ClassN", "Name")
        return any(n.end == end for at in range(start + 1, end) for c in categories for n in self.nodes(c, at))

    def _is_plain(self, position: int) -> bool:
        token = self.tokens[position]
        if token.kind != "word" or token.lower in FUNCTION or position and token.is_capitalized:
            return False
        if token.lower in self.quantifiers or parse_degree(token.lower)[1] == "est":
            return False
        return position > 0 or token.lower not in COMMAND or token.lower in NAMING


def _doer(text: str) -> str:
    """Return what stands before the participle that ends some words, "" if none does."""
    before, _, last = text.casefold().rpartition(" ")
    return before if last.endswith("ed") else ""


def _score(mention: Mention, length: int) -> float:
    return length * float(mention.score**1.5) * KIND_SCORES[mention.kind] + LENGTH_BONUS * (length - 1)


def is_plural(text: str, is_capital: bool) -> bool:
    """Tell whether the last word of a text is a plural noun."""
    last = text.lower().rsplit(" ", 1)[-1]
    if last in ("people", "children", "men", "women", "staff"):
        return True
    if not last.endswith("s") or last.endswith(("ss", "us", "is")):
        return False
    return lemma_of(last) != last or not is_capital and len(last) > 5 and not is_english_word(last)


def is_adjective(word: str) -> bool:
    """Tell whether a word is an adjective."""
    return bool(similar_adjectives(word) or antonyms(word, "adjective"))


def is_participle(word: str) -> bool:
    """Tell whether a word looks like a participle or a past form."""
    if word in IRREGULAR:
        return True
    if word.endswith("ing"):
        return word not in NOUN_ING and len(word) > 4
    return word.endswith("ed") and len(word) > 3 and word not in ("red", "speed", "breed", "seed", "hundred")


def _date(text: str) -> str:
    """Return the ISO form of a date of more than a year, or ""."""
    found = normalize_quantity(text)
    return found if re.fullmatch(r"\d{4}-\d\d(-\d\d)?", found) else ""


def _number(tokens: Sequence[Token], position: int) -> Chunk | None:
    """Return the number that begins at a token, with its scale ("3 million") and unit ("20g")."""
    token, unit = tokens[position], ""
    value: Decimal | None = None
    if token.kind == "number":
        value = parse_number(token.lower.replace(",", "").lstrip("$€£"))
    elif token.lower in NUMBERS:
        value = Decimal(NUMBERS[token.lower])
    elif (found := _WITH_UNIT.match(token.lower)) and not _ORDINAL.match(token.lower):
        value, unit = Decimal(found[1]) * SCALES.get(found[2], 1), found[2]
    if value is None:
        return None
    end = position + 1
    while end < len(tokens) and tokens[end].lower in SCALES and tokens[end].lower not in ("m", "k"):
        value *= SCALES[tokens[end].lower]
        end += 1
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Chunk(token.text, token.lower, position, end, value=text, unit="" if unit in SCALES else unit)


def unused_tokens(tokens: Sequence[Token], node: Node) -> Iterator[Token]:
    """Yield the tokens that a reading skips."""
    covered = {position for leaf in node.leaves() for position in range(leaf.start, leaf.end)}
    yield from (token for position, token in enumerate(tokens) if position not in covered)
