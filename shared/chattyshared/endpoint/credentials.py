"""Credentials of a server: a user with a password (Basic, or Digest if the server asks for it), or a token."""

from __future__ import annotations

import hashlib
import re
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit, urlunsplit
from urllib.request import parse_http_list, parse_keqv_list

from chattyshared.redaction import basic_credentials

_HASHES = {"MD5": "md5", "SHA-256": "sha256"}
_QUOTED, _ESCAPE = re.compile(r'[\\"]'), r"\\\g<0>"


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user and a password, or a token; all empty without credentials."""

    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    def __bool__(self) -> bool:
        return bool(self.user or self.token)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must not be shown: password, token, and the password as Basic encodes it."""
        basic = basic_credentials(self.user, self.password) if self.password else ""
        return tuple(filter(None, (self.password, self.token, basic, basic.rstrip("="))))


class Authorization:
    """Signs requests, and switches to Digest when the server asks for it. Thread-safe."""

    def __init__(self, credentials: Credentials) -> None:
        self.credentials = credentials
        self._challenge: Mapping[str, str] = {}
        self._count = 0
        self._omits_credentials = False
        self._lock = threading.Lock()

    @property
    def description(self) -> str:
        """The method of authentication, for messages."""
        credentials = self.credentials
        if credentials.token:
            return "by a token (Bearer)"
        return (
            f"as {credentials.user} ({'Digest' if self._challenge else 'Basic'})"
            if credentials.user
            else "open to everybody"
        )

    def sign(self, method: str, url: str) -> str:
        """Return the header Authorization of a request; empty without credentials."""
        credentials = self.credentials
        if credentials.token:
            return f"Bearer {credentials.token}"
        with self._lock:
            challenge = self._challenge
            self._count += 1
            count = self._count
        if challenge:
            path = urlunsplit(("", "", *urlsplit(url)[2:4], ""))
            return digest_header(challenge, credentials, f"{method}:{path}", count, secrets.token_hex(8))
        if not credentials.user or self._omits_credentials:
            return ""
        return f"Basic {basic_credentials(credentials.user, credentials.password)}"

    def handle_challenge(self, sent: str, challenges: Iterable[str]) -> bool:
        """Read the headers WWW-Authenticate of a refusal; tell whether a newly signed request may succeed.

        ``sent`` is the header Authorization of the refused request.
        """
        if not self.credentials.user or self.credentials.token:
            return False
        headers = list(challenges)
        challenge = next((parameters for header in headers if (parameters := _digest_challenge(header))), {})
        if not challenge:
            # Virtuoso sends its challenge only to requests without credentials.
            self._omits_credentials = sent.startswith("Basic ") and not headers
            return self._omits_credentials
        with self._lock:
            was_answered = bool(self._challenge) and f'nonce="{self._challenge["nonce"]}"' in sent
            if was_answered and challenge.get("stale", "").casefold() != "true":
                return False  # the password is wrong
            if was_answered or not self._challenge:  # else another thread has read a challenge meanwhile
                self._challenge, self._count = challenge, 0
        return True


def digest_header(challenge: Mapping[str, str], user: Credentials, request_line: str, count: int, nonce: str) -> str:
    """Return the header Authorization that answers a Digest challenge (RFC 7616, section 3.4; ``qop`` auth or none).

    ``request_line`` is method and path, as in ``GET:/sparql?query=...``; ``count`` the number of requests signed with
    this challenge, including this one; ``nonce`` that of the client.
    """
    algorithm = challenge.get("algorithm", "MD5")

    def digest(*parts: str) -> str:
        return hashlib.new(_HASHES[algorithm.upper()], ":".join(parts).encode()).hexdigest()

    sent = {
        "username": user.user, "realm": challenge["realm"], "nonce": challenge["nonce"],
        "uri": request_line.partition(":")[2],
    }  # fmt: skip
    plain = {"algorithm": algorithm}
    quality: list[str] = []
    if "qop" in challenge:
        plain |= {"qop": "auth", "nc": f"{count:08x}"}
        sent["cnonce"] = nonce
        quality = [plain["nc"], nonce, "auth"]
    secret = digest(user.user, challenge["realm"], user.password)
    sent["response"] = digest(secret, challenge["nonce"], *quality, digest(request_line))
    if "opaque" in challenge:
        sent["opaque"] = challenge["opaque"]
    quoted = (f'{name}="{re.sub(_QUOTED, _ESCAPE, value)}"' for name, value in sent.items())
    return "Digest " + ", ".join([*quoted, *(f"{name}={value}" for name, value in plain.items())])


def _digest_challenge(header: str) -> Mapping[str, str]:
    """Return the parameters of a Digest challenge that can be answered; empty for any other header."""
    scheme, _, rest = header.strip().partition(" ")
    if scheme.casefold() != "digest":
        return {}
    parameters = {
        key.casefold(): value for key, value in parse_keqv_list([p for p in parse_http_list(rest) if "=" in p]).items()
    }
    qualities = [part.strip() for part in parameters.get("qop", "auth").split(",")]
    is_supported = parameters.get("algorithm", "MD5").upper() in _HASHES and {"realm", "nonce"} <= parameters.keys()
    return parameters if is_supported and "auth" in qualities else {}
