"""What is shipped and what is answered: values, turns, dialogues, answers, and the history of a conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from chattyshared.model import Usage

FormName = Literal[
    "object", "subject", "list", "literal", "date", "number", "count", "boolean", "two-hop",
    "conjunction", "superlative", "comparison", "filter", "negation",
]  # fmt: skip
LinkName = Literal["opens", "topic", "answer", "among", "position", "shift"]
ValueKind = Literal["iri", "literal", "number", "boolean"]
Difficulty = Literal["easy", "medium", "hard"]
AnswerStatus = Literal["answered", "empty", "unknown", "clarification"]
ReasonCode = Literal[
    "unknown-name", "unknown-relation", "unknown-qualifier", "not-stated", "ambiguous", "missing-referent",
    "not-a-question", "too-unsure", "language",
]  # fmt: skip

FORMS: tuple[str, ...] = get_args(FormName)
LINKS: tuple[str, ...] = get_args(LinkName)
STATUSES: tuple[str, ...] = get_args(AnswerStatus)
REASON_CODES: tuple[str, ...] = get_args(ReasonCode)


@dataclass(frozen=True, slots=True)
class Value:
    """One element of an answer: an IRI, the lexical form of a literal, a number, or ``true`` / ``false``."""

    value: str
    kind: ValueKind
    datatype: str = ""
    lang: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Seed:
    """The entity that a dialogue is about; ``type`` is the class's IRI."""

    iri: str
    label: str
    type: str


Triples = tuple[tuple[str, str, str], ...]
"""Triples as N-Triples terms without the angle brackets for IRIs; a literal keeps its quotes, a variable its ``?``."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with its gold: see the benchmark's JSON Schema for what each field promises."""

    turn: int
    question: str
    standalone: str
    form: FormName
    link: LinkName
    answer_type: str
    answerable: bool
    difficulty: Difficulty
    sparql: str
    answers: tuple[Value, ...]
    triples: Triples = ()
    witness: Triples = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns about one seed, in order, and what making them used."""

    id: str
    seed: Seed
    turns: tuple[Turn, ...]
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class LinkedTerm:
    """A mention of the question and the term it was linked to (entity or predicate), with a score in 0..1."""

    mention: str
    iri: str
    label: str
    score: float = 1.0
    type: str = ""


@dataclass(frozen=True, slots=True)
class StageSeconds:
    """Seconds that one answer spent in each stage."""

    understanding: float = 0.0
    linking: float = 0.0
    selection: float = 0.0
    execution: float = 0.0


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an engine does not know: a code for programs and a sentence for people."""

    code: ReasonCode
    text: str


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """A query that may answer the question, and its score in 0..1."""

    query: str
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of an engine to one question: terms, a number or a boolean, and where they came from.

    ``standalone`` is the question as it was understood; ``sparql`` the query whose result this is; ``witness`` triples
    that support it; ``scores`` run beside ``values``, best first; ``rows`` holds whole solutions where a table was
    asked for. ``queries`` counts all requests to the graph, ``candidate_queries`` those of them that ran candidates for
    the answer; None where that is not known.

    ``without_values`` is the status of an answer that has no values; ``reason`` tells why the engine does not know.
    ``notes`` are sentences about the answer: a name that was repaired, answers that were cut. ``unused`` are words of
    the question that no part of the engine's reading takes up. ``candidates`` are the best candidate queries, best
    first. ``grounded`` is false for an answer from a model's memory.
    """

    values: tuple[Value, ...] = ()
    scores: tuple[float, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    sparql: str = ""
    standalone: str = ""
    confidence: float = 0.0
    sentence: str = ""
    witness: Triples = ()
    entities: tuple[LinkedTerm, ...] = ()
    relations: tuple[LinkedTerm, ...] = ()
    queries: int = 0
    candidate_queries: int | None = None
    usage: Usage = Usage()
    stages: StageSeconds = StageSeconds()
    seconds: float = 0.0
    without_values: Literal["empty", "unknown", "clarification"] = "unknown"
    reason: Reason | None = None
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    candidates: tuple[CandidateQuery, ...] = ()
    grounded: bool = True

    @property
    def status(self) -> AnswerStatus:
        """Whether the question is answered, nothing fits it, or the answer is not known."""
        return "answered" if self.values else self.without_values

    @property
    def explanation(self) -> str:
        """The sentence that takes the place of values where there are none."""
        if self.reason is not None:
            return self.reason.text
        return next(iter(self.notes), "I do not know." if self.without_values == "unknown" else "None.")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of a conversation so far: the question as asked, as understood, and its answer."""

    question: str
    answer: Answer


History = tuple[Exchange, ...]
