"""A conversation with a knowledge graph from Python."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager

from chattyshared.dialogue import Answer, Exchange, History
from chattyshared.errors import ConfigError
from chattyshared.kg.factory import KGSource
from chattyshared.model.rules import RuleModel
from chattyshared.resources import ModelSource, open_kg, open_model
from chattyshared.runs.threads import Outcome
from chattyshared.trace import Trace, TracedModel

from chattykg.engine import ChattyEngine, Components, Engine, engine_for_conversation
from chattykg.experience.retrieval import ExperienceSource, examples_from
from chattykg.presentation.answers import Presenter
from chattykg.rulebook import RULEBOOK
from chattykg.settings import ClarifyMode, Settings, TranslateMode, make_settings
from chattykg.steps import AnswerProgress, AnswerStep, StoppableModel
from chattykg.strategies import StrategyOption, find_model_strategy


class Chat(AbstractContextManager["Chat"]):
    """A conversation: later questions may refer to earlier ones and their answers.

    Several threads may use one conversation; its questions are answered one after the other. Several conversations may
    share one ``KnowledgeGraph``. A question that fails with an exception leaves the conversation as it was.
    """

    def __init__(  # noqa: PLR0913
        self,
        kg: KGSource | Iterable[KGSource],
        *,
        model: ModelSource = "rules",
        base_url: str | None = None,
        clarify: ClarifyMode = "ask",
        threshold: float = Settings().threshold,
        strategy: StrategyOption = "auto",
        max_steps: int = Settings().max_steps,
        translate: TranslateMode = "auto",
        verbalize: bool | None = None,
        trace: Trace | None = None,
        experience: ExperienceSource = None,
        engine: Engine | None = None,
    ) -> None:
        """Open a knowledge graph ("demo", files, a URL, a graph in memory) and a model for a conversation.

        ``model`` is "rules" (embedded, free), a spec such as "openai:NAME" with its key in the environment, a function
        of messages that returns text, or a ``LanguageModel``; ``base_url`` is the address of a server for a spec.
        ``clarify`` says what happens to a question with several readings: it is asked back, answered by the best
        reading, or refused. Answers with a confidence below ``threshold`` are withheld. ``strategy``, ``max_steps``
        and ``translate`` are as in the commands. ``verbalize``: whether the model writes ``Answer.text`` (None: if it
        can); else a template does. ``trace`` records every call and query.
        ``engine`` answers in place of the engine of the options above: any object with the method of ``Engine``.
        ``experience`` is a file (or several) that ``chattykg learn`` made from the same graph: its solved questions are
        shown to the model as examples.

        Raises:
            ConfigError: the graph, the model or the experience cannot be opened, or an option has no such value.
            EndpointError: the server of the graph does not answer.
        """
        settings = make_settings(
            clarify=clarify, threshold=threshold, strategy=strategy, max_steps=max_steps, translate=translate
        )
        opened = open_model(model, RULEBOOK, base_url=base_url)
        self.kg = open_kg(kg)
        examples = examples_from(experience, self.kg, opened.name)
        components = Components(examples=examples.pool if examples else None, second_opinion=RuleModel(RULEBOOK))
        if engine is None:
            engine = ChattyEngine(self.kg, opened, settings=settings, components=components, trace=trace)
        self.engine = engine_for_conversation(engine)
        self._opens_graph = self.kg is not kg
        is_verbalized = find_model_strategy(opened.name).is_promptable if verbalize is None else verbalize
        self._verbalizer = TracedModel(opened, trace or Trace(), "answer") if is_verbalized else None
        self._model_name = opened.name
        self._history: History = ()
        self._turn = threading.RLock()

    @property
    def history(self) -> History:
        """The questions so far with their answers, the first one first."""
        return self._history

    def ask(self, question: str) -> Answer:
        """Answer the next question of the conversation.

        A question that the graph does not answer gives an answer without values, whose ``reason`` or ``clarification``
        says why. What follows a clarification may be an option's number or label.

        Raises:
            ConfigError: the question is no text.
            EndpointError, ModelError: the graph or the model fails.
        """
        question = _checked(question)
        with self._turn:
            answer = self._answer(question, AnswerProgress())
            self._remember(question, answer)
        return answer

    def stream(self, question: str) -> Iterator[AnswerStep | Answer]:
        """Answer the next question of the conversation; yield the steps while they happen, and then the answer.

        The work begins with the first step that is asked for, and is done in a thread of its own. If the iterator is
        closed or dropped before the answer, the work stops, and the conversation is as it was.

        Raises:
            ConfigError: the question is no text.
            EndpointError, ModelError: the graph or the model fails.
        """
        return self._stream(_checked(question))

    def _stream(self, question: str) -> Iterator[AnswerStep | Answer]:
        steps: queue.SimpleQueue[AnswerStep | None] = queue.SimpleQueue()
        outcome: Outcome[Answer] = Outcome()
        stop = threading.Event()

        def work() -> None:
            with outcome:
                outcome.results.append(self._answer(question, AnswerProgress(steps.put, stop)))
            steps.put(None)

        threading.Thread(target=work, name="chat", daemon=True).start()
        try:
            yield from iter(steps.get, None)
            if outcome.error is not None:
                raise outcome.error
            for answer in outcome.results:
                self._remember(question, answer)
                yield answer
        finally:
            stop.set()

    def _answer(self, question: str, progress: AnswerProgress) -> Answer:
        with self._turn:
            if isinstance(self.engine, ChattyEngine):  # the others report no steps
                answer = self.engine.answer_with_trace(question, self._history, progress=progress).answer
            else:
                answer = self.engine.answer(question, self._history)
            answer = self._presented(question, answer, progress)
            progress.check_stop()
            return answer

    def _remember(self, question: str, answer: Answer) -> None:
        with self._turn:
            self._history = (*self._history, Exchange(question, answer))

    def reset(self) -> None:
        """Forget the conversation."""
        with self._turn:
            self._history = ()

    def close(self) -> None:
        """End the processes of the graph, if the conversation opened it."""
        if self._opens_graph:
            self.kg.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Chat({self.kg.name!r}, model={self._model_name!r}, {len(self._history)} questions)"

    def _presented(self, question: str, answer: Answer, progress: AnswerProgress) -> Answer:
        """Return the answer with its text and its evidence."""
        verbalizer = None if self._verbalizer is None else StoppableModel(self._verbalizer, progress)
        return Presenter(self.kg, verbalizer).present(question, answer, self._history)


def _checked(question: object) -> str:
    if not isinstance(question, str):
        raise ConfigError(f"a question is a text, not {type(question).__name__}")
    return question
