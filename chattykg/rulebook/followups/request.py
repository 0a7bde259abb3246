"""The running request of a dialogue: the kind of things that is looked for, with the constraints on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.closed_classes import FUNCTION
from chattyshared.language.inflection import is_plural, pluralize
from chattyshared.language.morphology import label_stems_of, lemma_stem_of, quantities_of, related_stems
from chattyshared.language.tokenizer import Token
from chattyshared.literals import parse_number

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.meanings import Meaning, walk
from chattykg.rulebook.grammar.parser import Sentence, read_sentence

AMOUNT = "amount"
"""The topic of a number without a unit."""
TIME = "time"
"""The topic of a time."""
PLACE_OF_ORIGIN = "country"
"""The topic of an adjective for a country."""
OPEN_KIND = "thing"
"""The kind of a request that names none: "anything in yellow"."""
_OPEN_KINDS = frozenset("something anything somewhere anywhere".split())
_VALUES = ("When", "Amount", "CountQ", "Quant", "Num", "Names", "Name")
_OTHER_QUESTIONS = frozenset(("when", "where", "since", "until", "why"))
_CLAUSE_OPENERS = frozenset(("that", "which", "who", "whose", "where"))
_AUXILIARY_PLURALS = {"be": "are", "is": "are", "has": "have", "does": "do", "was": "were"}


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint on a request, in the words of the user.

    Attributes:
        text: The words, in the form in which they stand before or behind the noun.
        is_before: It stands before the noun ("quiet").
        topics: What it constrains: the IRIs of predicates and classes, or quantities.
        is_single: Only one such constraint can hold: a thing has one value of this kind.
        is_selection: It selects from what the others describe ("cheapest").
        value: The words of its value ("Oberdorf", "less than 100 euros"), which another one may take the place of.
    """

    text: str
    is_before: bool = False
    topics: frozenset[str] = frozenset()
    is_single: bool = False
    is_selection: bool = False
    value: str = ""


@dataclass(frozen=True, slots=True)
class EntityRequest:
    """What is looked for: a noun for its kind, and the constraints on it."""

    kind: str
    constraints: tuple[Constraint, ...] = ()

    def with_constraints(self, constraints: Sequence[Constraint]) -> EntityRequest:
        """Return the request with other constraints."""
        return replace(self, constraints=tuple(constraints))

    def without_selection(self) -> EntityRequest:
        """Return the request without the constraints that select."""
        return self.with_constraints([c for c in self.constraints if not c.is_selection])

    def as_text(self) -> str:
        """Return the request as a noun phrase: what selects, what stands before the noun, the noun, the others."""
        before = sorted((c for c in self.constraints if c.is_before), key=lambda c: not c.is_selection)
        behind = sorted(
            (c for c in self.constraints if not c.is_before), key=lambda c: c.text.split(" ")[0] in _CLAUSE_OPENERS
        )
        selects = any(c.is_selection for c in before)
        if self.kind == OPEN_KIND and not selects:
            return " ".join(["anything", *(c.text for c in (*before, *behind))])
        kind = self.kind if selects or is_plural(self.kind) else pluralize(self.kind)
        words = [*(c.text for c in before), kind, *_joined([c.text for c in behind])]
        return " ".join(["the", *words] if selects else words)


def _joined(phrases: Sequence[str]) -> Iterator[str]:
    """Yield phrases, each of one kind with the one before it ("with A", "with B") joined by "and"."""
    before = ""
    for phrase in phrases:
        opener = phrase.split(" ")[0]
        if opener == before and opener in _CLAUSE_OPENERS:
            yield f"and {phrase.partition(' ')[2]}"
        else:
            yield phrase
        before = opener


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrases of a parsed text, and what the graph's vocabulary says of them."""

    sentence: Sentence
    card: VocabularyCard

    def text(self, start: int, end: int) -> str:
        """Return the words between two tokens, written out and without the marks at their ends."""
        return render_tokens(self.sentence.tokens[start:end])

    def constraint(self, node: Node, text: str, *, is_before: bool = False) -> Constraint:
        """Return the constraint that a node states."""
        topics = self.topics(node)
        conditions = list(walk(node.meaning.conditions)) if isinstance(node.meaning, Meaning) else []
        is_selection = any(condition[0] in ("superlative", "order") for condition in conditions)
        value = next(find_nodes(node, *_VALUES), None)
        value_text = self.text(value.start, value.end) if value is not None else ""
        return Constraint(text, is_before, topics, self._is_single(node, topics), is_selection, value_text)

    def attribute(self, node: Node) -> bool:
        """Tell whether a noun names a predicate whose values differ from thing to thing, not a truth or a category."""
        iris = {iri for mention in self._mentions(node) if mention.kind == "predicate" for iri in mention.iris[:1]}
        entries = [entry for entry in self._entries() if entry.iri in iris]
        return any(e.object_kind != "iri" and not any("boolean" in d for d in e.datatypes) for e in entries)

    def topics(self, node: Node) -> frozenset[str]:
        """Return what the words of a node speak of: classes of things, predicates, quantities."""
        found = {topic for mention in self._mentions(node) for topic in self._topics_of(mention)}
        for inner in _nodes(node):
            if inner.category in ("AdjEr", "AdjEst", "Adj"):
                found |= self._predicates_of_words([noun for noun, _ in quantities_of(inner.meaning.adjective)])
            elif inner.category in ("Vfin", "Ven") and inner is not node:
                found |= self._predicates_of_words([*related_stems(inner.meaning.lower)])
            elif inner.category == "Country":
                found.add(PLACE_OF_ORIGIN)
            elif isinstance(inner.meaning, Meaning):
                adjectives = [c[2] for c in inner.meaning.conditions if c[0] == "degree"]
                found |= self._predicates_of_words([n for a in adjectives for n, _ in quantities_of(a)])
        categories = {inner.category for inner in _nodes(node)}
        numeric = {entry.iri for entry in self._entries() if entry.iri in found and is_numeric_predicate(entry)}
        if found:
            return frozenset(numeric if numeric and categories & {"Num", "CountQ"} else found)
        return frozenset((TIME,) if categories & {"Date", "Period"} else (AMOUNT,) if "Num" in categories else ())

    def _is_single(self, node: Node, topics: frozenset[str]) -> bool:
        if any(inner.category in ("Num", "CountQ", "Quant", "When", "Date", "Period") for inner in _nodes(node)):
            return True
        return any(entry.is_functional for entry in self._entries() if _speaks_of(entry, topics))

    def _entries(self) -> Iterator[PredicateEntry]:
        yield from self.card.predicates
        yield from self.card.remaining_vocabulary[1]

    def _mentions(self, node: Node) -> list[Mention]:
        """Return the longest mentions within a node."""
        tokens = self.sentence.tokens
        start, end = tokens[node.start].start, tokens[node.end - 1].end
        inside = [m for m in self.card.mentions if start <= m.start and m.end <= end]
        return [
            m
            for m in inside
            if not any(o.start <= m.start and m.end <= o.end and len(o.text) > len(m.text) for o in inside)
        ]

    def _topics_of(self, mention: Mention) -> Iterator[str]:
        for hit in mention.hits[:1]:
            yield from hit.types
            for entry in self._entries():
                if set(entry.ranges) & set(hit.types):
                    yield entry.iri
        for value in mention.values[:1] if parse_number(mention.text) is None else ():
            yield from value.predicates
        yield from mention.iris if mention.kind == "predicate" else mention.iris[:1]

    def _predicates_of_words(self, words: Sequence[str]) -> set[str]:
        """Return the predicates whose labels hold one of some words; the words themselves if there is none."""
        stems = {lemma_stem_of(word) for word in words}
        return {e.iri for e in self._entries() if stems & set(label_stems_of(e.label))} or set(words)


def _holds(outer: Mention, inner: Mention) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and len(outer.text) > len(inner.text)


def _speaks_of(entry: PredicateEntry, topics: frozenset[str]) -> bool:
    return entry.iri in topics or bool(topics.intersection(entry.ranges))


def _nodes(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it."""
    yield node
    for child in node.children:
        yield from _nodes(child)


def find_nodes(node: Node, *categories: str) -> Iterator[Node]:
    """Yield the topmost nodes of some categories, left to right."""
    if node.category in categories:
        yield node
        return
    for child in node.children:
        yield from find_nodes(child, *categories)


def render_tokens(tokens: Sequence[Token]) -> str:
    """Return tokens as text: contractions and abbreviations written out, without marks at the ends."""
    kept = list(tokens)
    while kept and kept[0].kind == "mark":
        kept.pop(0)
    while kept and kept[-1].kind == "mark":
        kept.pop()
    text = ""
    for token in kept:
        is_opening = token is kept[0] and token.lower in FUNCTION
        is_changed = token.kind == "word" and (is_opening or token.text.lower() != token.lower)
        word = token.lower if is_changed else f'"{token.text}"' if token.kind == "quoted" else token.text
        is_close = token.kind in ("mark", "possessive") and token.text not in ("(", "/", "-", "&", "+")
        text += word if is_close or not text else f" {word}"
    return text


def read_request(question: str, card: VocabularyCard) -> EntityRequest | None:
    """Return the request that a standalone question makes; None if it asks for no kind of things."""
    sentence = read_sentence(question, card)
    best = max(sentence.roots(), key=lambda pair: pair[0], default=None)
    if best is None or sentence.tokens[0].lower in _OTHER_QUESTIONS:
        return None
    phrases = Phrases(sentence, card)
    if best[1].rule is None:
        return _keyword_request(best[1].children, phrases)
    for question_node in find_nodes(best[1], "Q"):
        asked = next(
            (n for n in find_nodes(question_node, "VP", "Gap", "PP", "Nom", "Poss") if n.category == "Nom"), None
        )
        leaves = tuple(question_node.leaves())
        request = _request_of(asked, phrases) if asked is not None else _keyword_request(leaves, phrases)
        if request is not None:
            return request.with_constraints([*request.constraints, *_clauses_of(question_node, phrases)])
    return None


def _keyword_request(chunks: Sequence[Node], phrases: Phrases) -> EntityRequest | None:
    """Return the request that keywords make ("hotel marienau"); None if they name no kind or a relation."""
    kind = next((chunk for chunk in chunks if chunk.category == "ClassN"), None)
    others = [chunk for chunk in chunks if chunk is not kind]
    if kind is None or any(chunk.category not in ("Name", "Country", "AdjEst") for chunk in others):
        return None
    constraints = [phrases.constraint(n, phrases.text(n.start, n.end), is_before=True) for n in others]
    return EntityRequest(phrases.text(kind.start, kind.end), tuple(constraints))


def _request_of(node: Node, phrases: Phrases) -> EntityRequest | None:
    """Return the request that a noun phrase makes; of "the price of hotels in X" that for the hotels."""
    kind = next((child for child in node.children if child.category in ("ClassN", "KindN", "Generic")), None)
    kind = kind or next(
        (child for child in node.children if child.category in ("Name", "RelN") and _is_kind(node)), None
    )
    is_open = kind is None and phrases.sentence.tokens[node.start].lower in _OPEN_KINDS
    if kind is None and not is_open:
        inner = next((n for child in node.children for n in find_nodes(child, "Nom")), None)
        return _request_of(inner, phrases) if inner is not None else None
    constraints: list[Constraint] = []
    for child in node.children:
        if child.category == "Mods":
            constraints += [_modifier(n, phrases) for n in find_nodes(child, "Mod")]
        elif child.category == "Post":
            constraints += [_condition(n, end, phrases) for n, end in _conditions(child)]
    return EntityRequest(phrases.text(kind.start, kind.end) if kind else OPEN_KIND, tuple(constraints))


def _conditions(post: Node) -> Iterator[tuple[Node, int]]:
    """Yield the conditions behind a noun, each with its end; one behind a name ("in the old town with a pool") is one
    of the noun itself, for a name needs none."""
    for node in find_nodes(post, "PostMod"):
        named = next((nom for nom in find_nodes(node, "Nom") if nom.children[0].category in ("KindN", "Name")), None)
        inner = next((child for child in named.children if child.category == "Post"), None) if named else None
        yield node, inner.start if inner else node.end
        if inner:
            yield from _conditions(inner)


def _condition(node: Node, end: int, phrases: Phrases) -> Constraint:
    part = node if end == node.end else _cut(node, end)
    return phrases.constraint(part, phrases.text(node.start, end))


def _cut(node: Node, end: int) -> Node:
    """Return a node without the parts behind a token."""
    children = tuple(_cut(child, end) for child in node.children if child.start < end)
    meaning = node.meaning if node.end <= end else None
    return Node(node.category, node.start, min(node.end, end), node.score, meaning, node.rule, children)


def _is_kind(node: Node) -> bool:
    """Tell whether a noun phrase stands for things of the kind that a name or an unknown noun names ("city bikes")."""
    is_unknown_noun = node.meaning.is_free and not node.meaning.noun.is_known and len(node.children) > 1
    return node.meaning.term.startswith("?") and (node.meaning.noun is None or is_unknown_noun)


def _modifier(node: Node, phrases: Phrases) -> Constraint:
    text = phrases.text(node.start, node.end).removeprefix("the ")
    return phrases.constraint(node, text, is_before=True)


def _clauses_of(question: Node, phrases: Phrases) -> Iterator[Constraint]:
    """Yield the constraints that the clause of a question states ("which hotels HAVE PARKING")."""
    for child in question.children:
        if child.category == "VP":
            yield phrases.constraint(child, f"that {phrases.text(child.start, child.end)}")
        elif child.category == "PP":
            yield phrases.constraint(child, phrases.text(child.start, child.end))
        elif child.category == "Gap":
            yield phrases.constraint(child, f"that {_subject_first(child, phrases)}")


def _subject_first(gap: Node, phrases: Phrases) -> str:
    """Return the words of a clause with a gap in the order of a statement ("did X direct": "X did direct")."""
    inverted = next(find_nodes(gap, "Inverted"), None)
    subject = next(iter(inverted.children), None) if inverted is not None else None
    if inverted is None or subject is None or subject.start == inverted.start:
        return phrases.text(gap.start, gap.end)
    auxiliary = phrases.text(inverted.start, subject.start)
    return " ".join(
        part
        for part in (phrases.text(subject.start, subject.end), auxiliary, phrases.text(subject.end, inverted.end))
        if part
    )


def in_plural(verb_phrase: str) -> str:
    """Return a verb phrase for a plural subject ("is in stock": "are in stock")."""
    first, _, rest = verb_phrase.partition(" ")
    return f"{_AUXILIARY_PLURALS.get(first.lower(), first)} {rest}".strip()
