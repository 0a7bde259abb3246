"""Options of SPARQL servers (rate, credentials, timeout) and RDF files, from the command line and the environment."""

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
"""Environment variables of the credentials and the contact address."""
DEFAULT_TIMEOUT = 60.0
"""Default of the seconds that one query may take."""
MAX_TIMEOUT = 1_000_000
"""Upper limit of the timeout in seconds and of the requests per second: clocks take no more."""
UNREADABLE = 0.01
"""Default of the share of its statements that a file may lose."""
_ENDPOINTS = "SPARQL endpoints"

ENDPOINT_OPTIONS = (
    OptionSpec("profile", "How to read and ask this KG, as chattykg doctor has written it.", "file", metavar="FILE",
               section=_ENDPOINTS),
    OptionSpec("query_timeout", "Seconds that one query may take.", "number", metavar="S", minimum=0.1,
               maximum=MAX_TIMEOUT, shown_default="60", section=_ENDPOINTS),
    OptionSpec("max_requests_per_second", "Ask the endpoint at most so often.", "number", metavar="N", minimum=0.001,
               section=_ENDPOINTS),
    OptionSpec("contact", "Address that the endpoint's owners can write to.", metavar="MAIL", section=_ENDPOINTS,
               environment_variable=CONTACT_VARIABLE),
    OptionSpec("no_cache", "Ask again what the endpoint has answered before, even with --cache-dir.", "switch",
               default=False, section=_ENDPOINTS),
    OptionSpec("unreadable", "Share of its statements that an RDF file may lose; 0 refuses any.", "number", UNREADABLE,
               metavar="S", minimum=0, maximum=1),
    OptionSpec("jsonld_context", "Take this file for each JSON-LD context on the web.", "file", metavar="FILE"),
)  # fmt: skip
"""Options of every command that queries an endpoint. Answers are kept if ``--cache-dir`` is given."""


@dataclass(frozen=True, slots=True)
class FileReading:
    """How RDF files are read: ``unreadable`` is the share of statements that each may lose (0: none), ``context`` a
    file that stands for each JSON-LD context on the web."""

    unreadable: float = UNREADABLE
    context: Path | None = None


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How a server is queried.

    ``timeout`` is in seconds; None for it or for ``requests_per_second`` means the profile's value, else the default.
    ``contact`` is an address for the owners of the server, ``functions`` are the IRI prefixes of functions that
    untrusted queries may call besides the standard ones; ``reading`` says how files are read.
    """

    timeout: float | None = None
    requests_per_second: float | None = None
    credentials: Credentials = field(default_factory=Credentials)
    contact: str = ""
    profile_path: Path | None = None
    uses_cache: bool = True
    functions: tuple[str, ...] = ()
    reading: FileReading = field(default_factory=FileReading)


def read_connection_options(options: Mapping[str, Any], environ: Mapping[str, str]) -> ConnectionOptions:
    """Read the connection options from a command's options, by their Python names, and from the environment.

    Raises:
        ConfigError: a user without a password or the reverse; a text that no HTTP header can carry.
    """
    user, password, token = (environ.get(name, "") for name in (USER_VARIABLE, PASSWORD_VARIABLE, TOKEN_VARIABLE))
    if bool(user) != bool(password):
        missing, present = (PASSWORD_VARIABLE, USER_VARIABLE) if user else (USER_VARIABLE, PASSWORD_VARIABLE)
        raise ConfigError(f"{present} is set, but {missing} is not: set both, or {TOKEN_VARIABLE} alone")
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
        reading=FileReading(options.get("unreadable", UNREADABLE), options.get("jsonld_context")),
    )


def environment_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets of the environment that no trace may hold: password, token, and Basic's encoding of them."""
    return Credentials(
        environ.get(USER_VARIABLE, ""), environ.get(PASSWORD_VARIABLE, ""), environ.get(TOKEN_VARIABLE, "")
    ).secrets
