"""``chattykg serve``: the HTTP service for questions and conversations, with a chat page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

import click
from chattyshared.commands.group import SettingsCommand, kg_option, options_from_specs, print_status
from chattyshared.endpoint.connection_options import GRAPH_SPECS
from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec
from chattyshared.runs.manifest import DISTRIBUTION, install_command

from chattykg.cli import options, resources
from chattykg.cli.access import ACCESS_SPECS, check_hosts, leave_threads, open_access
from chattykg.cli.resources import ModelChoice

if TYPE_CHECKING:
    from chattyshared.trace import Trace

    from chattykg.engine import ChattyEngine

_THREAD_SECONDS = 1.0
"""Seconds that threads get to end at the end of the service."""
_DEPENDENCIES = ("starlette", "uvicorn", "prometheus_client")


_SPECS = (
    options.HOST_OPTION, options.PORT_OPTION,
    OptionSpec("allow_host", "A name under which clients reach the service, such as kg.example.org (may be repeated); "
               "localhost, IP addresses and --host are allowed, other names refused.", metavar="NAME",
               is_repeatable=True),
    OptionSpec("sessions", "Where conversations are kept, so that a restart loses none.", "output",
               Path("sessions.sqlite")),
    OptionSpec("workers", "How many questions are answered at a time; the others wait.", "integer", 4, "N", minimum=1),
    OptionSpec("processes", "How many processes answer; with several, each opens the graphs and answers one question "
               "at a time, so that the rules use as many cores. Does not go with limits on spending, which one process "
               "counts.", "integer", 1, "N", minimum=1),
    OptionSpec("session_hours", "How long after its last turn a conversation is deleted; 0 keeps it.", "number", 24.0,
               minimum=0, is_setting=True),
    OptionSpec("answer_seconds", "How long one answer may take; then its client is told so, and the work stops.",
               "number", 120.0, minimum=0.001, is_setting=True),
)  # fmt: skip


@click.command(cls=SettingsCommand)
@kg_option(
    "A knowledge graph and the name, or IRI, by which clients ask for it: NAME=FILE, NAME=URL, NAME=demo. Several "
    "files under one name are one graph; so are those without a name, which are called after themselves.",
    name="graphs",
    metavar="NAME=KG",
)
@options_from_specs(*GRAPH_SPECS)
@options.answering_options("ask")
@options_from_specs(*_SPECS, *ACCESS_SPECS, options.SAY_SETTING)
def serve(**options: Any) -> None:
    """Serve knowledge graphs over HTTP, with a page to talk to them in the browser.

    GET /?question=...&dataset=NAME returns the query that answers, as TEXT2SPARQL asks for it. POST /chat with
    {"question", "dataset", "session"} returns the answer, its query, how the question was represented and linked, and
    the time; "session" is what an earlier reply named, or left out. GET /chat/SESSION is a conversation so far, DELETE
    forgets it. /v1/chat/completions and /v1/models are OpenAI's API, /start_chat and /ask Chatty-KG's. GET /health says
    what is served and what is left of limits, GET /metrics counts for Prometheus. Whoever reaches the address may ask,
    unless there is a file of keys. At SIGINT questions in flight get 10 seconds; a second signal ends them.

    \b
    chattykg serve --kg demo
    chattykg serve --kg films=films.ttl --kg films=people.nt.gz --kg https://example.org/corporate/=corporate.ttl
    curl -s localhost:8000/chat -H 'Content-Type: application/json' -d '{"question": "Who directed Titanic?"}'
    """
    _require_installed()
    from chattyshared.trace import Trace

    from chattykg.service.access.origins import is_host_name
    from chattykg.service.app import make_app
    from chattykg.service.datasets import DatasetRegistry
    from chattykg.service.engine_processes import EngineProcesses
    from chattykg.service.request_limits import RequestLimits
    from chattykg.service.server import serve_app
    from chattykg.service.sessions import SessionStore

    check_hosts(options["allow_host"])
    hosts = (*options["allow_host"], *filter(is_host_name, [options["host"]]))
    choice = ModelChoice.from_options(options)
    if options["profile"] and len(_parse_graphs(options["graphs"])) > 1:
        raise click.UsageError("--profile describes one graph: serve the others by a command of their own")
    with (
        resources.open_model_session(options) as opened,
        Trace(options["trace"], secrets=resources.secrets()) as trace,
        ExitStack() as stack,
    ):
        access, meter = open_access(options), opened[0].meter
        datasets = resources.open_served(options, _options_by_graph(options), opened, trace)
        for served in datasets.values():
            stack.enter_context(served.kg)
        if options["processes"] > 1:
            if access.limits_calls or (meter is not None and meter.is_limited):
                raise click.UsageError("--processes does not go with limits on spending, which one process counts")
            processes = stack.enter_context(EngineProcesses(open_engines, options, options["processes"], trace))
            datasets = {name: replace(served, engine=processes.engine(name)) for name, served in datasets.items()}
        with SessionStore(options["sessions"], hours=options["session_hours"]) as sessions:
            registry = DatasetRegistry(datasets, choice.describe())
            about = {"workers": options["workers"], "version": version(DISTRIBUTION), "hosts": hosts, "access": access}
            limits = RequestLimits(answer_seconds=options["answer_seconds"])
            app = make_app(registry, sessions, limits=limits, **about)
            names = ", ".join(datasets)
            cut_count = serve_app(app, options["host"], options["port"], lambda url: print_status(f"{names}: {url}"))
    print_status(f"stopped; unfinished requests that were answered with 503: {cut_count}" if cut_count else "stopped")
    leave_threads(_THREAD_SECONDS)


@contextmanager
def open_engines(options: Mapping[str, Any], trace: Trace) -> Iterator[Mapping[str, ChattyEngine]]:
    """Open the engines of this command's options by the names of their graphs, in a process for answers.

    Raises:
        ConfigError: a graph or a model cannot be opened.
        EndpointError: an endpoint does not answer.
    """
    with resources.open_model_session(options) as opened:
        datasets = resources.open_served(options, _options_by_graph(options), opened, trace)
        yield {name: cast("ChattyEngine", served.engine) for name, served in datasets.items()}


def _require_installed() -> None:
    """Check that the dependencies of the service are installed.

    Raises:
        ConfigError: some are missing; the message tells how to install them.
    """
    missing = [name for name in _DEPENDENCIES if not _is_installed(name)]
    if missing:
        raise ConfigError(f"the service needs {', '.join(missing)}: {install_command('serve')}")


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _parse_graphs(graphs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Parse NAME=KG: the sources of each name in order; sources without a name are one graph, named after them.

    Raises:
        UsageError: a name or a graph is missing, or a graph without a name would be called as another one is.
    """
    from chattykg.roundtrip import run_folder_name

    nameless = [graph for graph in graphs if _is_nameless(graph)]
    if len(nameless) > 1 and any(graph == "demo" or graph.startswith(("http://", "https://")) for graph in nameless):
        raise click.UsageError(f"several graphs need names, such as --kg one={nameless[0]} --kg two={nameless[1]}")
    default_name = run_folder_name(nameless)
    sources_by_name: dict[str, tuple[str, ...]] = {}
    for graph in graphs:
        name, source = (default_name, graph) if _is_nameless(graph) else _split_name(graph)
        if not name or not source:
            raise click.UsageError(f"--kg takes NAME=KG, such as films=films.ttl, not {graph!r}")
        sources_by_name[name] = (*sources_by_name.get(name, ()), source)
    if any(not _is_nameless(graph) and _split_name(graph)[0] == default_name for graph in graphs):
        raise click.UsageError(f"two graphs are called {default_name}: write NAME=KG for the one without a name")
    return sources_by_name


def _is_nameless(graph: str) -> bool:
    """Tell whether a graph has no name; the parameters of a URL contain ``=`` too."""
    if "=" not in graph or _exists(graph):
        return True
    has_parameters = graph.startswith(("http://", "https://")) and "?" in graph.partition("=")[0]
    source = _split_name(graph)[1]
    return has_parameters and source != "demo" and not _exists(source)


def _split_name(graph: str) -> tuple[str, str]:
    """Split at the first ``=`` that is followed by a graph, because a name may be an IRI with ``=``."""
    splits = [(graph[:index], graph[index + 1 :]) for index, character in enumerate(graph) if character == "="]
    known = (
        (name, source)
        for name, source in splits
        if source == "demo" or source.startswith(("http://", "https://")) or _exists(source)
    )
    return next(known, splits[0] if splits else ("", ""))


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - a path's own method raises where a name is impossible


def _options_by_graph(options: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options for each graph; each of several graphs is stored in its own folder."""
    sources_by_name, store = _parse_graphs(options["graphs"]), options["store"]
    folders = {
        name: store / quote(name, safe="") if store and len(sources_by_name) > 1 else store for name in sources_by_name
    }
    return {
        name: {**options, "sources": tuple(sources), "store": folders[name]}
        for name, sources in sources_by_name.items()
    }
