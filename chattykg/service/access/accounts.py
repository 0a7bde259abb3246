"""Who sends a request, and whether it may pass: API keys, and requests a minute.

``AccessMiddleware`` checks every request once and records its ``Account``, which ``account_of`` returns to the routes.
What needs no key is listed here alone (``_is_public``); every other path does, whoever adds it.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from chattykg.service.access.api_keys import ApiKeys
from chattykg.service.access.daily_limits import DailyBudget, DailyLimits
from chattykg.service.errors import Failure
from chattykg.service.page_routes import PAGE_PATH

MAX_CLIENTS = 10_000
"""Clients whose requests of the last minute are remembered; the ones that were idle longest are forgotten."""
_CHALLENGE = {"WWW-Authenticate": 'Bearer realm="chattykg"'}
_KEY_MISSING = "this service asks for a key: send the header Authorization: Bearer KEY (or X-API-Key: KEY)"
_KEY_WRONG = "this key is not accepted"
_KEY_AMBIGUOUS = "the request has several keys: send one"


@dataclass(frozen=True, slots=True)
class Account:
    """Who sends a request: the name of the key, with the limits a day; the name is "" where no keys are asked for.

    ``is_known`` is false for a request without a key to something that needs none.
    """

    name: str = ""
    limits: DailyLimits = DailyLimits()
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """Who may use a service: the accepted keys (None: everybody), the requests a minute of each client, the origins of
    other sites whose pages may send requests, and the limits a day."""

    keys: ApiKeys | None = None
    requests_per_minute: float | None = None
    origins: tuple[str, ...] = ()
    budget: DailyBudget = field(default_factory=DailyBudget)

    @property
    def limits_calls(self) -> bool:
        """Whether the tokens or the money of a day are limited, which only the process that calls models counts."""
        all_limits = (self.budget.limits, *(self.keys.limits if self.keys else ()))
        return any(replace(limits, questions=None) != DailyLimits() for limits in all_limits)


def account_of(request: Request) -> Account:
    """Return who sends a request."""
    account: Account = request.state.account
    return account


def client_of(request: Request) -> str:
    """Return what tells the senders of requests apart: the name of the key, else the address."""
    return account_of(request).name or client_network(request.scope)


class RequestRate:
    """Lets each client send some requests at once, and as many per minute evenly (generic cell rate algorithm)."""

    def __init__(
        self, per_minute: float, *, max_clients: int = MAX_CLIENTS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval, self._burst_seconds = 60 / per_minute, 60 - 60 / per_minute
        self._max_clients, self._clock = max_clients, clock
        self._next_due: OrderedDict[str, float] = OrderedDict()

    def count_request(self, client: str) -> float:
        """Count a request and return 0; or return the seconds until the client may send it."""
        now = self._clock()
        due = max(now, self._next_due.get(client, now))
        wait = due - now - self._burst_seconds
        if wait > 1e-6:
            return wait
        self._next_due[client] = due + self._interval
        self._next_due.move_to_end(client)
        if len(self._next_due) > self._max_clients:
            self._next_due.popitem(last=False)
        return 0.0


class AccessMiddleware:
    """Middleware that refuses requests without an accepted key (401), and those above the rate of a client (429)."""

    def __init__(self, app: ASGIApp, keys: ApiKeys | None = None, requests_per_minute: float | None = None) -> None:
        """``keys`` None: none are asked for."""
        self._app, self._keys = app, keys
        self._rate = RequestRate(requests_per_minute) if requests_per_minute else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        account = self._identify(scope)
        if isinstance(account, str):
            await Failure(401, account, _CHALLENGE)(scope, receive, send)
            return
        if self._rate is not None and not _is_public(scope):
            wait = self._rate.count_request(account.name if self._keys else client_network(scope))
            if wait:
                message = "too many requests in a minute: send this one again later"
                headers = {"Retry-After": str(math.ceil(wait))}
                await Failure(429, message, headers)(scope, receive, send)
                return
        scope.setdefault("state", {})["account"] = account
        await self._app(scope, receive, send)

    def _identify(self, scope: Scope) -> Account | str:
        """Return who sends a request, or why it is refused."""
        if self._keys is None:
            return Account()
        sent = _sent_keys(scope)
        if not sent:
            return Account(is_known=False) if _is_public(scope) else _KEY_MISSING
        if len(sent) > 1:
            return _KEY_AMBIGUOUS
        found = self._keys.find(sent[0])
        return Account(*found) if found else _KEY_WRONG


def _sent_keys(scope: Scope) -> list[bytes]:
    """Return the keys of a request; the same key in both headers is one. Other schemes are a proxy's."""
    headers = scope["headers"]
    authorizations = [value.strip().partition(b" ") for name, value in headers if name == b"authorization"]
    keys = [key.strip() for scheme, _, key in authorizations if scheme.lower() == b"bearer"]
    if len(authorizations) > 1:  # a proxy may have checked the other one
        keys += [value for _, _, value in authorizations]
    own = [value.strip() for name, value in headers if name == b"x-api-key"]
    return keys + own if len(own) > 1 or len(keys) > 1 else list(dict.fromkeys(keys + own))


def _is_public(scope: Scope) -> bool:
    """Tell whether a request needs no key: GET /health, the page, and its files."""
    if scope["method"] not in ("GET", "HEAD"):
        return False
    path: str = scope["path"]
    return path == "/health" or path.startswith(PAGE_PATH) or (path == "/" and not scope["query_string"])


def client_network(scope: Scope) -> str:
    """Return the address of a client; of an IPv6 address the network of one customer, /64."""
    host = (scope.get("client") or ("",))[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return str(host)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network((address, 64), strict=False))
    return str(address)
