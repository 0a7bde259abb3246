"""Refuses requests by their origin: foreign host names and pages of other sites.

A browser sends the requests of any page, also to addresses that the page's author cannot reach. Two checks prevent
this. Host: with DNS rebinding, a page's own name leads to this service, and Host holds that name; so only known names
and IP addresses pass. Origin: a request of another site's page has ``Sec-Fetch-Site`` or ``Origin``. Programs send
neither header and pass. No response has CORS headers, so other sites read nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from chattykg.service.request_limits import error_response

_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/\\\s]+)(?::(\d{1,5}))?", re.ASCII)
_PORTS = {"http": "80", "https": "443"}
_FOREIGN_SITE = "a page of another site sent this request: use the service's own page, or a program"


class SameOriginMiddleware:
    """Middleware that lets only the service's own pages and programs pass, at IP addresses and known names."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower().removesuffix(".") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await error_response(*problem)(scope, receive, send)

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the message of a refusal, or None."""
        hosts = _header_values(scope, b"host")
        if len(hosts) != 1:
            return 400, "the request needs one Host header"
        name, _ = _host_and_port(hosts[0])
        if name not in {"localhost", *self._names} and not _is_address(name):
            return 421, f"unknown host {hosts[0][:200]!r}: chattykg serve --allow-host NAME allows a name"
        sites = set(_header_values(scope, b"sec-fetch-site"))
        if sites - {"same-origin", "none"} and not _opens_page(scope):
            return 403, _FOREIGN_SITE
        if not all(self._is_own(origin, hosts[0]) for origin in _header_values(scope, b"origin")):
            return 403, _FOREIGN_SITE
        return None

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
