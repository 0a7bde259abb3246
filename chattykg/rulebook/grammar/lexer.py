"""The lexer: a question as chunks that the graph's vocabulary and the lexicon know, each with its categories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.languages import Morphology, QuestionLanguage
from chattyshared.language.morphology import split_label
from chattyshared.language.tokenizer import Token
from chattyshared.literals import format_year

from chattykg.linking.answer_types import is_numeric_predicate, truth_values
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.chunks import ORDINAL_FORM, Chunk, read_number

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
VERB_AS_NOUN_COST = 1.5
"""Cost of a noun of the graph that is rather a verb."""
GENERIC_NOUN_FACTOR = 0.3
"""Factor of the score of a generic noun ("people") that a predicate has in part."""
PARTICIPLE_AS_NOUN_COST = 3.0
"""Cost of a noun of the graph that is a participle ("founded")."""
_FUNCTION_VERBS = frozenset({"own"})
_KNOWN_VERB_BONUS = 0.3
_PARTICLE_BONUS = 0.3
_NOUN_LIKE_VERB_COST = 0.35
_MAX_NOUN_TOKENS, _MAX_NAME_TOKENS, _MAX_DATE_TOKENS = 3, 8, 5
_DENIALS = frozenset("no not nothing none without".split())
_SURE_FLAG = 0.75
"""Score from which a mention names a predicate of truth values."""
_PARTLY, _WEAK_CLASS, _WHOLLY = 0.76, 0.9, 0.95
"""Scores below which a predicate is named in part and a class weakly, and from which anything is named wholly."""
_CLEAR_MARGIN = 0.16
"""Margin by which a predicate is named more surely than a class of the same words ("channels", one of them in part)."""
_YEAR = re.compile(r"1\d{3}|20\d\d")
_CODE = re.compile(r"@|^\+\d|^[A-Za-z]+[-/.]?\d|\d[-/.]\d+[-/.]?[A-Za-z]")
MIN_LISTED = 4
"""Names in the shortest list that is one chunk."""
_LIST_SEPARATORS = frozenset(", and or & und oder".split())
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
    _nodes: dict[tuple[str, int], list[Node]] = field(default_factory=dict)
    _categories: dict[int, frozenset[str]] = field(default_factory=dict)
    _covered: set[int] = field(default_factory=set)
    _listed: set[int] = field(default_factory=set)
    _known: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        self.language = self.card.language
        self.words = self.language.morphology
        self._add_mentions()
        self._add_unknown_names()
        self._add_lists()
        for position in range(len(self.tokens)):
            self._add_quantities(position)
            self._add_pronouns(position)
            self._add_adjectives(position)
            self._add_verbs(position)
            self._add_nouns(position)
            self._add_owned(position)
        categories: dict[int, set[str]] = {}
        for category, start in self._nodes:
            categories.setdefault(start, set()).add(category)
        self._categories = {start: frozenset(names) for start, names in categories.items()}
        self._known = frozenset(self._known_positions())

    def categories(self, start: int) -> frozenset[str]:
        """Return the categories of the lexical nodes that begin at a token."""
        return self._categories.get(start, frozenset())

    def nodes(self, category: str, start: int) -> Sequence[Node]:
        """Return the lexical nodes of a category that begin at a token."""
        return self._nodes.get((category, start), ())

    def is_known(self, position: int) -> bool:
        """Tell whether a token is part of what the graph surely names, or of a name."""
        return position in self._known

    def _known_positions(self) -> Iterator[int]:
        yield from self._listed
        for (category, start), nodes in self._nodes.items():
            for node in nodes if category in ("Name", "ClassN") else ():
                if category == "Name" or node.meaning.group.score >= _WHOLLY:
                    yield from range(start, min(node.end, start + _MAX_NAME_TOKENS + 1))

    def _add(self, category: str, chunk: Chunk, score: float) -> None:
        self._add_node(category, chunk.start, chunk.end, score, chunk)

    def _add_node(self, category: str, start: int, end: int, score: float, meaning: Chunk | tuple[Chunk, ...]) -> None:
        self._nodes.setdefault((category, start), []).append(Node(category, start, end, score, meaning))

    # ------------------------------------------------------------------------------------------------------ mentions
    def _add_mentions(self) -> None:
        for (start, end), kinds in self._spans().items():
            text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
            is_related = end < len(self.tokens) and self.tokens[end].lower == "of"
            kinds = self._surest(dict(kinds), is_related=is_related)
            vertex, value, group, predicate = (kinds.get(k) for k in ("vertex", "value", "class", "predicate"))
            self._covered.update(range(start, end))
            named, entry = vertex or value, self._entry(predicate)
            chunk = Chunk(
                text, text.lower(), start, end,
                country=self.language.demonyms.get(text.lower(), ""),
                group=group, predicate=predicate,
                classes=self.card.expand_classes(group.iris) if group else frozenset(),
                types=frozenset(t for hit in vertex.hits[:3] for t in hit.types) if vertex else frozenset(),
                sorts=self._sorts(vertex, value),
                is_literal=self._is_literal(predicate),
                is_numeric=self._is_literal(predicate) and entry is not None and is_numeric_predicate(entry),
                is_plural=self.words.is_plural(text, self._is_capital(start, kinds)),
                is_naming=text.lower() in self.language.naming_nouns, is_known=True,
                truths=truth_values(entry),
            )  # fmt: skip
            if named and not (end - start == 1 and self.tokens[start].kind == "number"):
                factor = 1.0 if self._is_name_like(start) and start else PLAIN_NAME_FACTOR
                if chunk.country and named.score < _WHOLLY:
                    factor = 0.5  # rather the people or the country of that adjective
                if value is named and _YEAR.fullmatch(text):
                    factor = 0.5
                self._add("Name", chunk, factor * _score(named, end - start))
                if not self._is_name_like(start) or start == 0 or chunk.is_acronym:
                    self._add("KindN", chunk, factor * _score(named, end - start))
            cost = VERB_AS_NOUN_COST * (end - start == 1 and self._is_rather_verb(start))
            is_verb = end - start == 1 and self.words.is_only_verb(chunk.lower)
            if group:
                self._add("ClassN", chunk, _score(group, end - start) - cost)
            is_which = start > 0 and self.tokens[start - 1].lower in self.language.asking_words
            if predicate and not (chunk.is_numeric and chunk.lower in self.language.generic_nouns and is_which):
                is_generic = chunk.lower in self.language.generic_nouns and predicate.score < _WHOLLY
                factor = GENERIC_NOUN_FACTOR if is_generic else 1.0
                self._add("Rel", chunk, factor * _score(predicate, end - start) - PARTICIPLE_AS_NOUN_COST * is_verb)
                words = chunk.lower.split()
                if end - start > 1 and (self.words.is_participle(words[-1]) or self.words.is_participle(words[0])):
                    self._add("Ven", chunk, _score(predicate, end - start))
                if chunk.truths and predicate.score >= _SURE_FLAG and self.tokens[start].lower not in _DENIALS:
                    self._add("Flag", chunk, _score(predicate, end - start))
                if end - start == 1 and self.words.is_adjective(chunk.lower):
                    self._add("AdjR", chunk, _score(predicate, end - start))
                    if chunk.is_numeric:
                        self._add("Adj", replace(chunk, adjective=chunk.lower), _score(predicate, 1))
                if end - start > 1 and self._is_verb(words[0]):
                    self._add("Vfin", chunk, _score(predicate, end - start))

    def _sorts(self, vertex: Mention | None, value: Mention | None) -> frozenset[str]:
        leading = {iri for hit in value.values for iri in hit.predicates} if value else set()
        if vertex:
            incident = dict(self.card.incident_predicates).get(vertex.hits[0].iri, ())
            leading |= {iri for iri, direction, _ in incident if direction == "in"}
        labels = (entry.label for entry in self.card.predicates if entry.iri in leading)
        return frozenset(word for label in labels for word in split_label(label))

    def _is_rather_verb(self, position: int) -> bool:
        """Tell whether a noun of the graph is rather a participle, or the verb of the name before it ("X work ...")."""
        word, before = self.tokens[position].lower, self.tokens[position - 1].end if position else 0
        is_behind_name = any(m.end == before and m.kind in ("vertex", "value") for m in self.card.mentions)
        is_verb = self.words.is_participle(word) or self._is_verb(word) and self.words.lemma_of(word) == word
        return is_verb and is_behind_name or word.endswith("ed") and self.words.is_participle(word)

    def _is_verb(self, word: str) -> bool:
        """Tell whether a word is a form of a verb that people ask with."""
        return self.words.lemma_of(word) in self.language.words("verbs", "common", "questions_only")

    def _surest(self, kinds: dict[str, Mention], *, is_related: bool) -> dict[str, Mention]:
        """Drop the class or the predicate where the same words name something else much better.

        A noun before "of" keeps its predicate, whatever vertex bears its name.
        """
        group, predicate = kinds.get("class"), kinds.get("predicate")
        is_weaker = group and predicate and group.score < min(_WEAK_CLASS, predicate.score - _CLEAR_MARGIN)
        if is_weaker:
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
            (starts.get(m.start), m.text.casefold()) for m in self.card.mentions_of_kind("class") if m.score >= _WHOLLY
        }
        whole = [m for m in self.card.mentions_of_kind("vertex") if m.score >= _WHOLLY]
        for mention in self.card.mentions:
            if mention.start not in starts or mention.end not in ends or starts[mention.start] >= ends[mention.end]:
                continue
            start, end = starts[mention.start], ends[mention.end]
            is_led = end - start > 1 and mention.score < _WHOLLY and self.tokens[start].lower in self.language.joints
            if is_led and any(m.start == self.tokens[start + 1].start and m.end == mention.end for m in whole):
                continue  # "And Oslo Line?"
            is_function = end - start == 1 and self.tokens[start].lower in self.language.function_words
            if is_function and mention.kind in ("class", "predicate"):
                continue
            if mention.kind == "predicate" and (start, _doer(mention.text)) in groups:
                continue  # "students performed": who did it, and what they did
            if start == 0 and end > 1 and self.tokens[0].lower in self.language.commands and mention.kind != "vertex":
                continue
            kinds = spans.setdefault((start, end), {})
            if mention.kind not in kinds or mention.score > kinds[mention.kind].score:
                kinds[mention.kind] = mention
        return spans

    def _is_capital(self, start: int, kinds: Mapping[str, Mention]) -> bool:
        """Tell whether a capital letter says that this is a name: at the beginning of a question all words have one."""
        is_noun = "class" in kinds or "predicate" in kinds or "value" in kinds and kinds["value"].score <= _WHOLLY
        return self._is_name_like(start) and not (start == 0 and is_noun)

    def _is_literal(self, predicate: Mention | None) -> bool:
        entry = self._entry(predicate)
        return entry is not None and entry.object_kind == "literal"

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
            is_people = end - position == 1 and self.tokens[position].lower in self.language.demonyms
            is_marked = self.tokens[position].kind == "quoted" or _CODE.search(self.tokens[position].text)
            is_name = position or end - position > 1 or is_marked
            if end > position and not is_covered and not is_people and is_name:
                text = self.question[self.tokens[position].start : self.tokens[end - 1].end]
                chunk = Chunk(text, text.lower(), position, end, country=self.language.demonyms.get(text.lower(), ""))
                self._add("Name", chunk, UNKNOWN_NAME_SCORE * (end - position))
                self._covered.update(range(position, end))
            position = max(end, position + 1)

    def _add_lists(self) -> None:
        """Read long lists of names as one chunk each: the rules for pairs would need too many steps."""
        position = 0
        while position < len(self.tokens):
            names, end = self._list(position)
            if len(names) >= MIN_LISTED:
                score, chunks = sum(node.score for node in names), tuple(node.meaning for node in names)
                self._nodes = {key: nodes for key, nodes in self._nodes.items() if not position <= key[1] < end}
                self._listed.update(range(position, end))
                self._add_node("NameList", position, end, score, chunks)
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

    def _is_proper(self, position: int, *, first: int) -> bool:
        token = self.tokens[position]
        if token.kind == "quoted":
            return position == first
        if token.kind == "number":
            return position > first and len(token.text) <= 3
        if token.kind != "word" or self.tokens[first].kind == "quoted":
            return False
        if position > first and token.lower in _NAME_INNER and position + 1 < len(self.tokens):
            following = self.tokens[position + 1]
            is_name = following.is_capitalized and following.lower not in self.language.function_words
            return is_name or following.lower in ("the", "la")
        if self.words.read_period(token.lower):
            return False
        is_acronym = position > first and token.text.isupper() and len(token.text) > 1
        if token.lower in self.language.function_words and not is_acronym:
            return False
        return self._is_name_like(position) or bool(_CODE.search(token.text))

    # ---------------------------------------------------------------------------------------------------- quantities
    def _add_quantities(self, position: int) -> None:
        token = self.tokens[position]
        chunk = read_number(self.tokens, position, self.language)
        if chunk is not None:
            self._add("Often" if token.lower in ("once", "twice") else "Num", chunk, 0.5)
        ordinal = ORDINAL_FORM.match(token.lower)
        rank = int(ordinal[1]) if ordinal else self.language.ordinals.get(token.lower, 0)
        if rank:
            self._add("Ord", self._chunk(position, position + 1, value=str(rank)), 0.3)
        for end in range(position + 1, min(position + _MAX_DATE_TOKENS, len(self.tokens)) + 1):
            text = " ".join(t.lower for t in self.tokens[position:end])
            if unit := self.language.units.get(text):
                self._add("Unit", replace(self._chunk(position, end), lower=unit), 0.3 * (end - position))
            date = text if end - position == 1 and _YEAR.fullmatch(text) else self.words.read_date(text)
            if date:
                self._add("Date", self._chunk(position, end, value=date), 0.6 * (end - position))
            years = self.words.read_period(text)
            if years:
                self._add(
                    "Period",
                    self._chunk(position, end, value="/".join(map(format_year, years))),
                    0.6 * (end - position),
                )

    def _chunk(self, start: int, end: int, **known: str) -> Chunk:
        text = self.question[self.tokens[start].start : self.tokens[end - 1].end]
        lower = self.tokens[start].lower if end - start == 1 else text.lower()
        text = lower if end - start == 1 and text.lower() != lower else text  # a misspelt word is corrected
        return Chunk(text, lower, start, end, **known)  # type: ignore[arg-type]

    def _add_pronouns(self, position: int) -> None:
        lower = self.tokens[position].lower
        if lower in self.language.words("followups", "pronouns"):
            self._add("Pronoun", self._chunk(position, position + 1), 0.0)
        if lower in self.language.genders:
            self._add("Gender", replace(self._chunk(position, position + 1), text=self.language.genders[lower]), 0.0)
        if lower in self.language.words("followups", "possessives"):
            self._add("Possessive", self._chunk(position, position + 1), 0.0)

    # ----------------------------------------------------------------------------------- adjectives, verbs and nouns
    def _add_adjectives(self, position: int) -> None:
        lower = self.tokens[position].lower
        adjective, degree = self.words.parse_degree(lower)
        if degree:
            category: Literal["AdjEr", "AdjEst"] = "AdjEr" if degree == "er" else "AdjEst"
            self._add(category, self._chunk(position, position + 1, adjective=adjective), 0.5)
        if positive := self.words.gradable(lower):
            self._add("Adj", self._chunk(position, position + 1, adjective=positive), 0.4)
        if lower in self.language.demonyms:
            country = self.language.demonyms[lower]
            chunk = replace(self._chunk(position, position + 1, country=country), text=country)
            self._add("Country", chunk, 0.4)

    def _add_verbs(self, position: int) -> None:
        token = self.tokens[position]
        is_function = token.lower in self.language.function_words - _FUNCTION_VERBS
        if token.kind != "word" or is_function or token.is_capitalized and position:
            return
        chunk, lemma = self._chunk(position, position + 1), self.words.lemma_of(token.lower)
        known = any(n.meaning.predicate for n in self.nodes("Rel", position) if n.end == position + 1)
        score = VERB_SCORE + _KNOWN_VERB_BONUS * known
        for category in self.words.verb_categories(token.lower):
            cost = _NOUN_LIKE_VERB_COST if category == "Vfin" and lemma in self.language.noun_verbs else 0.0
            self._add(category, chunk, score - cost)
            following = self.tokens[position + 1 : position + 3]
            is_compared = len(following) > 1 and read_number(self.tokens, position + 2, self.language)
            if following and following[0].lower in self.language.words("prepositions", "particles") and not is_compared:
                self._add(category, self._chunk(position, position + 2), score - cost + _PARTICLE_BONUS)

    def _add_nouns(self, position: int) -> None:
        """Add nouns that the graph does not know: other words for its predicates or classes."""
        for end in range(position + 1, min(position + _MAX_NOUN_TOKENS, len(self.tokens)) + 1):
            run = self.tokens[position:end]
            if not all(self._is_plain(at) for at in range(position, end)) or self.nodes("Period", end - 1):
                return
            chunk = self._chunk(position, end)
            if end - position == 1 and chunk.lower in self.language.generic_nouns:
                self._add("Generic", chunk, NOUN_SCORE)
            is_related = (
                end < len(self.tokens) and self.tokens[end].lower == "of"
            )  # "citizens of", where a club is so called
            known = ("Rel", "ClassN") if is_related else ("Rel", "ClassN", "Name")
            if any(n.end == end for c in known for n in self.nodes(c, position)):
                continue
            if end - position > 1 and (self.nodes("Num", position) or self._holds_known_noun(position, end)):
                continue
            chunk = Chunk(
                chunk.text, chunk.lower, position, end,
                is_plural=self.words.is_plural(chunk.text, False), is_naming=chunk.lower in self.language.naming_nouns,
            )  # fmt: skip
            names = sum(
                self._is_inner_name(at) or self.words.parse_degree(self.tokens[at].lower)[1] == "est"
                for at in range(position, end)
            )
            if end - position > 1 or not self.words.is_only_verb(chunk.lower):
                self._add("Noun", chunk, NOUN_SCORE * len(run) - NAME_IN_NOUN_COST * names)
            if end - position == 1 and chunk.lower not in self.language.generic_nouns:
                self._add("Unknown", chunk, UNKNOWN_SCORE)

    def _add_owned(self, position: int) -> None:
        """Add "goals did the home team have", which is the predicate "goals of the home team"."""
        rest = " ".join(token.lower for token in self.tokens[position:])
        for entry in self.card.predicates if position else ():
            things, _, owner = entry.label.lower().partition(" of the ")
            match = owner and re.match(rf"{re.escape(things)} (?:do|does|did) the {re.escape(owner)} have\b", rest)
            if match:
                end = position + len(match[0].split())
                chunk = replace(
                    self._chunk(position, end), text=entry.label, lower=things, is_literal=True, is_known=True
                )
                self._add("Owned", chunk, float(end - position))

    def _is_inner_name(self, position: int) -> bool:
        """Tell whether a word inside a question is written as names are ("Rome", not "CEO")."""
        return position > 0 and self._is_name_like(position) and not self.tokens[position].text.isupper()

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


def _doer(text: str) -> str:
    """Return what stands before the participle that ends some words, "" if none does."""
    before, _, last = text.casefold().rpartition(" ")
    return before if last.endswith("ed") else ""


def _score(mention: Mention, length: int) -> float:
    return length * float(mention.score**1.5) * KIND_SCORES[mention.kind] + LENGTH_BONUS * (length - 1)
