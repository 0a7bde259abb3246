"""The lexer: a question as chunks that the graph's vocabulary and the lexicon know, each with its categories."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.languages import Morphology, QuestionLanguage
from chattyshared.language.tokenizer import Token
from chattyshared.literals import format_year

from chattykg.linking.answer_types import is_numeric_predicate, truth_values
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.chunks import ORDINAL_FORM, Chunk, read_number

# Origin of the numbers below: set by hand, beside the weights of the rules.
KIND_SCORES = {"vertex": 1.0, "class": 0.98, "predicate": 0.96, "value": 0.9}
"""Score of each word of an exact mention, by kind of the mention."""
FURTHER_WORD, UNKNOWN_NAME, VERB, KNOWN_VERB, NOUN, UNKNOWN_MODIFIER = 0.1, 0.7, 0.6, 0.3, 0.2, -1.5
"""Added for each further word of a mention; scores of each word that the graph does not know, and what a verb gets more
that it knows."""
NUMBER, ORDINAL, UNIT, DATE, DEGREE, ADJECTIVE = 0.5, 0.3, 0.3, 0.6, 0.5, 0.4
"""Scores of quantities and adjectives."""
VERB_AS_CLASS, VERB_AS_RELATION, NOUN_AS_VERB, PLAIN_NAME = 1.5, 3.0, 0.35, 0.9
"""Costs of words that are rather of another kind, and the factor of a name in lower case."""
_FUNCTION_VERBS = frozenset({"own"})
_MAX_NOUN_TOKENS, _MAX_DATE_TOKENS = 3, 5
_PARTLY, _SURE_FLAG, _WHOLLY = 0.76, 0.75, 0.95
"""Scores of mentions: a predicate below the first is named in part, one of truth values from the second on; from the
last on anything is named wholly."""
_YEAR = re.compile(r"1\d{3}|20\d\d")
_CODE = re.compile(r"@|^\+\d|^[A-Za-z]+[-/.]?\d|\d[-/.]\d+[-/.]?[A-Za-z]")
MIN_LISTED = 4
"""Names in the shortest list that is one chunk."""
_LIST_SEPARATORS = frozenset(", and or & und oder".split())
_INDEFINITE = frozenset(("a", "an", "any", "every", "each", "no"))
"""Words before a kind of things, and before no name."""
_NAME_INNER = frozenset("of the de van von la der".split())


@dataclass(slots=True)
class Lexer:
    """The lexical nodes of one question; ``quantifiers`` are words of the rules that are no part of a noun."""

    question: str
    tokens: Sequence[Token]
    card: VocabularyCard
    quantifiers: frozenset[str] = frozenset()
    language: QuestionLanguage = field(init=False)
    words: Morphology = field(init=False)
    _nodes: list[dict[str, list[Node]]] = field(init=False)
    _covered: set[int] = field(default_factory=set)
    _known: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.language = self.card.language
        self.words = self.language.morphology
        self._nodes = [{} for _ in range(len(self.tokens) + 1)]
        self._add_mentions()
        self._add_unknown_names()
        self._add_lists()
        for position in range(len(self.tokens)):
            self._add_quantities(position)
            self._add_words(position)
            self._add_verbs(position)
            self._add_nouns(position)

    def categories(self, start: int) -> Collection[str]:
        """Return the categories of the lexical nodes that begin at a token."""
        return self._nodes[start].keys()

    def nodes(self, category: str, start: int) -> Sequence[Node]:
        """Return the lexical nodes of a category that begin at a token."""
        return self._nodes[start].get(category, ())

    def is_known(self, position: int) -> bool:
        """Tell whether a token is part of what the graph surely names, or of a name."""
        return position in self._known

    def _add(self, category: str, chunk: Chunk, score: float) -> None:
        self._nodes[chunk.start].setdefault(category, []).append(Node(category, chunk.start, chunk.end, score, chunk))
        is_class = category == "ClassN" and chunk.group is not None and chunk.group.score >= _WHOLLY
        if category == "Name" or is_class:
            self._known.update(range(chunk.start, chunk.end))

    # Mentions --------------------------------------------------------------------------------------------------------
    def _add_mentions(self) -> None:
        for (start, end), kinds in self._spans().items():
            text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
            lower, is_word = text.lower(), end - start == 1
            self._covered.update(range(start, end))
            scores = {kind: _score(mention, end - start) for kind, mention in kinds.items()}
            vertex, value, group, predicate = (kinds.get(k) for k in ("vertex", "value", "class", "predicate"))
            entry = self._entry(predicate)
            is_literal = entry is not None and entry.object_kind == "literal"
            chunk = Chunk(
                text, lower, start, end,
                group=group, predicate=predicate,
                classes=self.card.expand_classes(group.iris) if group else frozenset(),
                types=frozenset(t for hit in vertex.hits[:3] for t in hit.types) if vertex else frozenset(),
                is_literal=is_literal,
                is_numeric=is_literal and entry is not None and is_numeric_predicate(entry),
                is_plural=self.words.is_plural(text, self._is_capital(start, kinds)),
                is_naming=lower in self.language.naming_nouns, is_known=True,
                truths=truth_values(entry),
            )  # fmt: skip
            named = vertex or value
            if named and not (is_word and self.tokens[start].kind == "number"):
                is_plain = start == 0 or not self._is_name_like(start)
                score = scores[named.kind] * (PLAIN_NAME if is_plain else 1.0)
                self._add("Name", chunk, score)
                if (is_plain or chunk.is_acronym) and not (vertex and self._is_proper(vertex, start)):
                    self._add("KindN", chunk, score)
            if group:
                is_verb = is_word and self.words.is_participle(lower)
                self._add("ClassN", chunk, scores["class"] - VERB_AS_CLASS * is_verb)
            if predicate:
                self._add_predicate(chunk, predicate, scores["predicate"])

    def _add_predicate(self, chunk: Chunk, predicate: Mention, score: float) -> None:
        words = chunk.lower.split()
        is_verb = len(words) == 1 and self.words.is_only_verb(chunk.lower)
        self._add("Rel", chunk, score - VERB_AS_RELATION * is_verb)
        participles = ("Ven",) if self.words.is_participle(words[-1]) else ()
        for category in {*self.words.verb_categories(words[0]), *participles} if len(words) > 1 else ():
            self._add(category, chunk, score)
        if chunk.truths and predicate.score >= _SURE_FLAG:
            self._add("Flag", chunk, score)
        if len(words) == 1 and self.words.is_adjective(chunk.lower):
            self._add("AdjR", chunk, score)
            if chunk.is_numeric:
                self._add("Adj", replace(chunk, adjective=chunk.lower), score)

    def _spans(self) -> Mapping[tuple[int, int], Mapping[str, Mention]]:
        """Return the best mention of each kind between two tokens; what is only like a predicate is what is named."""
        starts = {token.start: position for position, token in enumerate(self.tokens)}
        ends = {token.end: position + 1 for position, token in enumerate(self.tokens)}
        spans: dict[tuple[int, int], dict[str, Mention]] = {}
        for mention in sorted(self.card.mentions, key=lambda each: -each.score):
            start, end = starts.get(mention.start, 0), ends.get(mention.end, 0)
            is_function = end - start == 1 and self.tokens[start].lower in self.language.function_words
            if mention.start in starts and start < end and not (is_function and mention.kind in ("class", "predicate")):
                spans.setdefault((start, end), {}).setdefault(mention.kind, mention)
        for (start, end), kinds in spans.items():
            best = max(mention.score for mention in kinds.values())
            is_generic = end - start == 1 and self.tokens[start].lower in self.language.generic_nouns
            is_partly = "predicate" in kinds and kinds["predicate"].score < (_WHOLLY if is_generic else _PARTLY)
            if is_partly and (is_generic or best >= _WHOLLY):  # "people" asks for persons, not for a population
                del kinds["predicate"]
        return spans

    def _is_proper(self, vertex: Mention, start: int) -> bool:
        """Tell whether the graph writes each word of a name with a capital, and no word before it says that it is a
        kind ("a regular weekend pass")."""
        before = self.tokens[start - 1].lower if start else "the"
        words = [word for word in vertex.hits[0].label.split() if word.lower() not in self.language.function_words]
        is_whole = vertex.text.lower() == vertex.hits[0].label.lower()
        is_free = before in self.language.function_words and before not in _INDEFINITE
        return is_free and is_whole and len(words) > 1 and all(map(self.language.is_name_like, words))

    def _is_capital(self, start: int, kinds: Mapping[str, Mention]) -> bool:
        """Tell whether a capital letter says that this is a name: at the beginning of a question all words have one."""
        is_noun = "class" in kinds or "predicate" in kinds or "value" in kinds and kinds["value"].score <= _WHOLLY
        return self._is_name_like(start) and not (start == 0 and is_noun)

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
            while end < len(self.tokens) and self._begins_name(end, first=position):
                end += 1
            while end > position and self.tokens[end - 1].lower in _NAME_INNER | {"and"}:
                end -= 1
            is_covered = self._covered.issuperset(range(position, end))
            is_marked = self.tokens[position].kind == "quoted" or _CODE.search(self.tokens[position].text)
            is_people = end - position == 1 and self.tokens[position].lower in self.language.demonyms
            is_name = (position or end - position > 1 or is_marked) and not is_people
            if end > position and not is_covered and is_name:
                self._add("Name", self._chunk(position, end), UNKNOWN_NAME * (end - position))
                self._covered.update(range(position, end))
            position = max(end, position + 1)

    def _add_lists(self) -> None:
        """Read long lists of names as one chunk each: the rules for pairs would need too many steps."""
        position = 0
        while position < len(self.tokens):
            names, end = self._list(position)
            if len(names) >= MIN_LISTED:
                node = Node("NameList", position, end, sum(n.score for n in names), tuple(n.meaning for n in names))
                self._nodes[position:end] = [{"NameList": [node]}, *({} for _ in range(position + 1, end))]
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

    def _begins_name(self, position: int, *, first: int) -> bool:
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
        is_name = self._is_name_like(position) or bool(_CODE.search(token.text))
        return is_name and token.lower not in self.language.function_words

    # Quantities ------------------------------------------------------------------------------------------------------
    def _add_quantities(self, position: int) -> None:
        token = self.tokens[position]
        chunk = read_number(self.tokens, position, self.language)
        if chunk is not None:
            self._add("Often" if token.lower in ("once", "twice") else "Num", chunk, NUMBER)
        ordinal = ORDINAL_FORM.match(token.lower)
        rank = int(ordinal[1]) if ordinal else self.language.ordinals.get(token.lower, 0)
        if rank:
            self._add("Ord", self._chunk(position, position + 1, value=str(rank)), ORDINAL)
        for end in range(position + 1, min(position + _MAX_DATE_TOKENS, len(self.tokens)) + 1):
            text = " ".join(t.lower for t in self.tokens[position:end])
            if unit := self.language.units.get(text):
                chunk = replace(self._chunk(position, end), lower=unit)
                self._add("Unit", chunk, UNIT * (end - position))
            date = text if _YEAR.fullmatch(text) else self.words.read_date(text)
            period = "/".join(map(format_year, self.words.read_period(text) or ()))
            for category, value in (("Date", date), ("Period", period)):
                if value:
                    self._add(category, self._chunk(position, end, value=value), DATE * (end - position))

    def _chunk(self, start: int, end: int, **known: str) -> Chunk:
        text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
        lower = self.tokens[start].lower if end - start == 1 else text.lower()
        text = lower if end - start == 1 and text.lower() != lower else text  # a misspelt word is corrected
        return Chunk(text, lower, start, end, **known)  # type: ignore[arg-type]

    # Pronouns, adjectives, verbs and nouns ---------------------------------------------------------------------------
    def _add_words(self, position: int) -> None:
        """Add the pronouns, adjectives and demonyms of which a token is one."""
        chunk = self._chunk(position, position + 1)
        if chunk.lower in self.language.words("followups", "pronouns"):
            self._add("Pronoun", chunk, 0.0)
        if chunk.lower in self.language.words("followups", "possessives"):
            self._add("Possessive", chunk, 0.0)
        if gender := self.language.genders.get(chunk.lower):
            self._add("Gender", replace(chunk, text=gender), 0.0)
        if country := self.language.demonyms.get(chunk.lower):
            self._add("Country", replace(chunk, text=country), ADJECTIVE)
        adjective, degree = self.words.parse_degree(chunk.lower)
        if degree:
            self._add(f"Adj{degree.capitalize()}", replace(chunk, adjective=adjective), DEGREE)
        if positive := self.words.gradable(chunk.lower):
            self._add("Adj", replace(chunk, adjective=positive), ADJECTIVE)

    def _add_verbs(self, position: int) -> None:
        token = self.tokens[position]
        is_function = token.lower in self.language.function_words - _FUNCTION_VERBS
        if token.kind != "word" or is_function or token.is_capitalized and position:
            return
        chunk, lemma = self._chunk(position, position + 1), self.words.lemma_of(token.lower)
        is_known = any(n.meaning.predicate for n in self.nodes("Rel", position) if n.end == position + 1)
        score = VERB + KNOWN_VERB * is_known
        for category in self.words.verb_categories(token.lower):
            is_noun = category == "Vfin" and lemma in self.language.noun_verbs
            score_here = score - NOUN_AS_VERB * is_noun
            self._add(category, chunk, score_here)
            following = self.tokens[position + 1 : position + 3]
            is_compared = len(following) > 1 and read_number(self.tokens, position + 2, self.language)
            if following and following[0].lower in self.language.words("prepositions", "particles") and not is_compared:
                self._add(category, self._chunk(position, position + 2), score_here + KNOWN_VERB)

    def _add_nouns(self, position: int) -> None:
        """Add nouns that the graph does not know: other words for its predicates or classes."""
        for end in range(position + 1, min(position + _MAX_NOUN_TOKENS, len(self.tokens)) + 1):
            if not all(map(self._is_plain, range(position, end))) or self.nodes("Period", end - 1):
                return
            chunk, is_word = self._chunk(position, end), end - position == 1
            is_generic = is_word and chunk.lower in self.language.generic_nouns
            if is_generic:
                self._add("Generic", chunk, NOUN)
            known = {n.end for c in ("Rel", "ClassN") for n in self.nodes(c, position)}
            if end in known or not is_word and (self.nodes("Num", position) or self._holds_known_noun(position, end)):
                continue
            is_naming = chunk.lower in self.language.naming_nouns
            chunk = replace(chunk, is_plural=self.words.is_plural(chunk.text, False), is_naming=is_naming)
            is_name = any(n.end == end for n in self.nodes("Name", position)) and not self.words.is_word(chunk.lower)
            is_other = self.words.is_only_verb(chunk.lower) or self.words.is_only_adjective(chunk.lower) or is_name
            if not (is_word and is_other):
                self._add("Noun", chunk, NOUN * (end - position))
            if is_word and not is_generic:
                self._add("Unknown", chunk, UNKNOWN_MODIFIER)

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
        if token.lower in self.quantifiers or self.words.parse_degree(token.lower)[1] == "est":
            return False
        return position > 0 or token.lower not in self.language.commands or token.lower in self.language.naming_nouns


def _score(mention: Mention, length: int) -> float:
    return length * float(mention.score**1.5) * KIND_SCORES[mention.kind] + FURTHER_WORD * (length - 1)
