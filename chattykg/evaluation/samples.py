"""The samples of an evaluation: each turn with its gold and the scored answers of the systems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from chattyshared.answers import AnswerLine
from chattyshared.formats.gold import GoldFile
from chattyshared.jsonlines import read_lines
from chattyshared.pages.samples import Sample, SampleAnswer, TraceStep, samples_of_gold
from chattyshared.trace import file_exists, trace_path_of

from chattykg.evaluation.error_analysis import failure_stage_of
from chattykg.evaluation.gold import gold_of_file
from chattykg.evaluation.metrics import TurnScore, score_turn
from chattykg.evaluation.system_runs import Answers

FALSE_ANSWER = "false answer"
"""The stage of an answer to a turn that the graph cannot answer."""
MAX_STEPS, MAX_STEP_TEXT = 40, 600
"""The most steps of one answer, and characters of what one returned."""
_Steps = Mapping[str, tuple[TraceStep, ...]]


def samples_of_systems(
    file: GoldFile, systems: Sequence[tuple[str, Answers]], *, with_steps: bool = False
) -> tuple[Sample, ...]:
    """Return the turns of a gold file with the answers of named systems; with their steps, if there are traces."""
    golds = {gold.id: gold for gold in gold_of_file(file)}
    steps = [read_steps(trace_path_of(answers.path)) if with_steps else {} for _, answers in systems]

    def answers_to(sample: Sample) -> Iterator[SampleAnswer]:
        gold = golds[sample.id]
        for (name, answers), system_steps in zip(systems, steps, strict=True):
            line = answers.lines.get(gold.id) or AnswerLine(gold.id, notes=("no answer line",))
            score = score_turn(gold, answers.answer_to(gold.id)) if gold.is_scored else None
            yield _sample_answer(name, line, score, system_steps.get(gold.id, ()))

    return tuple(replace(sample, answers=tuple(answers_to(sample))) for sample in samples_of_gold(file))


def samples_of_answers(answers: Answers, name: str) -> tuple[Sample, ...]:
    """Return the answers of a system without gold; ids such as ``d0001/2`` belong to the dialogue before the stroke."""
    return tuple(
        Sample(
            str(line.id), line.question, *_place(str(line.id)), answers=(_sample_answer(name, line, None, ()),)
        )
        for line in answers
    )  # fmt: skip


def read_steps(path: Path) -> _Steps:
    """Return the steps in a trace by question: each call of a model, and the queries between two calls as one step.

    A trace that does not exist has none. Prompts are left out, long replies are cut.

    Raises:
        BenchmarkInvalid: a line is not JSON.
    """
    events: dict[str, list[Mapping[str, Any]]] = {}
    if file_exists(path):
        for _, event in read_lines(path, skip_partial_line=True):
            if isinstance(event, dict) and event.get("span") and event.get("kind") in ("model", "query", "error"):
                events.setdefault(str(event["span"]), []).append(event)
    return {span: tuple(_steps_of(span_events))[:MAX_STEPS] for span, span_events in events.items()}


def _steps_of(events: Iterable[Mapping[str, Any]]) -> Iterator[TraceStep]:
    for is_query, run in groupby(events, key=lambda event: event["kind"] == "query"):
        group = list(run)
        yield from [_query_step(group)] if is_query else map(_call_step, group)


def _call_step(event: Mapping[str, Any]) -> TraceStep:
    data = event.get("data") or {}
    text = event.get("error") or data.get("text") or ""
    agent = str(data.get("agent") or event["kind"]).rpartition("/")[2]
    return TraceStep(agent, _cut(_compact_json(str(text))), _seconds(event))


def _query_step(queries: Sequence[Mapping[str, Any]]) -> TraceStep:
    rows = sum(int((query.get("data") or {}).get("rows") or 0) for query in queries)
    errors = "; ".join(dict.fromkeys(str(query["error"]) for query in queries if query.get("error")))
    count = f"{len(queries)} queries" if len(queries) > 1 else "1 query"
    return TraceStep("queries", _cut(f"{count}, {rows} rows{errors and f'; {errors}'}"), sum(map(_seconds, queries)))


def _compact_json(text: str) -> str:
    """Return a reply without empty parts, if it is a JSON object."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if not isinstance(value, dict):
        return text
    return json.dumps({key: part for key, part in value.items() if part not in (None, "", [], {})}, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_STEP_TEXT else f"{text[:MAX_STEP_TEXT]}…"


def _seconds(event: Mapping[str, Any]) -> float:
    return round(float(event.get("seconds") or 0), 4)


def _place(id: str) -> tuple[str, int]:
    """Return the dialogue and the turn in the id of a benchmark's turn; no dialogue for other ids."""
    dialogue, _, turn = id.rpartition("/")
    return (dialogue, int(turn)) if dialogue and turn.isdecimal() else ("", 1)


def _sample_answer(
    system: str, line: AnswerLine, score: TurnScore | None, steps: tuple[TraceStep, ...]
) -> SampleAnswer:
    if score is None:
        return SampleAnswer(system, line, steps=steps)
    stage = ""
    if score.f1 < 1:
        stage = failure_stage_of(score, has_error=bool(line.error)) if score.is_answerable else FALSE_ANSWER
    return SampleAnswer(system, line, score.f1, stage, steps)
