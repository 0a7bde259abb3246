"""Dialogues as the rules see them, from any file format: what a file does not state is empty."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from chattyshared.check import Finding
from chattyshared.dialogue import Certificate, Seed, Triples, Value
from chattyshared.language.inflection import singularize
from chattyshared.language.lexicon import word_set
from chattyshared.language.scripts import contains_name
from chattyshared.sparql.analysis import QueryAnalysis, analyze_query


@dataclass(frozen=True, slots=True)
class TurnView:
    """One turn. ``form``, ``link`` and ``unanswerable`` (the kind) are empty, and ``answers`` and ``certificate`` are
    None, if the file does not state them."""

    number: int
    question: str
    standalone: str
    sparql: str
    form: str = ""
    link: str = ""
    answer_type: str = ""
    answerable: bool = True
    answers: tuple[Value, ...] | None = None
    triples: Triples = ()
    witness: Triples = ()
    unanswerable: str = ""
    certificate: Certificate | None = None

    @property
    def query(self) -> QueryAnalysis:
        """The analyzed query."""
        return analyze_query(self.sparql)

    @property
    def is_polar(self) -> bool:
        """Whether the answer is yes or no, by the gold or else by the query's form."""
        return bool(self.answers) and self.answers[0].kind == "boolean" if self.answers else self.query.form == "ASK"

    @property
    def answer_texts(self) -> tuple[str, ...]:
        """The answers as texts."""
        return tuple(value_text(value) for value in self.answers or ())

    @property
    def answer_values(self) -> frozenset[str]:
        """The values of the answers: their IRIs and lexical forms."""
        return frozenset(value.value for value in self.answers or ())

    @property
    def answer_iris(self) -> tuple[str, ...]:
        """The answers that are entities."""
        return tuple(value.value for value in self.answers or () if value.kind == "iri")

    @property
    def has_list(self) -> bool:
        """Whether there are several answers."""
        return len(self.answers or ()) > 1

    def finding(self, kind: str, message: str) -> Finding:
        """Return a finding in this turn, with its question."""
        return Finding(kind, f'{message}: "{self.question}"', turn=self.number)


@dataclass(frozen=True, slots=True)
class DialogueView:
    """One dialogue. ``expected_turns`` is the number of turns that it should have (0: unknown); ``file_findings`` are
    the defects found while reading the file; ``names`` holds the known names of entities, by IRI; ``lang`` is the
    tag of the language ("": English)."""

    id: str
    seed: Seed
    turns: tuple[TurnView, ...]
    expected_turns: int = 0
    file_findings: tuple[Finding, ...] = ()
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lang: str = ""

    def names_of(self, iri: str) -> tuple[str, ...]:
        """Return the names of an entity: the seed's label, labels in gold answers, labels of the KG; each also with its
        kind before the name instead of behind it."""
        seed_labels = (self.seed.label,) if iri == self.seed.iri and self.seed.label else ()
        gold_labels = tuple(a.label for turn in self.turns for a in turn.answers or () if a.value == iri and a.label)
        labels = (*seed_labels, *gold_labels, *self.names.get(iri, ()))
        return tuple(dict.fromkeys((*labels, *(_KIND_BEHIND.sub(r"\2 \1", label) for label in labels))))

    def before(self, turn: TurnView) -> tuple[TurnView, ...]:
        """Return the turns before one."""
        return self.turns[: turn.number - 1]

    def answered_before(self, turn: TurnView) -> frozenset[str]:
        """Return the values of all answers before a turn."""
        return frozenset().union(*(earlier.answer_values for earlier in self.before(turn)))

    def mentioned_before(self, turn: TurnView) -> frozenset[str]:
        """Return the dialogue's entity, and the answers and the entities of the queries before a turn."""
        return self.answered_before(turn).union([self.seed.iri], *(earlier.query.iris for earlier in self.before(turn)))

    def iris_to_name(self, turn: TurnView) -> tuple[str, ...]:
        """Return the entities that the standalone question must name: those of its query, except members of an earlier
        set."""
        if turn.link != "among":
            return turn.query.iris
        return tuple(iri for iri in turn.query.iris if iri not in self.answered_before(turn))

    def all_names(self) -> tuple[str, ...]:
        """Return every known name, longest first."""
        answer_names = {value_text(a) for turn in self.turns for a in turn.answers or () if a.kind != "boolean"}
        entity_names = {name for names in self.names.values() for name in names}
        return tuple(
            sorted({self.seed.label, *answer_names, *entity_names} - {""}, key=lambda name: (-len(name), name))
        )


_KIND_BEHIND = re.compile(r"^(\W*\w.*) \(([^()]+)\)")
"""A label with the kind of the thing in brackets: ``Help! (album)``."""


def value_text(value: Value) -> str:
    """Return the text of an answer."""
    return value.label or (value.value if value.kind != "iri" else "")


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


def mentions_part_of_name(text: str, name: str) -> bool:
    """Tell whether a text contains a word of a name that is long enough to recognize it, be it in the plural."""
    words = {word for word in folded_words(name) if len(word) > 2}
    said = set(folded_words(text))
    if words and words.isdisjoint(said):
        said |= set(map(singularize, said))
    return bool(words & said) if words else mentions_name(text, name)


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
