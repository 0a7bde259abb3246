"""The options and settings that several commands share, as specs and decorators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from chattyshared import option_specs as specs
from chattyshared.commands import group
from chattyshared.commands.group import Command, options_from_specs
from chattyshared.endpoint.connection_options import GRAPH_SPECS
from chattyshared.model.option_specs import MODEL_SPECS
from chattyshared.option_specs import OptionSpec

from chattykg.engines.switches import SWITCH_SPECS, ChattySwitches
from chattykg.settings import ENGINE_SPECS

AGENT_MODELS = "agents of the graph (chattykg explain) qir=MODEL, matching=..., direct=..."
VERIFY_SETTINGS = (
    OptionSpec("verify", 'Have the query of each answer judged, "does it say what the question asks?", and go on to '
               'the next candidate where it does not: by "rules" (the words that they share), or a model as for '
               "--model, which is called once for each candidate.", metavar="JUDGE", is_setting=True),
    OptionSpec("labels", "What the judge of verify reads for an IRI without a label in the graph: its local name, or "
               "nothing: the query is deleted.", "choice", "name", choices=("name", "drop"), is_setting=True),
)  # fmt: skip
EXPERIENCE_OPTION = OptionSpec(
    "experience", "Show the model solved questions of this file, which chattykg learn made from the same graph, as "
    "examples (may be repeated). Where a file is answered, what it shares with the examples is left out of them. The "
    "rules use no examples.", "file", metavar="FILE", is_repeatable=True,
)  # fmt: skip
EXAMPLES_SETTING = OptionSpec(
    "examples", "Make solved questions from the graph itself, once, as examples without --experience; auto: for a "
    "small model.", "choice", "auto", choices=("auto", "off"), is_setting=True,
)  # fmt: skip
SAY_SETTING = OptionSpec(
    "say", "Say the answer in a sentence (on), or list it (off); a language model is asked once more for the sentence.",
    "switch", shown_default="chat and serve: on with a language model; else off", is_setting=True,
)  # fmt: skip
ENGINE_OPTION = OptionSpec(
    "engine", 'Who answers: "chatty"; "mkgqagent" (plans, links by tools, sees once what its query gives); "triad" (a '
    'query template whose names are linked); "llm-only" (the model alone, without a graph); "rag" (the model picks '
    'from the triples around what is mentioned); "remote:text2sparql:URL" (its queries are run on the graph), '
    '"remote:chattykg:URL", "remote:openai:URL" (a chat endpoint); "file:PREDICTIONS", in any format that "chattykg '
    'evaluate" reads; "candidates:FILE" (the candidate queries of another system, best first); or '
    '"memorized:BENCHMARK" (the gold query of a question, among those of others).',
    default="chatty", metavar="ENGINE",
)  # fmt: skip
SYSTEM_SPECS = (
    ENGINE_OPTION,
    OptionSpec("history_view", "What llm-only, rag and remote:openai are shown of the turns before: nothing, the "
               "questions, or the answers as well.", "choice", "answers", choices=("none", "questions", "answers"),
               is_setting=True),
    OptionSpec("dataset", "What a remote engine calls the graph.", default="", metavar="NAME",
               shown_default="the graph's name", is_setting=True),
    *SWITCH_SPECS,
)  # fmt: skip
"""The engine, and the settings of those that are not the default one."""
CHATTY_SWITCHES = tuple(spec for spec in SWITCH_SPECS if spec.name in specs.specs_of(ChattySwitches))
RUN_SPECS = (specs.WORKERS_OPTION, specs.OVERWRITE_OPTION)
HOST_OPTION = OptionSpec("host", "The address to serve at; this machine alone.", default="127.0.0.1")
PORT_OPTION = OptionSpec("port", "The port; 0 takes any that is free.", "integer", 8000, minimum=0, maximum=65_535)
GOLD_OPTION = OptionSpec("gold", "The benchmark or the file of questions that was asked.", "file", metavar="FILE",
                         shown_default="the file beside ANSWERS that its manifest names")  # fmt: skip


def graph_options(*own: OptionSpec, required: bool = True, text: str = group.KG_HELP) -> Callable[[Command], Command]:
    """Return a decorator that adds the graph with its options, and then the options of a command."""
    return lambda command: group.kg_option(text, required=required)(options_from_specs(*GRAPH_SPECS, *own)(command))


def answering_options(
    clarify: str = "best", *, is_judged: bool = True, examples: str = "auto"
) -> Callable[[Command], Command]:
    """Return a decorator that adds the model that answers, and how it answers; ``clarify`` and ``examples`` are
    the defaults of the command."""
    engine = {**ENGINE_SPECS, "clarify": replace(ENGINE_SPECS["clarify"], default=clarify)}
    own = options_from_specs(
        *engine.values(), *VERIFY_SETTINGS * is_judged, EXPERIENCE_OPTION,
        replace(EXAMPLES_SETTING, default=examples), specs.MODEL_TIMEOUT_OPTION, *MODEL_SPECS,
        specs.TRACE_SETTING,
    )  # fmt: skip
    return lambda command: group.model_options("Who answers", AGENT_MODELS)(own(command))
