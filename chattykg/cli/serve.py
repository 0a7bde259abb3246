"""``chattykg serve``: questions and conversations over HTTP, and a page in the browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click
from chattyshared.commands.group import FiniteRange, SectionedCommand, config_option, kg_option, print_status
from chattyshared.errors import ConfigError
from chattyshared.runs.manifest import DISTRIBUTION, install_command

from chattykg.cli import options, resources
from chattykg.cli.resources import ModelChoice

if TYPE_CHECKING:
    from chattyshared.kg import KnowledgeGraph
    from chattyshared.model import LanguageModel
    from chattyshared.trace import Trace

    from chattykg.runs.answer_run import EngineConfig
    from chattykg.service.datasets import ServedDataset

SESSIONS = Path("sessions.sqlite")
_NEEDED = ("fastapi", "uvicorn", "langgraph.checkpoint.sqlite")


@click.command(cls=SectionedCommand)
@kg_option(
    "A knowledge graph and the name, or IRI, by which clients ask for it: NAME=FILE, NAME=URL, NAME=demo. Several "
    "files under one name are one graph; so are those without a name, which are called after themselves.",
    name="graphs",
    metavar="NAME=KG",
)
@options.reading_options
@options.model_options
@options.engine_options
@options.theta_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve at; this machine alone.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=8000,
    show_default=True,
    help="The port; 0 takes any that is free.",
)
@click.option(
    "--allow-host", "hosts", metavar="NAME", multiple=True,
    help="A name under which clients reach the service, such as kg.example.org (may be repeated); localhost, IP "
    "addresses and --host are allowed, other names refused.",
)  # fmt: skip
@click.option(
    "--sessions", type=options.FILE, default=SESSIONS, show_default=True,
    help="Where conversations are kept, so that a restart loses none.",
)  # fmt: skip
@click.option(
    "--session-hours", type=FiniteRange(min=0), metavar="H", default=24, show_default=True,
    help="How long after its last turn a conversation is deleted; 0 keeps it.",
)  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(min=1), metavar="N", default=4, show_default=True,
    help="How many questions are answered at a time; the others wait.",
)  # fmt: skip
@options.say_option
@options.trace_option
@config_option
@options.cost_options
def serve(graphs: tuple[str, ...], **options: Any) -> None:
    """Serve knowledge graphs over HTTP, with a page to talk to them in the browser.

    GET /?question=...&dataset=NAME returns the query that answers, as TEXT2SPARQL asks for it. POST /chat with
    {"question", "dataset", "session"} returns the answer, its query, how the question was represented and linked, and
    the time; "session" is what an earlier reply named, or left out. GET /chat/SESSION is a conversation so far, DELETE
    forgets it. GET /health says what is served. Nobody is asked for a password: whoever reaches the address may ask.
    Pages of other sites may not. At SIGINT or SIGTERM questions in flight get 10 seconds; a second signal ends them.

    \b
    chattykg serve --kg demo
    chattykg serve --kg films=films.ttl --kg films=people.nt.gz --kg https://example.org/corporate/=corporate.ttl
    curl -s localhost:8000/chat -H 'Content-Type: application/json' -d '{"question": "Who directed Titanic?"}'
    """
    _installed()
    from chattyshared.trace import Trace

    from chattykg.service.app import make_app
    from chattykg.service.datasets import DatasetRegistry
    from chattykg.service.server import serve_app
    from chattykg.service.sessions import SessionStore

    hosts = _host_names(options["host"], options["hosts"])
    named, choice = _named(graphs), ModelChoice.from_options(options)
    if options["profile"] and len(named) > 1:
        raise click.UsageError("--profile describes one graph: serve the others by a command of their own")
    with (
        resources.open_model_session(options) as (access, opened),
        Trace(options["trace"], secrets=resources.secrets()) as trace,
    ):
        model, outfit = resources.open_model_and_config(choice, options, opened)
        says = choice.is_promptable if options["say"] is None else options["say"]
        datasets = {
            name: _dataset(
                name, resources.open_graph(_of_one(options, name, sources, named), access), model, outfit, trace, says
            )
            for name, sources in named.items()
        }
        with SessionStore(options["sessions"], hours=options["session_hours"]) as sessions:
            registry = DatasetRegistry(datasets, choice.describe())
            app = make_app(registry, sessions, workers=options["workers"], version=version(DISTRIBUTION), hosts=hosts)
            cut = serve_app(
                app, options["host"], options["port"], lambda url: print_status(f"{', '.join(named)}: {url}")
            )
    print_status(f"stopped; unfinished requests that were answered with 503: {cut}" if cut else "stopped")
    if cut:
        _leave_threads()


def _leave_threads() -> None:
    """End the process, which would wait for the threads that still answer what was cut off; all files are closed."""
    sys.stderr.flush()
    os._exit(0)


def _host_names(host: str, allowed: Sequence[str]) -> tuple[str, ...]:
    """Return the names of --allow-host, and that of --host where it is a name.

    Raises:
        UsageError: an --allow-host is no name.
    """
    from chattykg.service.origins import is_host_name

    for name in allowed:
        if not is_host_name(name):
            raise click.UsageError(f"--allow-host takes a name without scheme and port, not {name!r}")
    return (*allowed, host) if is_host_name(host) else tuple(allowed)


def _installed() -> None:
    """Make sure that what the service needs is there.

    Raises:
        ConfigError: it is not; says what to install.
    """
    missing = [name for name in _NEEDED if not _found(name)]
    if missing:
        raise ConfigError(f"the service needs {', '.join(missing)}: {install_command('serve')}")


def _found(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _named(graphs: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read NAME=KG: the sources of each name, in order; those without a name are one graph, called after them.

    Raises:
        UsageError: a name or a graph is missing.
    """
    from chattykg.roundtrip import run_folder_name

    nameless = run_folder_name([graph for graph in graphs if _is_nameless(graph)])
    found: dict[str, tuple[str, ...]] = {}
    for graph in graphs:
        name, source = (nameless, graph) if _is_nameless(graph) else _split(graph)
        if not name or not source:
            raise click.UsageError(f"--kg takes NAME=KG, such as films=films.ttl, not {graph!r}")
        found[name] = (*found.get(name, ()), source)
    return found


def _is_nameless(graph: str) -> bool:
    """Tell whether a graph is given without a name; the parameters of a URL hold ``=`` as well."""
    if "=" not in graph or _lies(graph):
        return True
    has_parameters = graph.startswith(("http://", "https://")) and "?" in graph.partition("=")[0]
    source = _split(graph)[1]
    return has_parameters and source != "demo" and not _lies(source)


def _split(graph: str) -> tuple[str, str]:
    """Split at the first ``=`` behind which a graph stands: names may be IRIs, which may hold one themselves."""
    splits = [(graph[:place], graph[place + 1 :]) for place, mark in enumerate(graph) if mark == "="]
    known = (
        each for each in splits if each[1] == "demo" or each[1].startswith(("http://", "https://")) or _lies(each[1])
    )
    return next(known, splits[0] if splits else ("", ""))


def _lies(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110 - a path's own method raises where a name is impossible


def _of_one(given: Mapping[str, Any], name: str, sources: Sequence[str], named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options for one graph of several: each is stored in a folder of its own."""
    store = given["store"]
    folder = store / quote(name, safe="") if store and len(named) > 1 else store
    return {**given, "sources": tuple(sources), "store": folder}


def _dataset(  # noqa: PLR0913
    name: str, kg: KnowledgeGraph, model: LanguageModel, outfit: EngineConfig, trace: Trace, says: bool
) -> ServedDataset:
    from chattyshared.trace import TracedModel

    from chattykg.runs.answer_run import open_engine
    from chattykg.service.datasets import ServedDataset

    return ServedDataset(
        name, kg, open_engine(kg, model, trace, outfit), TracedModel(model, trace, "say") if says else None
    )
