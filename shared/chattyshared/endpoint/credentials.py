"""Credentials of a server: a user with a password (Basic, or Digest if the server asks for it), or a token."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.request import Request, parse_http_list, parse_keqv_list

from chattyshared.redaction import basic_credentials

_HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}


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

    def sign(self, request: Request) -> None:
        """Set the header Authorization."""
        credentials = self.credentials
        if credentials.token:
            value = f"Bearer {credentials.token}"
        elif credentials.user and (self._challenge or not self._omits_credentials):
            value = self._digest(request) or f"Basic {basic_credentials(credentials.user, credentials.password)}"
        else:
            request.remove_header("Authorization")
            return
        request.add_unredirected_header("Authorization", value)

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

    def _digest(self, request: Request) -> str:
        with self._lock:
            challenge = self._challenge
            self._count += 1
            count = self._count
        if not challenge:
            return ""
        credentials = self.credentials
        return digest_header(
            challenge,
            credentials.user,
            credentials.password,
            f"{request.get_method()}:{request.selector}",
            count,
            secrets.token_hex(8),
        )


def digest_header(  # noqa: PLR0913
    challenge: Mapping[str, str], user: str, password: str, request_line: str, count: int, nonce: str
) -> str:
    """Return the header Authorization that answers a Digest challenge (RFC 7616, section 3.4; ``qop`` auth or none).

    ``request_line`` is method and path, as in ``GET:/sparql?query=...``; ``count`` the number of requests signed with
    this challenge, including this one; ``nonce`` that of the client.
    """
    algorithm = challenge.get("algorithm", "MD5")
    hash_function = _HASHES[algorithm.upper()]

    def digest(text: str) -> str:
        return hash_function(text.encode()).hexdigest()

    secret_hash, request_hash = digest(f"{user}:{challenge['realm']}:{password}"), digest(request_line)
    quoted_fields = {
        "username": user,
        "realm": challenge["realm"],
        "nonce": challenge["nonce"],
        "uri": request_line.partition(":")[2],
    }
    plain_fields = {"algorithm": algorithm}
    if "qop" in challenge:
        nonce_count = f"{count:08x}"
        quoted_fields["cnonce"] = nonce
        plain_fields |= {"qop": "auth", "nc": nonce_count}
        quoted_fields["response"] = digest(
            f"{secret_hash}:{challenge['nonce']}:{nonce_count}:{nonce}:auth:{request_hash}"
        )
    else:
        quoted_fields["response"] = digest(f"{secret_hash}:{challenge['nonce']}:{request_hash}")
    if "opaque" in challenge:
        quoted_fields["opaque"] = challenge["opaque"]
    quoted = [f'{name}="{_escape(value)}"' for name, value in quoted_fields.items()]
    return "Digest " + ", ".join([*quoted, *(f"{name}={value}" for name, value in plain_fields.items())])


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _digest_challenge(header: str) -> Mapping[str, str]:
    """Return the parameters of a Digest challenge that is_supported be answered; empty for any other header."""
    scheme, _, rest = header.strip().partition(" ")
    if scheme.casefold() != "digest":
        return {}
    parameters = {
        key.casefold(): value for key, value in parse_keqv_list([p for p in parse_http_list(rest) if "=" in p]).items()
    }
    is_supported = parameters.get("algorithm", "MD5").upper() in _HASHES and {"realm", "nonce"} <= parameters.keys()
    has_auth = "qop" not in parameters or "auth" in [part.strip() for part in parameters["qop"].split(",")]
    return parameters if is_supported and has_auth else {}
