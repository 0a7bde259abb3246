"""``chattykg chat``: a conversation in the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from chattyshared.commands.group import SettingsCommand, options_from_specs, sanitize_for_terminal
from chattyshared.commands.inputs import is_standard_input_read

from chattykg.cli import options, resources
from chattykg.cli.rendering import render_answer, render_evidence, render_notes

if TYPE_CHECKING:
    from chattyshared.dialogue import Answer, History
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.trace import Trace

    from chattykg.engine import Engine

PROMPT = "> "
MAX_SHOWN_VALUES = 25
"""The most values that are shown of one answer."""
HELP_TEXT = """\
Type a question; what you said before is remembered ("Who directed it?", "And when were they born?").
  /sparql  where the last answer came from, with its query
  /reset   forget the conversation
  /help    this text
  /quit    leave (or Ctrl-D)"""


@click.command(cls=SettingsCommand)
@options.graph_options()
@options.answering_options("ask")
@options_from_specs(options.SAY_SETTING)
def chat(trace: Path | None, **options: Any) -> None:
    """Talk with a knowledge graph: follow-up questions may refer to what was said before.

    A language model says each answer in a sentence; with the rules, or with --set say=off, answers are listed. A
    question with several readings is asked back: answer by a number, a name, or what tells the thing ("the film").
    Ctrl-D or /quit ends the conversation; /help tells what else there is.

    \b
    chattykg chat --kg demo
    chattykg chat --kg https://example.org/sparql --model openai:gpt-4o-mini
    """
    from chattyshared.trace import Trace

    if is_standard_input_read(click.get_current_context()):
        raise click.UsageError("what you say comes from standard input: name files instead of -")
    with (
        resources.open_model_session(options) as opened,
        Trace(trace, secrets=resources.secrets()) as events,
    ):
        (served,) = resources.open_served(options, {"": options}, opened, events).values()
        kg = served.kg
        click.echo(f"{kg.name}: {kg.count_triples():,} triples. /help tells what you can do.", err=True)
        ChatSession(cast("Engine", served.engine), served.verbalizer, events, kg).run(_input_lines())


class ChatSession:
    """A conversation in the terminal: its history, and the handling of each line.

    ``verbalizer`` is the model that writes answers as sentences (None: values are listed). Unexpected errors are
    recorded in ``trace``. ``kg`` gives the labels of the evidence. A spent budget ends the session.
    """

    def __init__(
        self,
        engine: Engine,
        verbalizer: LanguageModel | None = None,
        trace: Trace | None = None,
        kg: KnowledgeGraph | None = None,
    ) -> None:
        self._engine, self._verbalizer, self._trace, self._kg = engine, verbalizer, trace, kg
        self._history: History = ()

    def run(self, lines: Iterator[str]) -> None:
        """Handle lines until there are no more, or until /quit.

        Raises:
            BudgetSpent: a limit was reached.
        """
        for line in lines:
            if line in ("/quit", "/exit"):
                return
            if line.startswith("/"):
                self._command(line)
            elif line:
                self._ask(line)

    def _command(self, line: str) -> None:
        if line == "/reset":
            self._history = ()
            click.echo("Forgotten.", err=True)
        elif line == "/sparql":
            last = self._history[-1] if self._history else None
            click.echo(render_evidence(last.answer, last.question, self._kg) if last else "Nothing was asked yet.")
        else:
            click.echo(
                HELP_TEXT
                if line == "/help"
                else f"There is no {sanitize_for_terminal(line)}; /help tells what there is."
            )

    def _ask(self, question: str) -> None:
        """Ask a question, show the answer and extend the history; print an error and continue if it fails."""
        from chattyshared.dialogue import Exchange
        from chattyshared.errors import BudgetSpent, ChattyError
        from chattyshared.runs.containment import UnexpectedError, catch_unexpected

        try:
            result = catch_unexpected(partial(self._answer, question))
        except BudgetSpent:
            raise
        except ChattyError as error:
            click.echo(f"That did not work: {sanitize_for_terminal(str(error))}", err=True)
            return
        except KeyboardInterrupt:
            click.echo("Given up.", err=True)
            return
        if isinstance(result, UnexpectedError):
            if self._trace is not None:
                result.record(self._trace, "answer")
            click.echo(f"That did not work: {result.sentence}", err=True)
            return
        answer, sentence = result
        is_listed = not sentence or not answer.values
        click.echo(render_answer(answer, limit=MAX_SHOWN_VALUES) if is_listed else sanitize_for_terminal(sentence))
        if answer.standalone not in ("", question):
            click.echo(f"(Understood as: {sanitize_for_terminal(answer.standalone)})")
        for note in render_notes(answer):
            click.echo(f"({note})")
        self._history = (*self._history, Exchange(question, answer))

    def _answer(self, question: str) -> tuple[Answer, str]:
        """Return the answer and its sentence (empty without a verbalizer)."""
        from chattykg.agents.verbalizer import verbalize_answer
        from chattykg.conversation.language_id import detect_conversation_language

        answer = self._engine.answer(question, self._history)
        if self._verbalizer is None:
            return answer, ""
        language = detect_conversation_language(question, self._history)
        return answer, verbalize_answer(answer.standalone or question, answer, self._verbalizer, language)


def _input_lines() -> Iterator[str]:
    """Yield the lines of standard input; a terminal gets a prompt."""
    if not sys.stdin.isatty():
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield from map(str.strip, sys.stdin)
        return
    while True:
        try:
            yield _read_line().strip()
        except (EOFError, KeyboardInterrupt):
            click.echo(err=True)
            return


def _read_line() -> str:
    import readline  # noqa: F401 - gives the line editing and history of the shell to input()

    return input(PROMPT)
