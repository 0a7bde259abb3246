"""The options of ``chattykg serve`` that say who may ask and how much: keys, rates, origins, and limits a day."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from chattyshared.commands.group import print_status, print_warning
from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec

if TYPE_CHECKING:
    from chattykg.service.access.accounts import AccessPolicy
    from chattykg.service.access.api_keys import ApiKey, ApiKeys
    from chattykg.service.access.daily_limits import DailyBudget

KEY_SPECS = (
    OptionSpec("api_key_file", "Ask for one of the keys in this file: NAME: KEY a line, then perhaps limits a day, "
               "such as questions=500 usd=2. It is read again at SIGHUP.", "output", metavar="FILE"),
    OptionSpec("client_requests_per_minute", "Requests of one key that are answered in a minute; without keys, of one "
               "address (behind a proxy, all clients have the proxy's).", "number", minimum=1, is_setting=True),
)  # fmt: skip
"""Keys, and the rate of each client."""
ACCESS_SPECS = (
    OptionSpec("allow_origin", "Another site whose pages may ask, such as https://app.example.org (may be repeated); * "
               "for every site, only with --api-key-file.", metavar="ORIGIN", is_repeatable=True),
    *KEY_SPECS,
    OptionSpec("max_usd_per_day", "What the model's calls may cost in a UTC day.", "number", metavar="USD", minimum=0),
    OptionSpec("max_questions_per_day", "Questions of all clients that are answered in a UTC day.", "integer",
               minimum=0, is_setting=True),
    OptionSpec("max_tokens_per_day", "Tokens of prompts and replies in a UTC day. What was spent is kept beside "
               "--sessions, so that a restart does not forget it.", "integer", minimum=0, is_setting=True),
)  # fmt: skip


def open_access(options: Mapping[str, Any]) -> AccessPolicy:
    """Return who may use the service, by the options.

    Raises:
        UsageError: an origin is wrong.
        ConfigError: the file of keys, or that of what was spent today, cannot be used.
    """
    from chattykg.service.access.accounts import AccessPolicy

    keys = open_keys(options["api_key_file"])
    origins = _read_origins(options["allow_origin"], has_keys=keys is not None)
    return AccessPolicy(keys, options["client_requests_per_minute"], origins, _open_budget(options))


def open_keys(path: Path | None) -> ApiKeys | None:
    """Return the keys of a file, which is read again at SIGHUP; None without a file.

    Raises:
        ConfigError: the file cannot be read or is wrong.
    """
    if path is None:
        return None
    from chattykg.service.access.api_keys import ApiKeys

    keys = ApiKeys(_read_keys(path))
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: _reload_keys(keys, path))
    return keys


def _read_keys(path: Path) -> tuple[ApiKey, ...]:
    from chattykg.service.access.api_keys import read_api_keys

    keys, warning = read_api_keys(path)
    if warning:
        print_warning(warning)
    return keys


def _reload_keys(keys: ApiKeys, path: Path) -> None:
    try:
        keys.replace(_read_keys(path))
        print_status(f"API keys of {path}: read again")
    except ConfigError as error:
        print_warning(f"{error}; the earlier keys stay")


def _read_origins(texts: Sequence[str], *, has_keys: bool) -> tuple[str, ...]:
    """Return the origins of --allow-origin.

    Raises:
        UsageError: one is no origin, or it is ``*`` and no keys are asked for.
    """
    from chattykg.service.access.origins import ANY_ORIGIN, read_origin

    if ANY_ORIGIN in texts and not has_keys:
        raise click.UsageError(
            "--allow-origin '*' needs --api-key-file: without keys, any page that somebody opens could ask the graph "
            "and spend money"
        )
    try:
        return tuple(text if text == ANY_ORIGIN else read_origin(text) for text in texts)
    except ValueError as error:
        raise click.UsageError(
            f"--allow-origin takes a scheme and a host, such as https://app.example.org, not {str(error)!r}"
        ) from error


def check_hosts(names: Sequence[str], *, with_addresses: bool = False) -> None:
    """Check the names of --allow-host; IP addresses are names only ``with_addresses``.

    Raises:
        UsageError: one has a scheme or a port, or is no name.
    """
    from chattykg.service.access.origins import is_host_name

    kinds = "name or address" if with_addresses else "name"
    for name in names:
        if not is_host_name(name) and not (with_addresses and _is_address(name)):
            raise click.UsageError(f"--allow-host takes a {kinds} without scheme and port, not {name!r}")


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def leave_threads(seconds: float) -> None:
    """End the process ``seconds`` later at the latest, without waiting for threads that read or work for nobody; all
    files are closed."""
    threads = [each for each in threading.enumerate() if each is not threading.main_thread() and not each.daemon]
    for thread in threads:
        thread.join(seconds / len(threads))
    sys.stderr.flush()
    if not seconds or any(thread.is_alive() for thread in threads):
        os._exit(0)


def _open_budget(options: Mapping[str, Any]) -> DailyBudget:
    """Return the budget of the limits a day; what is spent is kept beside the conversations if it may be limited.

    Raises:
        ConfigError: the file cannot be read or written.
    """
    from chattykg.service.access.daily_limits import DailyBudget, DailyLimits

    limits = DailyLimits(*(options[f"max_{what}_per_day"] for what in ("questions", "tokens", "usd")))
    sessions: Path = options["sessions"]
    is_limited = options["api_key_file"] is not None or limits != DailyLimits()
    path = sessions.with_name(f"{sessions.name}.spent.sqlite") if is_limited else None
    return DailyBudget(limits, path)
