"""The address of a SPARQL endpoint, with its secrets separated from the name in messages."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from chattyshared.errors import ConfigError

_PUBLIC_PARAMETERS = frozenset(("default-graph-uri", "named-graph-uri", "timeout"))
_DEFAULT_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int | None]
"""Scheme, host and port of a server."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where queries are sent: URL without credentials and parameters, these separately, and the name for messages."""

    url: str
    name: str
    user: str = ""
    password: str = field(default="", repr=False)
    parameters: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def timeout(self) -> float | None:
        """The seconds of the parameter ``timeout``, which Virtuoso takes in milliseconds; None without it."""
        milliseconds = dict(self.parameters).get("timeout", "")
        return int(milliseconds) / 1000 if milliseconds.isdecimal() else None

    @property
    def private_parameters(self) -> tuple[tuple[str, str], ...]:
        """The parameters that may be secret, for example a key: all except those shown in messages."""
        return tuple((key, value) for key, value in self.parameters if key not in _PUBLIC_PARAMETERS)


def parse_origin(url: str) -> Origin:
    """Return scheme, host and port of a URL; without a port, the default port of the scheme.

    Raises:
        ValueError: ``url`` is no URL.
    """
    parts = urlsplit(url)
    return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(parts.scheme.lower())


def remove_parameters(encoded: str, names: Collection[str]) -> str:
    """Return URL-encoded parameters without those named, in any letter case."""
    removed = {name.casefold() for name in names}
    pairs = parse_qsl(encoded, keep_blank_values=True)
    remaining = [(name, value) for name, value in pairs if name.casefold() not in removed]
    return encoded if len(remaining) == len(pairs) else urlencode(remaining)


def is_upgrade(old: Origin, new: Origin) -> bool:
    """Tell whether ``new`` is the same host with https in place of http, both on default ports."""
    return old[1] == new[1] and (old[0], old[2], new[0], new[2]) == ("http", 80, "https", 443)


def parse_address(url: str) -> Address:
    """Parse the URL of an endpoint: ``http://user:password@host/sparql?default-graph-uri=...``.

    Raises:
        ConfigError: ``url`` is no HTTP URL.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError("the address of the SPARQL endpoint is no URL") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError("the address of a SPARQL endpoint starts with http:// or https:// and names a host")
    netloc = (f"[{host}]" if ":" in host else _encode_host(host)) + (f":{port}" if port else "")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    parameters = tuple(parse_qsl(parts.query, keep_blank_values=True))
    shown = "&".join(f"{key}={value if key in _PUBLIC_PARAMETERS else '***'}" for key, value in parameters)
    plain_url = urlunsplit((parts.scheme, netloc, path, "", ""))
    name = f"{plain_url}?{shown}" if shown else plain_url
    return Address(plain_url, name, unquote(parts.username or ""), unquote(parts.password or ""), parameters)


def _encode_host(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise ConfigError("the host of the SPARQL endpoint's address is no host name") from error
