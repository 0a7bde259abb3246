"""The lexer: a question as chunks that the graph's vocabulary and the lexicon know, each with its categories."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.languages import Morphology, QuestionLanguage
from chattyshared.language.morphology import split_label
from chattyshared.language.tokenizer import Token
from chattyshared.literals import parse_number

from chattykg.linking.answer_types import is_numeric_predicate, truth_values
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.meanings import Chunk
from chattykg.rulebook.grammar.rules import Grammar

_MAX_NOUN_TOKENS, _MAX_DATE_TOKENS = 3, 5
_QUANTIFIERS = ("@average", "@sum", "@max", "@min", "@ascending", "@descending", "@info")
"""The classes of words that are no part of a noun."""
_DENIALS = frozenset("no not nothing none without".split())
_SURE_FLAG = 0.75
"""Score from which a mention names a predicate of truth values."""
_PARTLY, _WEAK_CLASS, _WHOLLY = 0.76, 0.9, 0.95
"""Scores below which a predicate is named in part and a class weakly, and from which anything is named wholly."""
_CLEAR_MARGIN = 0.16
"""Margin by which a predicate is named more surely than a class of the same words ("channels", one of them in part)."""
_YEAR = re.compile(r"1\d{3}|20\d\d")
_CODE = re.compile(r"@|^\+\d|^[A-Za-z]+[-/.]?\d|\d[-/.]\d+[-/.]?[A-Za-z]")
_ORDINAL = re.compile(r"(\d{1,3})(?:st|nd|rd|th)$")
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([a-z%€$°]{1,6})$")
MIN_LISTED = 4
"""Names in the shortest list that is one chunk."""
_LIST_SEPARATORS = frozenset(", and or & und oder".split())
_NAME_INNER = frozenset("of the de van von la der".split())
_FUNCTION_VERBS = frozenset({"own"})


@dataclass(slots=True)
class Lexer:
    """The lexical nodes of one question."""

    question: str
    tokens: Sequence[Token]
    card: VocabularyCard
    grammar: Grammar
    language: QuestionLanguage = field(init=False)
    words: Morphology = field(init=False)
    _nodes: dict[tuple[str, int], list[Node]] = field(default_factory=dict)
    _categories: dict[int, set[str]] = field(default_factory=dict)
    _quantifiers: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.language = self.card.language
        self.words = self.language.morphology
        quantifying = (self.grammar.word_classes.get(name, frozenset()) for name in _QUANTIFIERS)
        self._quantifiers = (self.language.wrappers & self.language.commands).union(*quantifying)
        self._add_mentions()
        self._add_unknown_names()
        self._add_lists()
        for position in range(len(self.tokens)):
            self._add_quantities(position)
            self._add_pronouns(position)
            self._add_adjectives(position)
            self._add_verbs(position)
            self._add_nouns(position)
        for category, start in self._nodes:
            self._categories.setdefault(start, set()).add(category)

    def categories(self, start: int) -> set[str]:
        """Return the categories of the lexical nodes that begin at a token."""
        return self._categories.get(start, set())

    def nodes(self, category: str, start: int) -> Sequence[Node]:
        """Return the lexical nodes of a category that begin at a token."""
        return self._nodes.get((category, start), ())

    def _score(self, name: str) -> float:
        return self.grammar.scores[name]

    def _add(self, category: str, chunk: Chunk, score: float) -> None:
        node = Node(category, chunk.start, chunk.end, score, chunk)
        self._nodes.setdefault((category, chunk.start), []).append(node)

    def _chunk(self, start: int, end: int, **known: str) -> Chunk:
        text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
        lower = self.tokens[start].lower if end - start == 1 else text.lower()
        text = lower if end - start == 1 and text.lower() != lower else text  # a misspelt word is corrected
        return Chunk(text, lower, start, end, **known)  # type: ignore[arg-type]

    # ------------------------------------------------------------------------------------------------------ mentions
    def _add_mentions(self) -> None:
        for (start, end), found in self._spans().items():
            text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
            is_related = end < len(self.tokens) and self.tokens[end].lower == "of"
            kinds = self._surest(found, is_related=is_related)
            vertex, value, group, predicate = (kinds.get(k) for k in ("vertex", "value", "class", "predicate"))
            entry = self._entry(predicate)
            is_literal = entry is not None and entry.object_kind == "literal"
            chunk = Chunk(
                text, text.lower(), start, end,
                country=self.language.demonyms.get(text.lower(), ""),
                group=group, predicate=predicate,
                classes=self.card.expand_classes(group.iris) if group else frozenset(),
                types=frozenset(t for hit in vertex.hits[:3] for t in hit.types) if vertex else frozenset(),
                sorts=self._sorts(vertex, value),
                is_literal=is_literal,
                is_numeric=is_literal and entry is not None and is_numeric_predicate(entry),
                is_plural=self.words.is_plural(text, self._is_capital(start, kinds)),
                is_naming=text.lower() in self.language.naming_nouns, is_known=True,
                truths=truth_values(entry),
            )  # fmt: skip
            if named := vertex or value:
                self._add_name(chunk, named)
            is_verb = end - start == 1 and self.words.is_only_verb(chunk.lower)
            cost = self._score("participle_as_noun") * is_verb
            if group:
                self._add("ClassN", chunk, self._worth(group, chunk) + cost)
            if predicate:
                self._add_predicate(chunk, predicate, cost)

    def _worth(self, mention: Mention, chunk: Chunk) -> float:
        """Return the score of a mention: that of each of its tokens, and more for a longer one."""
        length = chunk.end - chunk.start
        each = float(mention.score**1.5) * self._score(mention.kind)
        return length * each + self._score("longer") * (length - 1)

    def _add_name(self, chunk: Chunk, named: Mention) -> None:
        start = chunk.start
        if chunk.end - start == 1 and self.tokens[start].kind == "number":
            return
        is_name_like = self._is_name_like(start)
        factor = 1.0 if is_name_like and start else self._score("plain_name")
        is_people = chunk.country and named.score < _WHOLLY  # rather the people or the country of that adjective
        if is_people or named.kind == "value" and _YEAR.fullmatch(chunk.text):
            factor = 0.5
        self._add("Name", chunk, factor * self._worth(named, chunk))
        if not is_name_like or start == 0 or chunk.is_acronym:
            self._add("KindN", chunk, factor * self._worth(named, chunk))

    def _add_predicate(self, chunk: Chunk, predicate: Mention, cost: float) -> None:
        worth, words = self._worth(predicate, chunk), chunk.lower.split()
        is_generic = chunk.lower in self.language.generic_nouns
        is_asked = chunk.start > 0 and self.tokens[chunk.start - 1].lower in self.language.asking_words
        if chunk.is_numeric and is_generic and is_asked:
            return
        factor = self._score("generic_noun") if is_generic and predicate.score < _WHOLLY else 1.0
        self._add("Rel", chunk, factor * worth + cost)
        if chunk.truths and predicate.score >= _SURE_FLAG and words[0] not in _DENIALS:
            self._add("Flag", chunk, worth)
        if len(words) > 1 and (self.words.is_participle(words[-1]) or self.words.is_participle(words[0])):
            self._add("Ven", chunk, worth)
        if len(words) > 1 and self._is_verb(words[0]):
            self._add("Vfin", chunk, worth)
        if len(words) == 1 and self.words.is_adjective(chunk.lower):
            self._add("AdjR", chunk, worth)
            if chunk.is_numeric:
                self._add("Adj", replace(chunk, adjective=chunk.lower), worth)

    def _sorts(self, vertex: Mention | None, value: Mention | None) -> frozenset[str]:
        """Return the words of the labels of the predicates that lead to a vertex or a value."""
        leading = {iri for hit in value.values for iri in hit.predicates} if value else set()
        if vertex:
            incident = dict(self.card.incident_predicates).get(vertex.hits[0].iri, ())
            leading |= {iri for iri, direction, _ in incident if direction == "in"}
        labels = (entry.label for entry in self.card.predicates if entry.iri in leading)
        return frozenset(word for label in labels for word in split_label(label))

    def _is_verb(self, word: str) -> bool:
        """Tell whether a word is a form of a verb that people ask with."""
        return self.words.lemma_of(word) in self.language.words("verbs", "common", "questions_only")

    def _surest(self, kinds: Mapping[str, Mention], *, is_related: bool) -> dict[str, Mention]:
        """Drop the class or the predicate where the same words name something else much better.

        A noun before "of" keeps its predicate, whatever vertex bears its name.
        """
        group, predicate = kinds.get("class"), kinds.get("predicate")
        rivals = ("class",) if is_related else ("class", "vertex", "value")
        best = max((kinds[kind].score for kind in rivals if kind in kinds), default=0.0)
        dropped = ""
        if group and predicate and group.score < min(_WEAK_CLASS, predicate.score - _CLEAR_MARGIN):
            dropped = "class"
        elif predicate and predicate.score < _PARTLY and best >= _WHOLLY:
            dropped = "predicate"
        return {kind: mention for kind, mention in kinds.items() if kind != dropped}

    def _spans(self) -> Mapping[tuple[int, int], Mapping[str, Mention]]:
        """Return the best mention of each kind by its first token and the one behind it."""
        starts = {token.start: position for position, token in enumerate(self.tokens)}
        ends = {token.end: position + 1 for position, token in enumerate(self.tokens)}
        spans: dict[tuple[int, int], dict[str, Mention]] = {}
        names = {(m.start, m.end) for m in self.card.mentions_of_kind("vertex") if m.score >= _WHOLLY}
        for mention in self.card.mentions:
            start, end = starts.get(mention.start, len(self.tokens)), ends.get(mention.end, 0)
            if start >= end:
                continue
            first, is_vocabulary = self.tokens[start].lower, mention.kind in ("class", "predicate")
            is_function = end - start == 1 and first in self.language.function_words and is_vocabulary
            is_command = start == 0 and end > 1 and first in self.language.commands and mention.kind != "vertex"
            is_led = end - start > 1 and mention.score < _WHOLLY and first in self.language.joints
            if is_function or is_command or is_led and (self.tokens[start + 1].start, mention.end) in names:
                continue  # the last one: "And Oslo Line?"
            kinds = spans.setdefault((start, end), {})
            if mention.kind not in kinds or mention.score > kinds[mention.kind].score:
                kinds[mention.kind] = mention
        return spans

    def _is_capital(self, start: int, kinds: Mapping[str, Mention]) -> bool:
        """Tell whether a capital letter says that this is a name: at the beginning of a question all words have one."""
        is_noun = "class" in kinds or "predicate" in kinds or "value" in kinds and kinds["value"].score <= _WHOLLY
        return self._is_name_like(start) and not (start == 0 and is_noun)

    def _entry(self, predicate: Mention | None) -> PredicateEntry | None:
        entries = {entry.iri: entry for entry in self.card.predicates}
        return next((entries[iri] for iri in predicate.iris if iri in entries), None) if predicate else None

    def _add_unknown_names(self) -> None:
        """Add runs of capitalised words, quoted texts and codes that the graph does not know."""
        covered = {at for (_, start), nodes in self._nodes.items() for n in nodes for at in range(start, n.end)}
        position = 0
        while position < len(self.tokens):
            end = position
            while end < len(self.tokens) and self._is_proper(end, first=position):
                end += 1
            while end > position and self.tokens[end - 1].lower in _NAME_INNER | {"and"}:
                end -= 1
            is_people = end - position == 1 and self.tokens[position].lower in self.language.demonyms
            is_marked = self.tokens[position].kind == "quoted" or _CODE.search(self.tokens[position].text)
            is_name = position or end - position > 1 or is_marked
            if end > position and not covered.issuperset(range(position, end)) and not is_people and is_name:
                text = self.question[self.tokens[position].start : self.tokens[end - 1].end]
                chunk = Chunk(text, text.lower(), position, end, country=self.language.demonyms.get(text.lower(), ""))
                self._add("Name", chunk, self._score("unknown_name") * (end - position))
            position = max(end, position + 1)

    def _is_proper(self, position: int, *, first: int) -> bool:
        token = self.tokens[position]
        if token.kind == "quoted":
            return position == first
        if token.kind == "number":
            return position > first and len(token.text) <= 3
        if token.kind != "word" or self.tokens[first].kind == "quoted" or self.words.read_period(token.lower):
            return False
        if position > first and token.lower in _NAME_INNER and position + 1 < len(self.tokens):
            following = self.tokens[position + 1]
            is_name = following.is_capitalized and following.lower not in self.language.function_words
            return is_name or following.lower in ("the", "la")
        is_acronym = position > first and token.text.isupper() and len(token.text) > 1
        if token.lower in self.language.function_words and not is_acronym:
            return False
        return self._is_name_like(position) or bool(_CODE.search(token.text))

    def _add_lists(self) -> None:
        """Read long lists of names as one chunk each: the rules for pairs would need too many steps."""
        position = 0
        while position < len(self.tokens):
            names, end = self._list(position)
            if len(names) >= MIN_LISTED:
                score, chunks = sum(node.score for node in names), tuple(node.meaning for node in names)
                self._nodes = {key: nodes for key, nodes in self._nodes.items() if not position <= key[1] < end}
                self._nodes["NameList", position] = [Node("NameList", position, end, score, chunks)]
            position = max(end, position + 1)

    def _list(self, start: int) -> tuple[list[Node], int]:
        """Return the names that stand in a row from a token on, and where the row ends."""
        names: list[Node] = []
        position = end = start
        while found := self.nodes("Name", position):
            names.append(max(found, key=lambda node: node.score))
            position = end = names[-1].end
            while position < len(self.tokens) and self.tokens[position].lower in _LIST_SEPARATORS:
                position += 1
            if position == end:
                break
        return names, end

    # ---------------------------------------------------------------------------------------------------- quantities
    def _add_quantities(self, position: int) -> None:
        token = self.tokens[position]
        chunk = read_number(self.tokens, position, self.language)
        if chunk is not None:
            self._add("Num", chunk, self._score("number"))
        ordinal = _ORDINAL.match(token.lower)
        rank = int(ordinal[1]) if ordinal else self.language.ordinals.get(token.lower, 0)
        if rank:
            self._add("Ord", self._chunk(position, position + 1, value=str(rank)), self._score("unit"))
        for end in range(position + 1, min(position + _MAX_DATE_TOKENS, len(self.tokens)) + 1):
            text, length = " ".join(t.lower for t in self.tokens[position:end]), end - position
            if unit := self.language.units.get(text):
                self._add("Unit", replace(self._chunk(position, end), lower=unit), self._score("unit") * length)
            if date := text if length == 1 and _YEAR.fullmatch(text) else self.words.read_date(text):
                self._add("Date", self._chunk(position, end, value=date), self._score("date") * length)
            if years := self.words.read_period(text):
                chunk = self._chunk(position, end, value=f"{years[0]}/{years[1]}")
                self._add("Period", chunk, self._score("date") * length)

    # --------------------------------------------------------------------------- pronouns, adjectives, verbs and nouns
    def _add_pronouns(self, position: int) -> None:
        chunk = self._chunk(position, position + 1)
        if chunk.lower in self.language.words("followups", "pronouns"):
            self._add("Pronoun", chunk, 0.0)
        if chunk.lower in self.language.words("followups", "possessives"):
            self._add("Possessive", chunk, 0.0)
        if chunk.lower in self.language.genders:
            self._add("Gender", replace(chunk, text=self.language.genders[chunk.lower]), 0.0)

    def _add_adjectives(self, position: int) -> None:
        lower = self.tokens[position].lower
        adjective, degree = self.words.parse_degree(lower)
        if degree:
            chunk = self._chunk(position, position + 1, adjective=adjective)
            self._add("AdjEr" if degree == "er" else "AdjEst", chunk, self._score("degree"))
        if positive := self.words.gradable(lower):
            self._add("Adj", self._chunk(position, position + 1, adjective=positive), self._score("adjective"))
        if country := self.language.demonyms.get(lower):
            chunk = replace(self._chunk(position, position + 1, country=country), text=country)
            self._add("Country", chunk, self._score("adjective"))

    def _add_verbs(self, position: int) -> None:
        token = self.tokens[position]
        is_function = token.lower in self.language.function_words - _FUNCTION_VERBS
        if token.kind != "word" or is_function or token.is_capitalized and position:
            return
        chunk, lemma = self._chunk(position, position + 1), self.words.lemma_of(token.lower)
        known = any(n.meaning.predicate for n in self.nodes("Rel", position) if n.end == position + 1)
        following = self.tokens[position + 1 : position + 3]
        is_compared = len(following) > 1 and read_number(self.tokens, position + 2, self.language)
        is_particle = following and following[0].lower in self.language.words("prepositions", "particles")
        for category in self.words.verb_categories(token.lower):
            is_noun_like = category == "Vfin" and lemma in self.language.noun_verbs
            score = (
                self._score("verb") + self._score("known_verb") * known + self._score("noun_like_verb") * is_noun_like
            )
            self._add(category, chunk, score)
            if is_particle and not is_compared:
                self._add(category, self._chunk(position, position + 2), score + self._score("particle"))

    def _add_nouns(self, position: int) -> None:
        """Add nouns that the graph does not know: other words for its predicates or classes."""
        for end in range(position + 1, min(position + _MAX_NOUN_TOKENS, len(self.tokens)) + 1):
            if not all(self._is_plain(at) for at in range(position, end)) or self.nodes("Period", end - 1):
                return
            chunk, length = self._chunk(position, end), end - position
            is_generic = length == 1 and chunk.lower in self.language.generic_nouns
            if is_generic:
                self._add("Generic", chunk, self._score("noun"))
            is_related = end < len(self.tokens) and self.tokens[end].lower == "of"  # "citizens of": a club's name
            known = ("Rel", "ClassN") if is_related else ("Rel", "ClassN", "Name")
            if any(n.end == end for c in known for n in self.nodes(c, position)):
                continue
            if length > 1 and (self.nodes("Num", position) or self._holds_known_noun(position, end)):
                continue
            is_plural, is_naming = self.words.is_plural(chunk.text, False), chunk.lower in self.language.naming_nouns
            chunk = Chunk(chunk.text, chunk.lower, position, end, is_plural=is_plural, is_naming=is_naming)
            names = sum(map(self._is_no_noun, range(position, end)))
            if length > 1 or not self.words.is_only_verb(chunk.lower):
                self._add("Noun", chunk, self._score("noun") * length + self._score("name_in_noun") * names)
            if length == 1 and not is_generic:
                self._add("Unknown", chunk, self._score("unknown"))

    def _is_no_noun(self, position: int) -> bool:
        """Tell whether a word is a superlative, or written as names are inside a question ("Rome", not "CEO")."""
        is_name = position > 0 and self._is_name_like(position) and not self.tokens[position].text.isupper()
        return is_name or self.words.parse_degree(self.tokens[position].lower)[1] == "est"

    def _is_name_like(self, position: int) -> bool:
        token = self.tokens[position]
        return token.is_capitalized and (token.kind != "word" or self.language.is_name_like(token.text))

    def _holds_known_noun(self, start: int, end: int) -> bool:
        """Tell whether a run ends with a noun of the graph: the words before it are then modifiers."""
        categories = ("Rel", "ClassN", "Name")
        return any(n.end == end for at in range(start + 1, end) for c in categories for n in self.nodes(c, at))

    def _is_plain(self, position: int) -> bool:
        token = self.tokens[position]
        is_name = position > 0 and self._is_name_like(position)
        if token.kind != "word" or token.lower in self.language.function_words or is_name:
            return False
        if token.lower in self._quantifiers or self.words.parse_degree(token.lower)[1] == "est":
            return False
        return position > 0 or token.lower not in self.language.commands or token.lower in self.language.naming_nouns


def read_number(tokens: Sequence[Token], position: int, language: QuestionLanguage) -> Chunk | None:
    """Return the number that begins at a token, with its scale ("3 million") and unit ("20g")."""
    token, unit, scales = tokens[position], "", language.scales
    value: Decimal | None = None
    if token.kind == "number":
        value = parse_number(language.morphology.read_digits(token.lower).lstrip("$€£"))
    elif token.lower == "a" and position + 1 < len(tokens) and tokens[position + 1].lower in scales:
        value = Decimal(1)
    elif token.lower in language.numbers:
        value = Decimal(language.numbers[token.lower])
    elif (found := _WITH_UNIT.match(token.lower)) and not _ORDINAL.match(token.lower):
        value, unit = Decimal(found[1]) * scales.get(found[2], 1), found[2]
    if value is None:
        return None
    end = position + 1
    while end < len(tokens) and tokens[end].lower in scales and tokens[end].lower not in ("m", "k"):
        value *= scales[tokens[end].lower]
        end += 1
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return Chunk(token.text, token.lower, position, end, value=text, unit="" if unit in scales else unit)
