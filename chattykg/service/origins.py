"""Which requests are refused for where they come from: foreign host names and pages of other sites.

A browser sends what any page asks it to, also to addresses that the page's author cannot reach. Two checks stop that.
Host: with DNS rebinding a page's own name leads to this service, and Host holds that name; so only known names and IP
addresses pass. Origin: what a page of another site sends says so in ``Sec-Fetch-Site`` or ``Origin``. Programs send
neither header and pass. No answer has CORS headers, so other sites read nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address

from starlette.types import ASGIApp, Receive, Scope, Send

from chattykg.service.request_limits import error_response

_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:@/\\\s]+)(?::(\d{1,5}))?", re.ASCII)
_PORTS = {"http": "80", "https": "443"}
_FOREIGN = "a page of another site sent this request: use the service's own page, or a program"


class SameOriginMiddleware:
    """An application that only its own pages and programs reach, under IP addresses and its own names."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower().removesuffix(".") for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, or refuse it."""
        problem = self._problem(scope) if scope["type"] == "http" else None
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await error_response(*problem)(scope, receive, send)

    def _problem(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the sentence of a refusal; None if there is nothing to refuse."""
        hosts = _headers(scope, b"host")
        if len(hosts) != 1:
            return 400, "the request needs one Host header"
        name, _ = _split(hosts[0])
        if name not in {"localhost", *self._names} and not _is_address(name):
            return 421, f"unknown host {hosts[0][:200]!r}: chattykg serve --allow-host NAME allows a name"
        sites = set(_headers(scope, b"sec-fetch-site"))
        if sites - {"same-origin", "none"} and not _opens_page(scope):
            return 403, _FOREIGN
        if not all(self._is_own(origin, hosts[0]) for origin in _headers(scope, b"origin")):
            return 403, _FOREIGN
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        """Say whether an origin is this service: the host that was asked, or an allowed name behind a proxy."""
        scheme, mark, authority = origin.partition("://")
        name, port = _split(authority)
        if not name or not mark or scheme not in _PORTS:
            return False
        default = _PORTS[scheme]
        own_name, own_port = _split(host)
        return (name, port or default) == (own_name, own_port or default) or (
            name in self._names and port in ("", default)
        )


def is_host_name(text: str) -> bool:
    """Say whether a text is the name of a host: no IP address, no scheme, no port."""
    is_name = re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?", text, re.ASCII | re.IGNORECASE)
    return bool(is_name) and not text.rstrip(".").rpartition(".")[2].isdecimal()


def _headers(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip().lower() for key, value in scope["headers"] if key == name]


def _split(authority: str) -> tuple[str, str]:
    """Split host and port; both are empty if this is no host."""
    match = _AUTHORITY.fullmatch(authority)
    return (match[1].removesuffix("."), match[2] or "") if match else ("", "")


def _is_address(name: str) -> bool:
    """Say whether a name is an IP address, to which no foreign name can lead.

    Browsers do not count ``0.0.0.0`` and IPv4 in IPv6 as this machine and leave ``Sec-Fetch-Site`` out: not those.
    """
    try:
        address = ip_address(name.strip("[]"))
    except ValueError:
        return False
    return not address.is_unspecified and not (isinstance(address, IPv6Address) and address.ipv4_mapped)


def _opens_page(scope: Scope) -> bool:
    """Say whether a browser follows a link to the page, which asks nothing yet."""
    asked = (scope["method"], scope["path"], scope["query_string"])
    return asked == ("GET", "/", b"") and _headers(scope, b"sec-fetch-mode") == ["navigate"]
