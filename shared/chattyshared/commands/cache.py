"""The command ``cache`` of both programs: contents of a cache folder, cache misses, and pruning."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chattyshared.commands.group import FiniteRange, FullHelpGroup, sanitize_for_terminal
from chattyshared.errors import ConfigError
from chattyshared.text import Column, render_rows

if TYPE_CHECKING:
    from chattyshared.endpoint.result_cache import ResultCache, ResultCacheSummary
    from chattyshared.model.reply_store import ReplyStore, StoredReply, StoreSummary

DAY, MEGABYTE = 86_400, 1_000_000
_HELP = """Look into a cache folder (--cache-dir of the other commands): replies of models, answers of endpoints.

A reply is found by all that it depends on: model, messages, schema, parameters (server, temperature, longest reply),
attempt. An answer is found by the graph's fingerprint, the server and the query.

\b
{program} cache stats --cache-dir kept
{program} cache explain --cache-dir kept --last 3
{program} cache prune --cache-dir kept --unused-for 90
"""


_folder_option = click.option(
    "--cache-dir", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder."
)


@click.command()
@_folder_option
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def stats(cache_dir: Path, as_json: bool) -> None:
    """Say what is kept, how often it was used, and what that has spared."""
    replies, answers = _open_stores(cache_dir)
    reply_summaries = replies.summarize() if replies else ()
    answer_summaries = answers.summarize() if answers else ()
    if as_json:
        click.echo(
            json.dumps(
                {
                    "replies": [asdict(summary) for summary in reply_summaries],
                    "answers": [asdict(summary) for summary in answer_summaries],
                }
            )
        )
        return
    heads = [Column("spared tokens", right=True), Column("USD", right=True, min_width=7), Column("model, agent")]
    rows = [
        (*_usage(row.replies, row), f"{row.spared_tokens:,}", f"{row.spared_usd:.4f}", f"{row.model}, {row.agent}")
        for row in reply_summaries
    ]
    click.echo("\n".join(render_rows([*_usage_columns("replies"), *heads], rows)))
    calls, tokens, usd = (
        sum(getattr(row, name) for row in reply_summaries) for name in ("hits", "spared_tokens", "spared_usd")
    )
    count = sum(row.replies for row in reply_summaries)
    click.echo(f"in all {count} replies; {calls} calls, {tokens:,} tokens, {usd:.4f} USD spared")
    if answer_summaries:
        answer_rows = [(*_usage(row.answers, row), sanitize_for_terminal(row.kg)) for row in answer_summaries]
        click.echo("\n".join(["", *render_rows([*_usage_columns("answers"), Column("graph and server")], answer_rows)]))
    for file in (replies, answers):
        if file is not None:
            click.echo(f"{file.path}: {file.path.stat().st_size / MEGABYTE:.1f} MB")


@click.command()
@click.argument("key", required=False, default="")
@_folder_option
@click.option("--agent", metavar="NAME", help="Only replies to this agent, as stats lists them.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", default=10, show_default=True, help="The latest N.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def explain(key: str, cache_dir: Path, agent: str | None, last: int, as_json: bool) -> None:
    """Say why replies had to be paid for.

    For each it names the nearest one that was kept before, and what of the request differs. The latest replies are
    explained, or the one whose KEY begins so: if a run has paid for what an earlier one had paid for already, its
    latest replies tell what has changed.
    """
    from chattyshared.model.cache import explain_paid_reply

    replies, _ = _open_stores(cache_dir)
    stored = list(replies.find_replies(key=key, agent=agent, limit=last)) if replies else []
    if not stored:
        raise ConfigError(f"{cache_dir}: no such reply is kept")
    assert replies is not None
    rows = [_explanation_row(reply, explain_paid_reply(replies, reply)) for reply in stored]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        click.echo(
            sanitize_for_terminal(
                f"{row['key']}  {row['stored']}  {row['agent']} of {row['model']}, used {row['hits']} times"
            )
        )
        click.echo(sanitize_for_terminal(f"  {row['why']}"))


@click.command()
@_folder_option
@click.option("--unused-for", type=FiniteRange(min=0), metavar="DAYS", help="What nobody has used for so long.")
@click.option("--model", metavar="MODEL", help="Replies of this model, as stats lists it.")
@click.option("--kg", metavar="TEXT", help="Answers of graphs whose fingerprint or server's name holds this text.")
@click.option(
    "--max-size", type=FiniteRange(min=0), metavar="MB",
    help="What was used longest ago, until replies, and answers, have no more than so many megabytes each.",
)  # fmt: skip
def prune(cache_dir: Path, unused_for: float | None, model: str | None, kg: str | None, max_size: float | None) -> None:
    """Forget what meets all conditions given.

    With --model only replies are looked at, with --kg only answers.
    """
    if (unused_for, model, kg, max_size) == (None, None, None, None):
        raise click.UsageError("say what shall go: --unused-for, --model, --kg, --max-size")
    replies, answers = _open_stores(cache_dir)
    seconds = None if unused_for is None else unused_for * DAY
    largest = None if max_size is None else int(max_size * MEGABYTE)
    of_replies = of_answers = 0
    if replies is not None and (kg is None or model is not None):
        of_replies = replies.prune(unused_for=seconds, chosen=model, max_bytes=largest)
    if answers is not None and (model is None or kg is not None):
        of_answers = answers.prune(unused_for=seconds, chosen=kg, max_bytes=largest)
    click.echo(f"{of_replies} replies and {of_answers} answers are gone")


def make_cache_command(program: str) -> click.Group:
    """Return the command for one program, whose name its help shows."""
    return FullHelpGroup("cache", help=_HELP.format(program=program), commands=[stats, explain, prune])


def _open_stores(folder: Path) -> tuple[ReplyStore | None, ResultCache | None]:
    """Open the existing files of a cache folder.

    Raises:
        ConfigError: both are missing, or one cannot be used.
    """
    from chattyshared.endpoint import result_cache
    from chattyshared.model.reply_store import FILE_NAME, ReplyStore

    paths = folder / FILE_NAME, folder / result_cache.CACHE_FILE_NAME
    if not any(path.exists() for path in paths):
        raise ConfigError(f"{folder}: neither replies of models nor answers of endpoints are kept here")
    return (
        ReplyStore(paths[0]) if paths[0].exists() else None,
        result_cache.ResultCache(paths[1]) if paths[1].exists() else None,
    )


def _explanation_row(reply: StoredReply, explanation: str) -> dict[str, Any]:
    return {
        "key": reply.key,
        "stored": _format_time(reply.stored_at),
        "model": reply.model,
        "agent": reply.agent,
        "hits": reply.hits,
        "why": explanation,
    }


def _usage_columns(heading: str) -> list[Column]:
    counts = [Column(head, right=True, min_width=width) for head, width in ((heading, 8), ("hits", 6), ("MB", 6))]
    return [*counts, Column("stored from"), Column("last used")]


def _usage(count: int, summary: StoreSummary | ResultCacheSummary) -> tuple[str, ...]:
    size = f"{summary.bytes / MEGABYTE:.2f}"
    return f"{count:,}", f"{summary.hits:,}", size, _format_time(summary.first), _format_time(summary.latest)


def _format_time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%MZ}"
