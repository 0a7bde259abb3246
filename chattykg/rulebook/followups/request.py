"""The running request of a dialogue: the kind of things that is looked for, with the constraints on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chattyshared.language.inflection import is_plural, pluralize

from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook.followups.constraints import (
    ARTICLES,
    Constraint,
    Phrases,
    find_nodes,
    limit_of,
    name_constraint,
)
from chattykg.rulebook.grammar.chart import Node
from chattykg.rulebook.grammar.parser import read_sentence

OPEN_KIND = "thing"
"""The kind of a request that names none: "anything in yellow"."""
_BETWEEN_KINDS = re.compile(r"(,? (?:or|and) (?:an? )?|, )")
_OPEN_KINDS = frozenset("something anything somewhere anywhere".split())
_OTHER_QUESTIONS = frozenset(("when", "where", "since", "until", "why"))
_CLAUSE_OPENERS = frozenset(("that", "which", "who", "whose", "where"))


@dataclass(frozen=True, slots=True)
class EntityRequest:
    """What is looked for: a noun for its kind, and the constraints on it; ``asked`` is what is asked of it, if any."""

    kind: str
    constraints: tuple[Constraint, ...] = ()
    asked: str = ""

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
        kind = self.kind if selects else _in_plural(self.kind)
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


def _in_plural(kind: str) -> str:
    """Return the nouns of a kind in the plural ("hotels or guest houses")."""
    parts = _BETWEEN_KINDS.split(kind)
    return "".join(p if at % 2 or is_plural(p) else pluralize(p) for at, p in enumerate(parts))


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
            stated = [*_clauses_of(question_node, phrases)]
            for limit in find_nodes(best[1], "Limit"):
                kind = other_kind(limit, phrases, request)
                request = replace(request, kind=kind) if kind else request
                stated += [] if kind else [limit_of(limit, phrases)]
            return request.with_constraints([*request.constraints, *stated])
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
    kinds = [child for child in node.children if child.category in ("ClassN", "KindN", "Generic", "Kinds")]
    nouns = [child for child in node.children if child.category in ("Name", "RelN") and _is_kind(node)]
    kinds = kinds or [noun for noun in nouns if not _names_others(noun, node)][:1]
    value = next((child for child in node.children if child.category == "Sorted"), None)
    if kinds and kinds[0].category == "KindN" and not _is_noun(kinds[0], phrases):
        value, kinds = kinds[0], []
    is_open = value is not None or phrases.sentence.tokens[node.start].lower in _OPEN_KINDS
    if not kinds and not is_open:
        inner = next((n for child in node.children for n in find_nodes(child, "Nom")), None)
        request = _request_of(inner, phrases) if inner is not None else None
        heads = [child for child in node.children if child.category == "RelN" and not child.meaning.is_naming]
        asked = phrases.text(heads[0].start, heads[0].end) if len(heads) == 1 else ""
        return replace(request, asked=asked) if request else None
    constraints = [name_constraint(value, phrases)] if value is not None else []
    for child in node.children:
        if child.category == "Mods":
            constraints += [_modifier(n, phrases) for n in find_nodes(child, "Mod")]
        elif child.category == "Post":
            constraints += [_condition(n, end, phrases) for n, end in _conditions(child)]
    return EntityRequest(phrases.text(kinds[0].start, kinds[-1].end) if kinds else OPEN_KIND, tuple(constraints))


def _is_noun(node: Node, phrases: Phrases) -> bool:
    """Tell whether a name that stands for a kind is used as a noun: in the plural, or behind an article."""
    before = phrases.sentence.tokens[node.start - 1].lower if node.start else ""
    return bool(node.meaning.is_plural) or before in ARTICLES


def _conditions(post: Node) -> Iterator[tuple[Node, int]]:
    """Yield the conditions behind a noun, each with its end.

    One behind a name ("in the old town with a pool") is one of the noun itself, for a name needs none; and so is what
    stands behind the object of a verb ("serving fish in the old town").
    """
    for node in find_nodes(post, "PostMod"):
        named = next((nom for nom in find_nodes(node, "Nom") if nom.children[0].category in ("KindN", "Name")), None)
        inner = next((child for child in named.children if child.category == "Post"), None) if named else None
        tail = next((each for each in find_nodes(node, "VTail") if each.children[0].category == "P"), None)
        end = inner or tail
        yield node, end.start if end else node.end
        if inner:
            yield from _conditions(inner)
        elif tail:
            yield tail, tail.end


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


def _names_others(noun: Node, node: Node) -> bool:
    """Tell whether a noun only says what the things behind it are called by ("names of all singers")."""
    return noun.category == "RelN" and noun.meaning.is_naming and any(find_nodes(node, "NP"))


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


def other_kind(limit: Node, phrases: Phrases, request: EntityRequest, *, is_more: bool = False) -> str:
    """Return the kind of things that is looked for instead: a class in the plural ("guest houses instead").

    ``is_more``: it is looked for as well ("or a guest house").
    """
    form = limit.children[0]
    noun = next(find_nodes(form, "Thing"), None)
    kind = next(find_nodes(noun, "ClassN", "Kinds"), None) if noun is not None else None
    if form.category != "Item" or noun is None or kind is None or noun.end != kind.end or kind.start - noun.start > 1:
        return ""
    text = phrases.text(kind.start, kind.end)
    if is_more:
        return text if request.kind == OPEN_KIND else f"{request.kind} or {text}"
    is_kind = kind.category == "Kinds" or kind.meaning.is_plural or request.kind == OPEN_KIND
    return text if is_kind else ""
