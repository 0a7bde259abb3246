"""``chattykg mcp``: a knowledge graph as tools for agents, by the Model Context Protocol."""

from __future__ import annotations

import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import SettingsCommand, options_from_specs, print_status
from chattyshared.commands.inputs import is_standard_input_read
from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec
from chattyshared.runs.manifest import DISTRIBUTION, install_command

from chattykg.cli import options, resources
from chattykg.cli.access import KEY_SPECS, check_hosts, leave_threads, open_keys

if TYPE_CHECKING:
    from chattykg.service.mcp.server import GraphToolServer


_SPECS = (
    OptionSpec("http", "Serve over streamable HTTP instead of standard input and output.", "switch", False),
    replace(options.HOST_OPTION, help="The address for --http; this machine alone."),
    replace(options.PORT_OPTION, help="The port for --http; 0 takes any that is free.", default=8001),
    OptionSpec("allow_host", "A name or IP address under which clients reach --http (may be repeated), besides "
               "localhost and --host; requests to others, or from web pages of others, are refused.", metavar="NAME",
               is_repeatable=True),
    *KEY_SPECS, options.SAY_SETTING,
)  # fmt: skip


@click.command(cls=SettingsCommand)
@options.graph_options()
@options.answering_options("ask", is_judged=False)
@options_from_specs(*_SPECS)
def mcp(**options: Any) -> None:
    """Serve a knowledge graph to agents by the Model Context Protocol (MCP).

    The tools: ask (a question in plain words; keeps conversations), search_entities, describe, vocabulary, and select
    (a SPARQL query of the agent, which may only read). The card of the graph is the resource kg://card. One server is
    for one graph: list several in the settings of the agent. It speaks over standard input and output, so that the
    agent starts it; with --http it listens at http://HOST:PORT/mcp. Messages for people go to standard error.
    Conversations are kept in memory: up to 1,000 with 200 turns each. Answers are listed unless --set say=on is given:
    the agent words them itself.

    \b
    chattykg mcp --kg demo
    chattykg mcp --kg https://example.org/sparql --model openai:gpt-5-mini --max-usd 5
    chattykg mcp --kg my.ttl --http --port 8001
    """  # noqa: D301
    if find_spec("mcp") is None:
        raise ConfigError(f"the MCP server needs mcp: {install_command('mcp')}")
    from chattyshared.trace import Trace

    from chattykg.service.mcp.server import GraphToolServer

    if not options["http"] and (options["api_key_file"] or options["client_requests_per_minute"]):
        raise click.UsageError("keys and rates are for --http: over standard input there is one client")
    if not options["http"] and is_standard_input_read(click.get_current_context()):
        raise click.UsageError("the agent speaks on standard input: name files instead of -")
    check_hosts(options["allow_host"], with_addresses=True)
    with (
        resources.open_model_session(options) as opened,
        Trace(options["trace"], secrets=resources.secrets()) as trace,
    ):
        (served,) = resources.open_served(options, {"": options}, opened, trace, says_by_default=False).values()
        kg = served.kg
        server = GraphToolServer(replace(served, name=kg.name), version=version(DISTRIBUTION))
        with kg:
            _serve(server, kg.name, options)
    leave_threads(0)


def _serve(server: GraphToolServer, name: str, options: dict[str, Any]) -> None:
    """Serve until the input ends or the process is interrupted."""
    if not options["http"]:
        print_status(f"{name}: MCP over standard input and output")
        _serve_stdio(server)
        return
    from chattykg.service.mcp.server import HTTP_PATH
    from chattykg.service.server import serve_app

    app = server.make_http_app(options["host"], options["allow_host"])
    if options["api_key_file"] or options["client_requests_per_minute"]:
        _add_access(app, options)
    serve_app(app, options["host"], options["port"], lambda url: print_status(f"{name}: {url.rstrip('/')}{HTTP_PATH}"))
    print_status("stopped")


def _add_access(app: Any, options: Mapping[str, Any]) -> None:
    """Ask for keys, and limit the requests of each client.

    Raises:
        ConfigError: the file of keys cannot be used, or sets limits a day.
    """
    from chattykg.service.access.accounts import AccessMiddleware
    from chattykg.service.access.daily_limits import DailyLimits

    keys = open_keys(options["api_key_file"])
    if keys is not None and any(limits != DailyLimits() for limits in keys.limits):
        raise ConfigError(f"{options['api_key_file']}: chattykg mcp counts no limits a day: leave them out")
    app.add_middleware(AccessMiddleware, keys=keys, requests_per_minute=options["client_requests_per_minute"])


def _serve_stdio(server: GraphToolServer) -> None:
    """Serve in a thread, because a read from standard input cannot be interrupted; SIGINT and SIGTERM end it."""
    serving = threading.Thread(target=server.serve_stdio, daemon=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        serving.start()
        serving.join()
