"""What the figures of one file are taken from: its turns, words and queries, and the usage of its run."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import Any

from chattyshared.dialogue import Turn
from chattyshared.figures import Counts, share
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.spend_log import usage_of_run
from chattyshared.question_forms import UNANSWERABLE
from chattyshared.sparql.analysis import QueryShape, parse_query_shape, strip_query_terms

from chattygen.mix import form_coverage
from chattygen.stats.sources import BenchmarkSource

_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
MAESTRO_KEYWORDS = (
    "select", "ask", "where", "distinct", "limit", "offset", "orderby", "asc(", "desc(", "filter", "union{",
    "notexists{", "exists{", "minus{", "groupby", "having", "count(", "min(", "max(", "sum(", "avg(",
)  # fmt: skip
"""The SPARQL keywords that Maestro counts, in a query without blanks and in lower case."""
MAESTRO_SCALE = 300
"""Maestro's divisor, which brings the product of its three counts to 0..1."""


class MeasuredFile:
    """A file, perhaps with the knowledge graph that it was made from, and what several figures share.

    ``stated`` are the turns whose gold, links, types and difficulty the file states.
    """

    def __init__(self, source: BenchmarkSource, kg: KnowledgeGraph | None = None) -> None:
        self.source, self.kg = source, kg
        self.turns = [turn for dialogue in source.dialogues for turn in dialogue.turns]
        self.stated = self.turns if source.is_annotated else []
        self.later = [turn for d in source.dialogues for turn in d.turns[1:] if source.is_annotated]
        self.asks = Counter(a.value for turn in self.stated for a in turn.answers if a.kind == "boolean")
        self.questions = [question_words(turn.question) for turn in self.turns]
        self.standalone = [question_words(turn.standalone) for turn in self.turns]
        self.first_words = Counts.of(" ".join(words[:2]) for words in self.questions)
        self.words = [word for words in self.questions for word in words]
        self.word_pairs = [pair for words in self.questions for pair in pairwise(words)]
        self.usage = usage_of_run(sum((d.usage for d in source.dialogues), source.rejected_usage), source.run_usage)

    @cached_property
    def shapes(self) -> list[tuple[Turn, QueryShape | None]]:
        """The turns with a query, and its shape (None: it is no SPARQL 1.1)."""
        return [(turn, parse_query_shape(turn.sparql)) for turn in self.turns if turn.sparql.strip()]

    @cached_property
    def parsed(self) -> list[tuple[Turn, QueryShape]]:
        """The turns whose query can be read, with its shape."""
        return [(turn, shape) for turn, shape in self.shapes if shape is not None]

    @cached_property
    def complexities(self) -> list[float]:
        """Maestro's complexity of each of these turns."""
        return [maestro_complexity(turn, shape) for turn, shape in self.parsed]

    @cached_property
    def predicates(self) -> Counts:
        """In how many queries each predicate occurs."""
        return Counts.of(iri for _, shape in self.parsed for iri in shape.predicates)

    def form(self, turn: Turn) -> str:
        """The form of a turn; without annotations only whether its query asks, counts or looks up is known."""
        is_known = self.source.is_annotated or turn.form in ("boolean", "count")
        return turn.form if is_known else "lookup (by its query)"

    def mix(self) -> list[dict[str, Any]]:
        """The requested (``wanted``) and the observed (``got``) share of each entry of the mix, and what the entry
        needs from a graph where it is short (else empty)."""
        weights = {name: weight for name, weight in self.source.mix if weight >= 0}
        total = sum(weights.values())
        forms = Counter(turn.form if turn.answerable else UNANSWERABLE for turn in self.stated)
        mix = [(name, 100 * weight / total) for name, weight in weights.items() if total]
        return [
            {
                "name": row.form,
                "wanted": row.target_share / 100,
                "got": row.share / 100,
                "needs": row.needs if row.is_short else "",
            }
            for row in form_coverage(forms, mix)
            if row.form in weights and mix
        ]

    def repeated(self) -> float | None:
        """The share of the standalone questions that another dialogue asks in the same words."""
        ids = (dialogue.id for dialogue in self.source.dialogues for _ in dialogue.turns)
        dialogues: dict[tuple[str, ...], set[str]] = {}
        for words, id in zip(self.standalone, ids, strict=True):
            dialogues.setdefault(words, set()).add(id)
        return share(sum(len(dialogues[words]) > 1 for words in self.standalone), len(self.turns))


def question_words(text: str) -> tuple[str, ...]:
    """Return the words of a question in lower case, without punctuation."""
    return tuple(_WORD.findall(text.casefold()))


def maestro_complexity(turn: Turn, shape: QueryShape) -> float:
    """Return Maestro's complexity of a turn, in 0..1: words times triples times keywords by 300, to three places.

    The words are those of the standalone question, as in Maestro; keywords are counted outside of IRIs and literals,
    while Maestro also counts those within.
    """
    compact = "".join(strip_query_terms(turn.sparql).casefold().split())
    keywords = sum(keyword in compact for keyword in MAESTRO_KEYWORDS)
    return round(min(1.0, len(turn.standalone.split()) * shape.triples * keywords / MAESTRO_SCALE), 3)
