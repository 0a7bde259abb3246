"""What a command line says of SPARQL servers: how fast, as whom and how patiently they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chattyshared.endpoint.credentials import Credentials
from chattyshared.errors import ConfigError
from chattyshared.option_specs import Setting

USER, PASSWORD, TOKEN, CONTACT = "CHATTY_KG_USER", "CHATTY_KG_PASSWORD", "CHATTY_KG_TOKEN", "CHATTY_CONTACT"
"""Where the environment names who asks."""
TIMEOUT = 60.0
"""Seconds that one query may take unless said otherwise."""
LONGEST = 1_000_000
"""The most seconds of one query, and the most requests a second, that can be asked for: clocks take no more."""
_ENDPOINTS = "SPARQL endpoints"

ENDPOINTS = (
    Setting("profile", "How to read and ask this KG, as chattykg doctor has written it.", "file", metavar="FILE",
            section=_ENDPOINTS),
    Setting("query_timeout", "Seconds that one query may take.", "number", metavar="S", least=0.1, most=LONGEST,
            shown="60", section=_ENDPOINTS),
    Setting("max_requests_per_second", "Ask the endpoint at most so often.", "number", metavar="N", least=0.001,
            section=_ENDPOINTS),
    Setting("contact", "Address that the endpoint's owners can write to.", metavar="MAIL", section=_ENDPOINTS,
            variable=CONTACT),
    Setting("no_cache", "Ask again what the endpoint has answered before, even with --cache-dir.", "switch",
            default=False, section=_ENDPOINTS),
)  # fmt: skip
"""How an endpoint is asked. Answers are kept where ``--cache-dir`` is given."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How a server is asked: seconds for one query and requests a second (None: the profile's, else usual ones), who
    asks, whom its owners can write to, the profile's file, whether answers may be kept in a cache folder, and the
    beginnings of the IRIs of functions that foreign queries may call beside the standard's."""

    timeout: float | None = None
    per_second: float | None = None
    credentials: Credentials = field(default_factory=Credentials)
    contact: str = ""
    profile: Path | None = None
    keeps: bool = True
    functions: tuple[str, ...] = ()


def reach(given: Mapping[str, Any], environ: Mapping[str, str]) -> Reach:
    """Read how servers are asked from a command's options, by their Python names, and the environment.

    Raises:
        ConfigError: a user without a password or the reverse; a text that no HTTP header can carry.
    """
    user, password, token = (environ.get(name, "") for name in (USER, PASSWORD, TOKEN))
    if bool(user) != bool(password):
        missing, there = (PASSWORD, USER) if user else (USER, PASSWORD)
        raise ConfigError(f"{there} is set, but {missing} is not: set both, or {TOKEN} alone")
    contact = given.get("contact") or environ.get(CONTACT, "")
    for name, text in ((TOKEN, token), ("--contact", contact)):
        if not (text.isascii() and (text.isprintable() or not text)):
            raise ConfigError(
                f"{name} holds characters that HTTP does not carry: letters, digits and signs of ASCII do"
            )
    return Reach(
        given.get("query_timeout"), given.get("max_requests_per_second"), Credentials(user, password, token), contact,
        given.get("profile"), not given.get("no_cache"),
    )  # fmt: skip


def secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return what no trace may hold: the password and the token of the environment, and what Basic makes of them."""
    return Credentials(environ.get(USER, ""), environ.get(PASSWORD, ""), environ.get(TOKEN, "")).secret
