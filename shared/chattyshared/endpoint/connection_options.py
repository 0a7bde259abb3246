"""What a command line says of SPARQL servers: how fast, as whom and how patiently they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.endpoint.credentials import Credentials
from chattyshared.errors import ConfigError
from chattyshared.option_specs import OptionSpec

USER_VARIABLE, PASSWORD_VARIABLE, TOKEN_VARIABLE, CONTACT_VARIABLE = (
    "CHATTY_KG_USER",
    "CHATTY_KG_PASSWORD",
    "CHATTY_KG_TOKEN",
    "CHATTY_CONTACT",
)
"""Where the environment names who asks."""
DEFAULT_TIMEOUT = 60.0
"""Seconds that one query may take unless said otherwise."""
MAX_TIMEOUT = 1_000_000
"""The most seconds of one query, and the most requests a second, that can be asked for: clocks take no more."""
_ENDPOINTS = "SPARQL endpoints"

ENDPOINT_OPTIONS = (
    OptionSpec(
        "profile",
        "How to read and ask this KG, as chattykg doctor has written it.",
        "file",
        metavar="FILE",
        section=_ENDPOINTS,
    ),
    OptionSpec(
        "query_timeout",
        "Seconds that one query may take.",
        "number",
        metavar="S",
        minimum=0.1,
        maximum=MAX_TIMEOUT,
        shown_default="60",
        section=_ENDPOINTS,
    ),
    OptionSpec(
        "max_requests_per_second",
        "Ask the endpoint at most so often.",
        "number",
        metavar="N",
        minimum=0.001,
        section=_ENDPOINTS,
    ),
    OptionSpec(
        "contact",
        "Address that the endpoint's owners can write to.",
        metavar="MAIL",
        section=_ENDPOINTS,
        environment_variable=CONTACT_VARIABLE,
    ),
    OptionSpec(
        "no_cache",
        "Ask again what the endpoint has answered before, even with --cache-dir.",
        "switch",
        default=False,
        section=_ENDPOINTS,
    ),
)
"""How an endpoint is asked. Answers are kept where ``--cache-dir`` is given."""


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How a server is asked: seconds for one query and requests a second (None: the profile's, else usual ones), who
    asks, whom its owners can write to, the profile's file, whether answers may be kept in a cache folder, and the
    beginnings of the IRIs of functions that foreign queries may call beside the standard's."""

    timeout: float | None = None
    requests_per_second: float | None = None
    credentials: Credentials = field(default_factory=Credentials)
    contact: str = ""
    profile_path: Path | None = None
    uses_cache: bool = True
    functions: tuple[str, ...] = ()


def read_connection_options(options: Mapping[str, Any], environ: Mapping[str, str]) -> ConnectionOptions:
    """Read how servers are asked from a command's options, by their Python names, and the environment.

    Raises:
        ConfigError: a user without a password or the reverse; a text that no HTTP header can carry.
    """
    user, password, token = (environ.get(name, "") for name in (USER_VARIABLE, PASSWORD_VARIABLE, TOKEN_VARIABLE))
    if bool(user) != bool(password):
        missing, there = (PASSWORD_VARIABLE, USER_VARIABLE) if user else (USER_VARIABLE, PASSWORD_VARIABLE)
        raise ConfigError(f"{there} is set, but {missing} is not: set both, or {TOKEN_VARIABLE} alone")
    contact = options.get("contact") or environ.get(CONTACT_VARIABLE, "")
    for name, text in ((TOKEN_VARIABLE, token), ("--contact", contact)):
        if not (text.isascii() and (text.isprintable() or not text)):
            raise ConfigError(
                f"{name} holds characters that HTTP does not carry: letters, digits and signs of ASCII do"
            )
    return ConnectionOptions(
        options.get("query_timeout"),
        options.get("max_requests_per_second"),
        Credentials(user, password, token),
        contact,
        options.get("profile"),
        not options.get("no_cache"),
    )


def environment_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return what no trace may hold: the password and the token of the environment, and what Basic makes of them."""
    return Credentials(
        environ.get(USER_VARIABLE, ""), environ.get(PASSWORD_VARIABLE, ""), environ.get(TOKEN_VARIABLE, "")
    ).secrets
