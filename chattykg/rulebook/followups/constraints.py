"""The constraints of a dialogue's request: what the phrases of a text say, in the words of the user and by topic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.closed_classes import FUNCTION, PREPOSITION
from chattyshared.language.inflection import is_plural, pluralize
from chattyshared.language.morphology import label_stems_of, lemma_stem_of, quantities_of, related_stems, split_label
from chattyshared.language.tokenizer import Token
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import parse_number

from chattykg.linking.answer_types import is_numeric_predicate
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.meanings import Meaning, walk
from chattykg.rulebook.grammar.parser import Sentence

AMOUNT = "amount"
"""The topic of a number without a unit."""
TIME = "time"
"""The topic of a time."""
PLACE_OF_ORIGIN = "country"
"""The topic of an adjective for a country."""
ARTICLES = frozenset("a an the".split())
_VALUES = ("When", "Amount", "CountQ", "Quant", "Num", "Sorted", "Names", "Name")
_AUXILIARY_PLURALS = {"be": "are", "is": "are", "has": "have", "does": "do", "was": "were"}
_CONJUNCTION = re.compile(r"(?i)^(?:and|but|,)\s+")
_DETERMINER = re.compile(r"(?i)^(?:an?|the)\s+")


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
        iris = {iri for mention in self.mentions(node) if mention.kind == "predicate" for iri in mention.iris[:1]}
        entries = [entry for entry in self._entries() if entry.iri in iris]
        return any(e.object_kind != "iri" and not any("boolean" in d for d in e.datatypes) for e in entries)

    def places(self) -> frozenset[str]:
        """Return the predicates that tell where a thing is, by the heads of their labels ("area", "town")."""
        heads = ((entry.iri, split_label(entry.label)[-1:]) for entry in self._entries())
        return frozenset(iri for iri, head in heads if head and noun_kinds(head[0])[:1] == ("location",))

    def topics(self, node: Node) -> frozenset[str]:
        """Return what the words of a node speak of: classes of things, predicates, quantities."""
        found = {topic for mention in self.mentions(node) for topic in self._topics_of(mention)}
        for inner in iterate_nodes(node):
            if inner.category in ("AdjEr", "AdjEst", "Adj"):
                found |= self._predicates_of_words([noun for noun, _ in quantities_of(inner.meaning.adjective)])
            elif inner.category in ("Vfin", "Ven") and inner is not node:
                found |= self._predicates_of_words([*related_stems(inner.meaning.lower)])
            elif inner.category == "Country":
                found.add(PLACE_OF_ORIGIN)
            elif isinstance(inner.meaning, Meaning):
                adjectives = [c[2] for c in inner.meaning.conditions if c[0] == "degree"]
                found |= self._predicates_of_words([n for a in adjectives for n, _ in quantities_of(a)])
        categories = {inner.category for inner in iterate_nodes(node)}
        numeric = {entry.iri for entry in self._entries() if entry.iri in found and is_numeric_predicate(entry)}
        if found:
            return frozenset(numeric if numeric and categories & {"Num", "CountQ"} else found)
        return frozenset((TIME,) if categories & {"Date", "Period"} else (AMOUNT,) if "Num" in categories else ())

    def _is_single(self, node: Node, topics: frozenset[str]) -> bool:
        if any(inner.category in ("Num", "CountQ", "Quant", "When", "Date", "Period") for inner in iterate_nodes(node)):
            return True
        return any(
            entry.is_functional for entry in self._entries() if not topics.isdisjoint((entry.iri, *entry.ranges))
        )

    def _entries(self) -> Iterator[PredicateEntry]:
        yield from self.card.predicates
        yield from self.card.remaining_vocabulary[1]

    def mentions(self, node: Node) -> list[Mention]:
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


def iterate_nodes(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it."""
    yield node
    for child in node.children:
        yield from iterate_nodes(child)


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
    while kept and kept[-1].kind == "mark" and not (kept[-1].text == ")" and any(each.text == "(" for each in kept)):
        kept.pop()
    text = ""
    for token in kept:
        is_opening = token is kept[0] and token.lower in FUNCTION
        is_changed = token.kind == "word" and (is_opening or token.text.lower() != token.lower)
        word = token.lower if is_changed else f'"{token.text}"' if token.kind == "quoted" else token.text
        is_close = token.kind in ("mark", "possessive") and token.text not in ("(", "/", "-", "&", "+")
        text += word if is_close or not text or text.endswith(" (") else f" {word}"
    return text


def in_plural(verb_phrase: str) -> str:
    """Return a verb phrase for a plural subject ("is in stock": "are in stock")."""
    first, _, rest = verb_phrase.partition(" ")
    return f"{_AUXILIARY_PLURALS.get(first.lower(), first)} {rest}".strip()


def _behind(node: Node, phrases: Phrases) -> Constraint:
    inner = node.children[0]
    return phrases.constraint(inner, _CONJUNCTION.sub("", phrases.text(inner.start, inner.end)))


def _clause(node: Node, phrases: Phrases) -> Constraint:
    verb = node.children[-1]
    if verb.category == "NPs":
        return name_constraint(verb, phrases)
    if verb.category == "Quant":
        noun = next(find_nodes(node, "RelN"))
        text = f"with a {phrases.text(noun.start, noun.end)} of {phrases.text(verb.start, verb.end)}"
        return phrases.constraint(node, text)
    return phrases.constraint(verb, f"that {in_plural(phrases.text(verb.start, verb.end))}")


def _item(node: Node, phrases: Phrases) -> Constraint:
    thing = next(find_nodes(node, "Thing"))
    text = phrases.text(thing.start, thing.end)
    name = next(find_nodes(thing, "Name"), None)
    is_thing = text.split(" ")[0].lower() in ("a", "an") or is_plural(text)
    if name is not None and not (is_thing and thing.children[-1] is name):
        return name_constraint(thing, phrases)
    if any(find_nodes(thing, "Flag")):
        return phrases.constraint(thing, f"with {text}")
    is_led = thing.children[0].category == "RelN" and text.split(" ")[0].lower() in PREPOSITION
    return phrases.constraint(thing, text if is_led else f"with {text}")


def quality(node: Node, phrases: Phrases) -> Constraint:
    """Return the constraint that modifiers state ("a quiet one")."""
    modifiers = next(find_nodes(node, "Mods"))
    text = phrases.text(modifiers.start, modifiers.end).removeprefix("the ")
    return phrases.constraint(modifiers, text, is_before=True)


def _denied(node: Node, phrases: Phrases) -> Constraint:
    inner = next(iter(node.children))
    text = phrases.text(inner.start, inner.end)
    if inner.category == "VPart":
        verb = in_plural(text)
        denied = f"that are not {verb[4:]}" if verb.startswith("are ") else f"that do not {text}"
    elif inner.category == "PostMod":
        denied = f"that are not {in_plural(text.removeprefix('that ')).removeprefix('are ')}"
    elif any(find_nodes(inner, "Mods")):
        denied = f"that are not {quality(node, phrases).text}"
    elif any(find_nodes(inner, "Name")):
        denied = f"that are not {text}"
    elif denies_class(node, phrases):
        denied = f"that are not {pluralize(_DETERMINER.sub('', text))}"
    else:
        denied = f"without {text}"
    return phrases.constraint(inner, denied)


def denies_class(node: Node, phrases: Phrases) -> bool:
    """Tell whether a constraint says of what class things are not ("not a guest house")."""
    return any(find_nodes(node, "ClassN")) and phrases.text(node.start, node.start + 1) == "not"


def _span(node: Node, phrases: Phrases) -> Constraint:
    text = phrases.text(node.children[0].start, node.children[0].end)
    return phrases.constraint(node, f"from the {text}" if node.children[0].category == "Period" else f"from {text}")


_FORMS = {"Span": _span, "Behind": _behind, "Clause": _clause, "Item": _item, "Amounts": _behind, "Quality": quality,
          "NotLimit": _denied}  # fmt: skip


def limit_of(limit: Node, phrases: Phrases) -> Constraint:
    """Return the constraint that a part of a text states which limits what is looked for."""
    form = limit.children[0]
    return _FORMS[form.category](form, phrases)


def name_constraint(node: Node, phrases: Phrases) -> Constraint:
    """Return the constraint that a name states alone, without the noun for its sort ("Italian food")."""
    either = next(find_nodes(node, "Either", "Name"), node)
    return phrases.constraint(node, phrases.text(either.start, either.end), is_before=True)
