"""Values of benchmarks and conversations: answer values, turns, dialogues, answers, history."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from decimal import Decimal
from textwrap import shorten
from typing import Any, Literal, get_args

from chattyshared.model import Usage

LinkName = Literal["opens", "topic", "answer", "among", "position", "shift"]
ValueKind = Literal["iri", "literal", "number", "boolean"]
Difficulty = Literal["easy", "medium", "hard"]
AnswerStatus = Literal["answered", "empty", "unknown", "clarification"]
ReasonCode = Literal[
    "unknown-name", "unknown-relation", "unknown-qualifier", "not-stated", "ambiguous", "missing-referent",
    "not-a-question", "too-unsure", "language",
]  # fmt: skip

UnanswerableKind = Literal[
    "not-stated", "entity", "relation", "class", "presupposition", "qualifier", "place", "time"
]  # fmt: skip
"""Why the KG cannot answer: it states no value, has no such name, relation or class, or not what the question takes for
granted. Older files also have questions for a quality, a place or a time that the KG does not know."""

LINKS: tuple[str, ...] = get_args(LinkName)
STATUSES: tuple[str, ...] = get_args(AnswerStatus)
REASON_CODES: tuple[str, ...] = get_args(ReasonCode)

CertificateVerdict = Literal["certain", "ambiguous", "defective"]
"""Whether the gold of a turn is the answer, one of several readings of it, or wrong."""
AlternativeReason = Literal["value-of-node", "node-of-value", "same-as", "same-label", "tie"]
"""Why another answer is right too: the value of an unnamed node or that node, the same thing under another IRI, a thing
that nothing in the graph tells apart, or a thing with the same extreme value."""


@dataclass(frozen=True, slots=True)
class Value:
    """One element of an answer: an IRI, a literal's lexical form, a number, or ``true`` / ``false``."""

    value: str
    kind: ValueKind
    datatype: str = ""
    lang: str = ""
    label: str = ""

    @property
    def text(self) -> str:
        """What people read: ``yes`` or ``no``, else the label, else the lexical form; a computed number is rounded."""
        if self.kind == "boolean":
            return {"true": "yes", "false": "no"}.get(self.value, self.value)
        if self.kind == "number" and re.fullmatch(r"[+-]?\d+\.\d{10,}", self.value):
            number = Decimal(self.value)
            return f"{round(number, max(2, 2 - number.adjusted())).normalize():f}"
        return self.label or self.value


@dataclass(frozen=True, slots=True)
class Seed:
    """The seed entity of a dialogue; ``type`` is the IRI of its class."""

    iri: str
    label: str
    type: str


Verdict = Literal["yes", "no", "unread", "invalid"]
"""What the filter of candidate queries says of one: it says what the question asks or does not, the judge said neither,
or it does not parse, writes, or cannot be run."""
Triples = tuple[tuple[str, str, str], ...]
"""Triples of N-Triples terms, IRIs without angle brackets; a literal has its quotes, a variable its ``?``."""


@dataclass(frozen=True, slots=True)
class ResultDigest:
    """What one engine gives for a gold query: the digest of the result set, or why there is none (``failure``).

    ``engine`` is its name and version; ``answers`` are stated only if the engines disagree.
    """

    engine: str
    digest: str = ""
    failure: str = ""
    answers: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """A value (an IRI or a lexical form) that is right in place of one element of the gold answer."""

    answer: str
    value: str
    reason: AlternativeReason


@dataclass(frozen=True, slots=True)
class BackTranslation:
    """The question that a model reads from the query alone, and whether the query asks what the turn asks.

    ``digest`` is that of the texts that the model was shown.
    """

    question: str
    is_same: bool
    model: str
    digest: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is known about the gold of a turn.

    Of an unanswerable question, what the KG must not contain, besides its query giving nothing: no entity has one of
    ``names``. Older files state ``words`` and ``topics``, too, which are kept.

    ``is_audit`` tells that the question had no certificate before an audit: it is not unanswerable, or not for these
    reasons. The rest is what an audit states; without one, ``verdict`` is empty. ``reasons`` are the kinds of its
    findings, ``fingerprint`` that of the KG, ``gold_digest`` that of query and answers. Of ``checked_triples`` of the
    witness, ``missing_triples`` are not in the KG.
    """

    words: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    verdict: CertificateVerdict | Literal[""] = ""
    reasons: tuple[str, ...] = ()
    fingerprint: str = ""
    gold_digest: str = ""
    results: tuple[ResultDigest, ...] = ()
    checked_triples: int = 0
    missing_triples: int = 0
    alternatives: tuple[Alternative, ...] = ()
    back_translation: BackTranslation | None = None
    is_audit: bool = False

    @property
    def exclusions(self) -> Certificate:
        """The certificate without what an audit states."""
        return Certificate(self.words, self.topics, self.names, is_audit=self.is_audit)


@dataclass(frozen=True, slots=True)
class Turn:
    """One question with its gold; the benchmark's JSON Schema describes each field."""

    turn: int
    question: str
    standalone: str
    form: str
    link: LinkName
    answer_type: str
    answerable: bool
    difficulty: Difficulty
    sparql: str
    answers: tuple[Value, ...]
    triples: Triples = ()
    witness: Triples = ()
    unanswerable: UnanswerableKind | Literal[""] = ""
    certificate: Certificate | None = None
    reworded_by: str = ""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns about one seed, in order, and the usage of generating them.

    ``lang`` is the tag of their language, if it is stated; dialogues of one ``alignment`` ask the same in several.
    """

    id: str
    seed: Seed
    turns: tuple[Turn, ...]
    usage: Usage = Usage()
    lang: str = ""
    alignment: str = ""


@dataclass(frozen=True, slots=True)
class LinkedTerm:
    """A mention in the question and the entity or predicate that it is linked to, with a score in 0..1."""

    mention: str
    iri: str
    label: str
    score: float = 1.0
    type: str = ""


@dataclass(frozen=True, slots=True)
class StageSeconds:
    """Seconds of one answer in each stage."""

    understanding: float = 0.0
    linking: float = 0.0
    selection: float = 0.0
    execution: float = 0.0


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for a missing answer: a code for programs and a sentence for people."""

    code: ReasonCode
    text: str


@dataclass(frozen=True, slots=True)
class ClarificationOption:
    """A thing or a predicate that a question may mean: a label that no other option has, and the IRI."""

    label: str
    iri: str = ""


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question back to the user, with what it may be answered by; without options the user is to name a thing."""

    question: str
    options: tuple[ClarificationOption, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """A query that may answer the question, and its score in 0..1 (0: none is known).

    ``verdict`` is that of the filter (empty: it was not judged); ``reason`` tells why it has another than yes or no.
    """

    query: str
    score: float = 0.0
    verdict: Verdict | Literal[""] = ""
    reason: str = ""

    @property
    def is_kept(self) -> bool:
        """Whether the filter keeps it: it deletes what is judged no, and what cannot be run."""
        return self.verdict not in ("no", "invalid")


@dataclass(frozen=True, slots=True)
class EvidenceTriple:
    """A witness triple with the labels of its terms, as people read it."""

    subject: Value
    predicate: Value
    object: Value


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's answer to one question: terms, a number or a boolean, with their provenance.

    ``standalone`` is the question as it was understood; ``sparql`` the query of this result; ``witness`` are
    triples that support it; ``scores`` are those of ``values``, best first; ``rows`` holds whole solutions if the
    question asks for a table, and ``columns`` their names. ``queries`` counts the requests to the graph for this
    question, ``candidate_queries`` those that ran candidates for the answer (None: unknown). The names, classes and
    predicates of things in a local graph are read once for all questions, and do not count.

    ``entities`` and ``relations`` are the links that were chosen; ``proposed_entities`` and ``proposed_relations`` are
    the IRIs that the linker offered for the words of the question.
    ``without_values`` is the status of an answer without values; ``reason`` tells why the engine has no answer;
    ``clarification`` is what the engine asks back, or what it would ask where it gives one of several answers, or none:
    the next turn may choose an option. ``suggestions`` are questions that the graph can answer.
    ``notes`` are sentences about the answer: a corrected name, truncated answers. ``unused`` are words of the question
    that the interpretation does not cover. ``candidates`` are candidate queries, best first. ``grounded`` is false for
    an answer from a model's memory. ``sentence`` is the query in words. ``text``, the answer in words, and
    ``evidence``, the witness with labels, are empty until ``chattykg.presentation`` adds them.
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
    clarification: Clarification | None = None
    suggestions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    candidates: tuple[CandidateQuery, ...] = ()
    grounded: bool = True
    columns: tuple[str, ...] = ()
    text: str = ""
    evidence: tuple[EvidenceTriple, ...] = ()
    proposed_entities: tuple[str, ...] = ()
    proposed_relations: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text or ", ".join(value.text for value in self.values) or self.explanation

    def __repr__(self) -> str:
        return f"Answer({self.status}, {shorten(str(self), 80)!r}, confidence={self.confidence:.2f})"

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(str(self))  # what a notebook shows

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and the status, as a dictionary that JSON can hold."""
        return {"status": self.status, **asdict(self)}

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each value, else its lexical form."""
        return tuple(value.label or value.value for value in self.values)

    @property
    def status(self) -> AnswerStatus:
        """Whether the question is answered, has an empty answer, or the answer is unknown."""
        return "answered" if self.values else self.without_values

    @property
    def options(self) -> tuple[ClarificationOption, ...]:
        """The options to choose from, where there are no values; the notes of an answer name its alternatives."""
        return self.clarification.options if self.clarification is not None and not self.values else ()

    @property
    def explanation(self) -> str:
        """The sentence that replaces missing values."""
        if self.clarification is not None and self.status == "clarification":
            return self.clarification.question
        if self.reason is not None:
            return self.reason.text
        return next(iter(self.notes), "I do not know." if self.without_values == "unknown" else "None.")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One earlier turn of a conversation: the question as asked, and its answer."""

    question: str
    answer: Answer


History = tuple[Exchange, ...]
