"""Samples: turns with their gold and the answers of systems, and the viewer of an HTML page that shows them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chattyshared.answers import AnswerLine, parse_values_with_labels
from chattyshared.benchmark import Benchmark, turn_id
from chattyshared.certificates import KEY, certificate_from_json
from chattyshared.dialogue import Certificate, Dialogue, Value
from chattyshared.errors import ConfigError
from chattyshared.formats.gold import GoldFile
from chattyshared.option_specs import did_you_mean
from chattyshared.questions import Question, group_by_conversation
from chattyshared.sparql.query_layout import lay_out_query
from chattyshared.templates import render_template
from chattyshared.terms import iri_to_words, local_name, triple_to_text

MAX_SAMPLES = 20_000
"""The most turns on one page; it then has some 90 MB with three systems and their traces."""
MAX_VALUES = 200
"""The most values of one answer on the page."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of an answer in the trace: the agent (or ``queries``, ``error``), what it returned, and its seconds."""

    agent: str
    text: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SampleAnswer:
    """The answer of one system at one turn: its line, and what the scores and the trace say of it.

    ``f1`` is None where nothing is scored. ``stage`` is the stage of failure, empty for a right answer.
    """

    system: str
    line: AnswerLine
    f1: float | None = None
    stage: str = ""
    steps: tuple[TraceStep, ...] = ()

    @property
    def explanation(self) -> str:
        """Why there are no values; of values, only a stated reason."""
        return "" if self.line.answers and not self.line.reason else self.line.explanation

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes, but for the one that is the explanation."""
        return tuple(note for note in self.line.notes if note != self.explanation)

    @property
    def is_wrong(self) -> bool:
        """Whether the answer is scored and not exactly right."""
        return self.f1 is not None and self.f1 < 1


@dataclass(frozen=True, slots=True)
class Sample:
    """One turn with its gold, and the answers of systems.

    ``gold`` is None if the file states none, and empty if the graph cannot answer; ``certificate`` is empty if none is
    stated. ``dialogue`` is empty for a single question; ``turn`` counts from 1. ``witness`` holds triples in words,
    ``source`` the name of the file among several.
    """

    id: str
    question: str
    dialogue: str = ""
    turn: int = 1
    standalone: str = ""
    form: str = ""
    link: str = ""
    seed: str = ""
    seed_class: str = ""
    gold: tuple[Value, ...] | None = None
    query: str = ""
    witness: tuple[str, ...] = ()
    answers: tuple[SampleAnswer, ...] = ()
    source: str = ""
    certificate: Certificate = Certificate()

    @property
    def is_wrong(self) -> bool:
        """Whether any system is wrong here."""
        return any(answer.is_wrong for answer in self.answers)


def value_name(value: Value) -> str:
    """Return a value in a few words: an IRI without a label by its local name."""
    is_unnamed = value.kind == "iri" and not value.label
    return local_name(value.value).replace("_", " ") if is_unnamed else value.text


def samples_of_gold(file: GoldFile) -> tuple[Sample, ...]:
    """Return the turns of a gold file of any format, conversation by conversation."""
    if isinstance(file.content, Benchmark):
        return samples_of_dialogues(file.content.dialogues)
    return tuple(
        _sample_of_question(question, position)
        for conversation in group_by_conversation(file.content)
        for position, question in enumerate(conversation, 1)
    )


def samples_of_dialogues(dialogues: Iterable[Dialogue], *, is_annotated: bool = True) -> tuple[Sample, ...]:
    """Return the turns of dialogues; those of files without gold, forms and links have none (``is_annotated``)."""
    return tuple(sample for dialogue in dialogues for sample in _samples_of_dialogue(dialogue, is_annotated))


def group_by_dialogue(samples: Iterable[Sample]) -> tuple[tuple[Sample, ...], ...]:
    """Return the samples of each dialogue; a single question is alone."""
    return tuple(tuple(group) for _, group in groupby(samples, key=lambda sample: sample.dialogue or sample.id))


def select_samples(samples: Sequence[Sample], id: str) -> tuple[Sample, ...]:
    """Return the turn of an id, or all turns of the dialogue of an id.

    Raises:
        ConfigError: nothing has this id; suggests similar ones.
    """
    selected = tuple(sample for sample in samples if sample.id == id) or tuple(
        sample for sample in samples if sample.dialogue == id
    )
    if selected:
        return selected
    dialogues = dict.fromkeys(sample.dialogue for sample in samples if sample.dialogue)
    known = [sample.id for sample in samples] if "/" in id or not dialogues else list(dialogues)
    hint = did_you_mean(id, known) or (f"; there are {known[0]} to {known[-1]}" if known else "")
    raise ConfigError(f"there is no dialogue or turn {id!r:.100}{hint}")


def _samples_of_dialogue(dialogue: Dialogue, is_annotated: bool) -> Iterator[Sample]:
    seed = dialogue.seed
    labels = {seed.iri: seed.label}
    for turn in dialogue.turns:
        labels |= {value.value: value.label for value in turn.answers if value.label}
        yield Sample(
            turn_id(dialogue, turn), turn.question, dialogue.id, turn.turn, turn.standalone,
            turn.form if is_annotated else "", turn.link if is_annotated else "", seed.label,
            iri_to_words(seed.type) if seed.type else "", turn.answers if is_annotated else None, turn.sparql,
            tuple(triple_to_text(triple, labels) for triple in turn.witness),
            certificate=turn.certificate or Certificate(),
        )  # fmt: skip


def _sample_of_question(question: Question, position: int) -> Sample:
    texts = question.answer_iris or question.answers or question.answer_labels
    labels = question.answer_labels or (question.answers if question.answer_iris else None) or ()
    gold = None if question.gold() is None else parse_values_with_labels(texts, labels)
    return Sample(
        str(question.id), question.question, "" if question.dialogue_id is None else str(question.dialogue_id),
        position, question.standalone, str(question.extra.get("form", "")), str(question.extra.get("link", "")),
        gold=gold, query=question.sparql, certificate=certificate_from_json(question.extra.get(KEY) or {}),
    )  # fmt: skip


def render_samples(samples: Sequence[Sample], systems: Sequence[str]) -> str:
    """Return the section of the viewer with its data; the answers of each sample are in the order of ``systems``.

    The page needs the script and the style of the viewer: ``render_document(..., parts=("samples",))``.
    """
    if not samples:
        return ""
    data = {"systems": list(systems), "samples": list(map(_sample_to_json, samples[:MAX_SAMPLES]))}
    # "<" is escaped, so that no text ends the element; JSON reads it back.
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return render_template(__package__, "samples.html.j2", data=text, hidden=len(samples) - MAX_SAMPLES)


def _sample_to_json(sample: Sample) -> dict[str, Any]:
    gold = {} if sample.gold is None else {"gold": [], **_values_to_json("gold", sample.gold)}
    return gold | _without_empty(
        id=sample.id, question=sample.question, dialogue=sample.dialogue, turn=sample.turn,
        standalone=sample.standalone, form=sample.form, link=sample.link, seed=sample.seed, source=sample.source,
        query=lay_out_query(sample.query) if sample.query else "", witness=sample.witness[:MAX_VALUES],
        answers=list(map(_answer_to_json, sample.answers)), **{"class": sample.seed_class},
    )  # fmt: skip


def _answer_to_json(answer: SampleAnswer) -> dict[str, Any]:
    scored = {} if answer.f1 is None else {"f1": round(answer.f1, 4)}
    line = answer.line
    return scored | _values_to_json("values", line.values) | _without_empty(
        stage=answer.stage, explanation=answer.explanation, standalone=line.standalone,
        query=lay_out_query(line.sparql) if line.sparql else "", notes=answer.notes,
        confidence=round(line.confidence, 4), seconds=round(line.seconds, 4),
        steps=[[step.agent, step.text, step.seconds] for step in answer.steps],
    )  # fmt: skip


def _values_to_json(name: str, values: Sequence[Value]) -> dict[str, Any]:
    """Return the first values, an IRI behind its name, and how many more there are."""
    shown = [[value_name(value), *([value.value] if value.kind == "iri" else [])] for value in values[:MAX_VALUES]]
    return _without_empty(**{name: shown, "more": max(0, len(values) - MAX_VALUES)})


def _without_empty(**parts: Any) -> dict[str, Any]:
    return {name: part for name, part in parts.items() if part not in ("", 0, [], ())}
