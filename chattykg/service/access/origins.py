"""Refuses requests by their origin: foreign host names and pages of other sites.

A browser sends the requests of any page, also to addresses that the page's author cannot reach. Two checks prevent
this. Host: with DNS rebinding, a page's own name leads to this service, and Host holds that name; so only known names
and IP addresses pass. Origin: a request of another site's page has ``Sec-Fetch-Site`` or ``Origin``. Programs send
neither header and pass. Only the pages of allowed origins may read responses: they alone get CORS headers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from chattykg.service.errors import Failure

_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/\\\s]+)(?::(\d{1,5}))?", re.ASCII)
_PORTS = {"http": "80", "https": "443"}
_FOREIGN_SITE = (
    "a page of another site sent this request: use the service's own page, a program, or serve with --allow-origin"
)
ANY_ORIGIN = "*"
"""An allowed origin that stands for all. It is safe where each request needs a key, because a page must know one: no
browser adds it by itself, as it does with cookies."""
_PREFLIGHT_SECONDS = 600
_METHODS = ("GET", "POST", "DELETE")


class SameOriginMiddleware:
    """Middleware that lets the service's own pages, programs and pages of allowed origins pass, at known hosts."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = (), allowed_origins: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower().removesuffix(".") for name in names)
        self._allowed_origins = frozenset(allowed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem is not None:
            await Failure(*problem)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the message of a refusal, or None."""
        hosts = _header_values(scope, b"host")
        if len(hosts) != 1:
            return 400, "the request needs one Host header"
        name, _ = _host_and_port(hosts[0])
        if name not in {"localhost", *self._names} and not _is_address(name):
            return 421, f"unknown host {hosts[0][:200]!r}: chattykg serve --allow-host NAME allows a name"
        origins, sites = _header_values(scope, b"origin"), set(_header_values(scope, b"sec-fetch-site"))
        if len(origins) == 1 and self._is_allowed(origins[0]):
            return None
        if sites - {"same-origin", "none"} and not _opens_page(scope):
            return 403, _FOREIGN_SITE
        if not all(self._is_own(origin, hosts[0]) for origin in origins):
            return 403, _FOREIGN_SITE
        return None

    def _is_allowed(self, origin: str) -> bool:
        """Tell whether pages of another origin may send requests and read responses."""
        return bool(origin) and not self._allowed_origins.isdisjoint({origin, ANY_ORIGIN})

    def _is_own(self, origin: str, host: str) -> bool:
        """Tell whether an origin is this service: the requested host, or an allowed name behind a proxy."""
        scheme, separator, authority = origin.partition("://")
        name, port = _host_and_port(authority)
        if not name or not separator or scheme not in _PORTS:
            return False
        default = _PORTS[scheme]
        own_name, own_port = _host_and_port(host)
        return (name, port or default) == (own_name, own_port or default) or (
            name in self._names and port in ("", default)
        )


def allow_origins(app: ASGIApp, origins: Iterable[str]) -> ASGIApp:
    """Return an application whose responses the pages of some origins may read.

    Credentials of the browser (cookies) are not allowed: the service has none.
    """
    shown = ("Retry-After", "WWW-Authenticate")
    return CORSMiddleware(app, tuple(origins), _METHODS, ("*",), expose_headers=shown, max_age=_PREFLIGHT_SECONDS)


def read_origin(text: str) -> str:
    """Return an origin (scheme, host and port) as browsers send it.

    Raises:
        ValueError: the text is none.
    """
    scheme, separator, authority = text.strip().lower().removesuffix("/").partition("://")
    name, port = _host_and_port(authority)
    if not separator or scheme not in _PORTS or not (is_host_name(name) or _is_address(name)):
        raise ValueError(text)
    return f"{scheme}://{name}{f':{port}' if port not in ('', _PORTS[scheme]) else ''}"


def is_host_name(text: str) -> bool:
    """Tell whether a text is the name of a host, without scheme and port, and no IP address."""
    is_name = re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", text, re.ASCII | re.IGNORECASE)
    return bool(is_name) and not text.rstrip(".").rpartition(".")[2].isdecimal()


def _header_values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip().lower() for key, value in scope["headers"] if key == name]


def _host_and_port(authority: str) -> tuple[str, str]:
    """Return the host and the port; both are empty if the text is no authority."""
    match = _AUTHORITY.fullmatch(authority)
    return (match[1].removesuffix("."), match[2] or "") if match else ("", "")


def _is_address(name: str) -> bool:
    """Tell whether a name is an IP address, so that no foreign name can lead here.

    ``0.0.0.0`` and IPv4 in IPv6 do not count: browsers send no ``Sec-Fetch-Site`` to them.
    """
    try:
        address = ip_address(name.strip("[]"))
    except ValueError:
        return False
    return not address.is_unspecified and not (isinstance(address, IPv6Address) and address.ipv4_mapped)


def _opens_page(scope: Scope) -> bool:
    """Tell whether a browser follows a link to the page, which is no question yet."""
    request = (scope["method"], scope["path"], scope["query_string"])
    return request == ("GET", "/", b"") and _header_values(scope, b"sec-fetch-mode") == ["navigate"]
