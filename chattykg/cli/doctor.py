"""``chattykg doctor``: what works on an endpoint and what does not, on one page."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import plain, say

from chattykg.cli import options

if TYPE_CHECKING:
    from chattyshared.endpoint.connection_options import Reach

    from chattykg.doctor import Report


@click.command()
@options.kg_options
@click.option(
    "-o", "--output", type=options.FILE, help="Write what was found of the graph as a profile: see --profile."
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON object.")
def doctor(**given: Any) -> None:
    """Examine a SPARQL endpoint, and how its graph is read.

    The page tells of engine, limits, paging, text search, named graphs, classes, labels and languages what works and
    what does not. It takes up to a minute, and some fifty small queries.

    The profile that -o writes can be edited, and be given to all other commands.

    \b
    chattykg doctor --kg http://localhost:8890/sparql
    chattykg doctor --kg https://example.org/sparql --contact mailto:me@example.org -o example.toml
    chattykg answer --kg https://example.org/sparql --profile example.toml "How many rivers are there?"
    """  # noqa: D301
    from chattyshared.commands.exit_codes import apart, starting
    from chattyshared.endpoint.connection_options import reach
    from chattyshared.jsonlines import write_whole
    from chattyshared.kg.profile_file import profile_lines

    from chattykg.doctor import page

    if given["output"]:
        apart(given["output"], given["sources"])
    asked = reach(given, os.environ)
    with starting():
        report = _examined(given, asked)
    click.echo(
        json.dumps(report.to_json(), ensure_ascii=False, indent=2)
        if given["as_json"]
        else plain("\n".join(page(report)))
    )
    if given["output"] and report.profile is not None:
        notes = [
            f"{report.name}, as chattykg doctor has found it.",
            *(f"{one.name}: {one.said}" for one in report.server if one.said),
        ]
        write_whole(given["output"], profile_lines(report.profile, timeout=asked.timeout, notes=notes))
        say(f"profile: {given['output']} (--profile on the other commands)")


def _examined(given: dict[str, Any], asked: Reach) -> Report:
    from chattyshared.endpoint.download import is_file_url
    from chattyshared.endpoint.remote import RemoteEndpoint
    from chattyshared.kg.factory import open_kg

    from chattykg import doctor as examination

    sources: tuple[str, ...] = given["sources"]
    if len(sources) != 1 or not sources[0].startswith(("http://", "https://")) or is_file_url(sources[0]):
        return examination.of_files(open_kg(sources, store=given["store"], cache_dir=given["cache_dir"], reach=asked))
    # What a server does not take is what the doctor wants to know: it does not wait for better times.
    seconds = min(asked.timeout or examination.HEAVIEST, examination.HEAVIEST)
    remote = RemoteEndpoint(sources[0], asked, timeout=seconds, retries=1)
    remote.probe()
    return examination.of_server(remote, asked)
