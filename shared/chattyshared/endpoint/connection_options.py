"""Options of SPARQL servers (rate, credentials, timeout) and RDF files, from the command line and the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.endpoint.credentials import Credentials
from chattyshared.errors import ConfigError
from chattyshared.option_specs import CACHE_OPTION, STORE_OPTION, option, setting, specs_of

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


@dataclass(frozen=True, slots=True)
class FileReading:
    """How RDF files are read: ``unreadable`` is the share of statements that each may lose (0: none), ``context`` a
    file that stands for each JSON-LD context on the web."""

    unreadable: float = setting(UNREADABLE, "Share of its statements that an RDF file may lose; 0 refuses any.",
                                metavar="S", minimum=0, maximum=1)  # fmt: skip
    context: Path | None = setting(None, "Take this file for each JSON-LD context on the web.", "file", metavar="FILE",
                                   name="jsonld_context")  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """How a server is queried.

    ``timeout`` is in seconds; None for it or for ``requests_per_second`` means the profile's value, else the default.
    ``contact`` is an address for the owners of the server, ``functions`` are the IRI prefixes of functions that
    untrusted queries may call besides the standard ones; ``reading`` says how files are read.
    """

    timeout: float | None = setting(None, "Seconds that one query may take.", "number", name="query_timeout",
                                    minimum=0.1, maximum=MAX_TIMEOUT,
                                    shown_default=f"{DEFAULT_TIMEOUT:g}")  # fmt: skip
    requests_per_second: float | None = setting(None, "Ask the endpoint at most so often.", "number",
                                                name="max_requests_per_second", minimum=0.001)  # fmt: skip
    credentials: Credentials = field(default_factory=Credentials)
    contact: str = setting("", "Address that the endpoint's owners can write to.", metavar="MAIL",
                           environment_variable=CONTACT_VARIABLE)  # fmt: skip
    profile_path: Path | None = option(None, "How to read and ask this KG, as chattykg doctor has written it.", "file",
                                       "FILE", name="profile")  # fmt: skip
    no_cache: bool = setting(False, "Ask again what the endpoint has answered before, even with --cache-dir.")
    functions: tuple[str, ...] = ()
    reading: FileReading = field(default_factory=FileReading)


GRAPH_SPECS = (
    STORE_OPTION, CACHE_OPTION, *specs_of(ConnectionOptions).values(), *specs_of(FileReading).values()
)  # fmt: skip
"""The options and settings of every command that reads a graph. Answers are kept if ``--cache-dir`` is given."""


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
    for name, text in ((TOKEN_VARIABLE, token), ("contact", contact)):
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
        bool(options.get("no_cache")),
        reading=FileReading(options.get("unreadable", UNREADABLE), options.get("jsonld_context")),
    )


def environment_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets of the environment that no trace may hold: password, token, and Basic's encoding of them."""
    return Credentials(
        environ.get(USER_VARIABLE, ""), environ.get(PASSWORD_VARIABLE, ""), environ.get(TOKEN_VARIABLE, "")
    ).secrets
