"""The example questions of each served graph: planned in the background when they are first asked for, then kept."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from chattyshared.dialogue import Turn
from chattyshared.errors import ChattyError
from chattyshared.jsonlines import write_atomically
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.runs.containment import catch_unexpected
from chattyshared.runs.threads import StopSignal
from pydantic import TypeAdapter

from chattykg.engine import ChattyEngine, Engine
from chattykg.rulebook import RULEBOOK
from chattykg.service.datasets import ServedDataset
from chattykg.suggestions import suggest_questions

MAX_SECONDS = 60
"""Seconds in which the examples of a graph are planned."""
PLANNED_QUESTIONS = 8
"""Dialogues from which example questions are taken; one for each at most."""
_MAX_QUESTION_CHARACTERS = 100
_QUESTIONS = TypeAdapter(list[str])
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Examples:
    """Example questions of a graph; ``is_complete`` is false while more are planned."""

    questions: list[str] = field(default_factory=list)
    is_complete: bool = False


class ExampleQuestions:
    """Plans the examples of each graph once, in a thread; with a cache folder they survive a restart. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._examples: dict[str, Examples] = {}
        self._stopped = threading.Event()

    def of(self, served: ServedDataset) -> Examples:
        """Return the examples so far; until the first is planned, questions from the vocabulary.

        Raises:
            EndpointError: the KG could not be asked.
        """
        with self._lock:
            if served.name not in self._examples:
                self._examples[served.name] = Examples()
                threading.Thread(target=self._run, args=(served.kg, self._examples[served.name]), daemon=True).start()
            examples = self._examples[served.name]
        if examples.questions:
            return Examples(list(examples.questions), examples.is_complete)
        return Examples(list(suggest_questions(served.kg)), examples.is_complete)

    def close(self) -> None:
        """Stop planning."""
        self._stopped.set()

    def _run(self, kg: KnowledgeGraph, examples: Examples) -> None:
        path = kg.cache_dir / f"examples-{kg.fingerprint()}.json" if kg.cache_dir else None
        with suppress(OSError, ValueError):
            examples.questions = _QUESTIONS.validate_json(path.read_bytes()) if path else []
        if not examples.questions:
            error = catch_unexpected(partial(self._plan, kg, examples))
            if error is not None:
                _logger.error("planning examples of %s failed: %s\n%s", kg.name, error, error.traceback)
            if path and examples.questions and not self._stopped.is_set():
                with suppress(OSError):
                    write_atomically(path, [json.dumps(examples.questions, ensure_ascii=False)])
        examples.is_complete = True

    def _plan(self, kg: KnowledgeGraph, examples: Examples) -> None:
        try:
            for question in plan_questions(kg, _Deadline(self._stopped)):
                examples.questions.append(question)
        except ChattyError as error:
            _logger.info("planning examples of %s ended: %s", kg.name, error)


class _Deadline:
    """A stop signal that is set by an event, or after some time."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped, self._end = stopped, time.monotonic() + MAX_SECONDS

    def is_set(self) -> bool:
        return self._stopped.is_set() or time.monotonic() > self._end


def plan_questions(kg: KnowledgeGraph, stop: StopSignal | None = None) -> Iterator[str]:
    """Yield questions of several forms about several classes that the rules are seen to answer as the graph states.

    The benchmark's generator plans dialogues by its rules; of each, the first question of a form that was not yielded
    before is asked. No hosted model is called; about 50 requests for each question.

    Raises:
        EndpointError: the KG could not be asked.
        BudgetSpent: the limit of its queries, or ``stop``, was reached.
    """
    from chattygen.options import Options
    from chattygen.pipeline import generate
    from chattygen.rulebook import RULEBOOK as GENERATION_RULES

    engine, forms = ChattyEngine(kg, RuleModel(RULEBOOK)), set[str]()
    for result in generate(kg, RuleModel(GENERATION_RULES), Options(dialogues=PLANNED_QUESTIONS, turns=3), stop=stop):
        turns = result.dialogue.turns if result.dialogue else ()
        turn = next((turn for turn in turns if turn.form not in forms and _is_answered(turn, engine)), None)
        if turn is not None:
            forms.add(turn.form)
            yield turn.standalone


def _is_answered(turn: Turn, engine: Engine) -> bool:
    """Tell whether the engine gives the gold answers to a question, without a note."""
    if not turn.answerable or len(turn.standalone) > _MAX_QUESTION_CHARACTERS:
        return False
    answer = engine.answer(turn.standalone, span="examples")
    return {v.value for v in answer.values} == {v.value for v in turn.answers} and not answer.notes
