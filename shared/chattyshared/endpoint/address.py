"""The address of a SPARQL endpoint, with its secrets apart from what is shown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from chattyshared.errors import ConfigError

_SHOWN = frozenset(("default-graph-uri", "named-graph-uri", "timeout"))
_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int | None]
"""Scheme, host and port: who answers there."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to send queries: URL without credentials and parameters, these apart, and the name to show."""

    url: str
    name: str
    user: str = ""
    password: str = field(default="", repr=False)
    parameters: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def timeout(self) -> float | None:
        """The seconds of the parameter ``timeout``, if it is there: Virtuoso takes it in milliseconds."""
        found = dict(self.parameters).get("timeout", "")
        return int(found) / 1000 if found.isdecimal() else None

    @property
    def private_parameters(self) -> tuple[tuple[str, str], ...]:
        """The parameters that may be secret, such as a key: all but those that are shown."""
        return tuple((key, value) for key, value in self.parameters if key not in _SHOWN)


def parse_origin(url: str) -> Origin:
    """Return scheme, host and port of a URL, the port also where it is the scheme's usual one.

    Raises:
        ValueError: it is no URL.
    """
    parts = urlsplit(url)
    return parts.scheme.lower(), (parts.hostname or "").lower(), parts.port or _PORTS.get(parts.scheme.lower())


def remove_parameters(encoded: str, names: Collection[str]) -> str:
    """Return encoded parameters without those of these names, in any case."""
    hidden = {name.casefold() for name in names}
    pairs = parse_qsl(encoded, keep_blank_values=True)
    kept = [(name, value) for name, value in pairs if name.casefold() not in hidden]
    return encoded if len(kept) == len(pairs) else urlencode(kept)


def is_upgrade(old: Origin, new: Origin) -> bool:
    """Tell whether ``new`` is the same host by https in place of http, both at their usual ports."""
    return old[1] == new[1] and (old[0], old[2], new[0], new[2]) == ("http", 80, "https", 443)


def parse_address(url: str) -> Address:
    """Take the URL of an endpoint apart: ``http://user:password@host/sparql?default-graph-uri=...``.

    Raises:
        ConfigError: it is no HTTP URL.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigError("the address of the SPARQL endpoint is no URL") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError("the address of a SPARQL endpoint starts with http:// or https:// and names a host")
    place = (f"[{host}]" if ":" in host else _ascii(host)) + (f":{port}" if port else "")
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    parameters = tuple(parse_qsl(parts.query, keep_blank_values=True))
    shown = "&".join(f"{key}={value if key in _SHOWN else '***'}" for key, value in parameters)
    bare = urlunsplit((parts.scheme, place, path, "", ""))
    name = f"{bare}?{shown}" if shown else bare
    return Address(bare, name, unquote(parts.username or ""), unquote(parts.password or ""), parameters)


def _ascii(host: str) -> str:
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise ConfigError("the host of the SPARQL endpoint's address is no host name") from error
