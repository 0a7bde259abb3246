"""Dialogues as the rules see them, from any file format, and how names stand in their texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Seed, Turn, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.label_ranking import fold_text
from chattyshared.language.inflection import singularize
from chattyshared.language.lexicon import word_set
from chattyshared.language.scripts import contains_name
from chattyshared.question_forms import FORM_BY_NAME
from chattyshared.sparql.analysis import QueryAnalysis, analyze_query
from chattyshared.terms import iri_to_words


class TurnView(Turn):
    """A turn, with what its query and its answers are made of; its form is empty if its file states none."""

    __slots__ = ()

    @property
    def query(self) -> QueryAnalysis:
        """The analyzed query."""
        return analyze_query(self.sparql)

    @property
    def family(self) -> str:
        """The family of the question's form; empty if it is not known."""
        return FORM_BY_NAME[self.form].family if self.form in FORM_BY_NAME else ""

    @property
    def answer_texts(self) -> tuple[str, ...]:
        """The texts of the answers but yes and no, and of entities only with a label."""
        return tuple(a.text for a in self.answers if a.kind != "boolean" and (a.label or a.kind != "iri"))

    @property
    def answer_values(self) -> frozenset[str]:
        """The values of the answers: their IRIs and lexical forms."""
        return frozenset(value.value for value in self.answers)

    @property
    def answer_iris(self) -> tuple[str, ...]:
        """The answers that are entities."""
        return tuple(value.value for value in self.answers if value.kind == "iri")


@dataclass(frozen=True, slots=True)
class DialogueView:
    """One dialogue. ``expected_turns`` is the number of turns that it should have (0: unknown); ``findings`` are the
    defects found while reading the file; ``lang`` is the tag of the language ("": English); without ``has_gold``, its
    file states no answers."""

    id: str
    seed: Seed
    turns: tuple[TurnView, ...]
    expected_turns: int = 0
    findings: tuple[Finding, ...] = ()
    lang: str = ""
    has_gold: bool = True

    def before(self, turn: TurnView) -> tuple[TurnView, ...]:
        """Return the turns before one."""
        return self.turns[: turn.turn - 1]

    def mentioned_before(self, turn: TurnView) -> frozenset[str]:
        """Return the dialogue's entity, and the answers and the entities of the queries before a turn."""
        earlier = self.before(turn)
        return frozenset((self.seed.iri,)).union(*(e.answer_values for e in earlier), *(e.query.iris for e in earlier))

    def iris_to_name(self, turn: TurnView) -> tuple[str, ...]:
        """Return the entities that the standalone question must name: those of its query, but no members of an earlier
        list."""
        iris = turn.query.iris
        lists = (earlier.answer_values.intersection(iris) for earlier in self.before(turn))
        members = frozenset[str]().union(*(found for found in lists if len(found) > 1))
        return tuple(iri for iri in iris if iri not in members)


def list_answers(answers: Iterable[Value]) -> str:
    """Return the first answers as a text."""
    return list_first(answer.text for answer in answers)


NAME_MASK, VALUE_MASK = "Xname", "Xvalue"
"""The words that replace a name, and another value of a query."""

_FUNCTION_WORDS = word_set("function_words", "closed_class")
_MAX_CODE_LETTERS = 3
"""Letters of a name that counts as it is written only: it may be a code."""


def mentions_name(text: str, name: str) -> bool:
    """Tell whether a text contains a name as whole words, in any letter case (a short name: as it is written).

    A dot at the end of the name is optional.
    """
    bare = name.strip().rstrip(".").strip() or name.strip()
    return bare not in _FUNCTION_WORDS and contains_name(text, bare, ignores_case=len(bare) > _MAX_CODE_LETTERS)


def told_names(texts: Iterable[str], answers: Iterable[Value], *, may_offer: bool) -> Iterator[tuple[str, str]]:
    """Yield the name of each answer with each text that contains it; short numbers do not count, nor what a text offers
    as a choice if it may do so (``may_offer``)."""
    for answer in answers:
        name = answer.label or (iri_to_words(answer.value) if answer.kind == "iri" else answer.value)
        if answer.kind != "boolean" and len(name) >= (3 if answer.kind == "number" else 2):
            quoted = rf"[\"'“‘]?{re.escape(name)}[\"'”’]?"
            offer = re.compile(rf"\bor (?:the )?{quoted}|{quoted},? or\b", re.IGNORECASE)
            said = (text for text in texts if mentions_name(text, name))
            yield from ((name, text) for text in said if not (may_offer and offer.search(text)))


def namesakes(kg: KnowledgeGraph, said: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each other thing, but no class, that has the name of an entity (``said``: IRIs by name), with that name.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    for name, hits in kg.find_exact(list(said)).items() if said else ():
        for hit in hits:
            is_other = hit.iri != said[name] and hit.iri not in kg.vocabulary.classes
            if is_other and fold_text(hit.label) == fold_text(name):
                yield name, hit.iri


def mentions_part_of_name(text: str, name: str) -> bool:
    """Tell whether a text contains a word of a name that is long enough to recognize it, be it in the plural."""
    words = {word for word in folded_words(name) if len(word) > 2}
    said = folded_words(text)
    return not words.isdisjoint((*said, *map(singularize, said))) if words else mentions_name(text, name)


def folded_words(text: str) -> list[str]:
    """Return the words of a text, with case and accents folded."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"\w+", plain.casefold())


def mask_names(text: str, names: Iterable[str], mask: str = NAME_MASK) -> str:
    """Replace each name by the mask, the longest first; a name of one letter stays."""
    for name in sorted(set(names), key=len, reverse=True):
        if len(name) > 1:
            text = _name_pattern(name).sub(mask, text)
    return text


@lru_cache(maxsize=4096)
def _name_pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a name; a short one (a code such as IT) must match in letter case.

    Codes that are written like function words (``it``, ``no``, ``is``) never match.
    """
    if name in _FUNCTION_WORDS:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE if len(name) > _MAX_CODE_LETTERS else 0)
