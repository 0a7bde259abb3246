"""Who asks: a user with a password (Basic, or Digest where the server wants it), or a token."""

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
    """A user and a password, or a token; all empty where nobody is named."""

    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    def __bool__(self) -> bool:
        return bool(self.user or self.token)

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown: password and token, and the password as Basic sends it."""
        basic = basic_credentials(self.user, self.password) if self.password else ""
        return tuple(filter(None, (self.password, self.token, basic, basic.rstrip("="))))


class Authorization:
    """Signs requests; learns from a refusal that the server wants Digest. Safe to use from several threads."""

    def __init__(self, credentials: Credentials) -> None:
        self.credentials = credentials
        self._challenge: Mapping[str, str] = {}
        self._count = 0
        self._waits = False
        self._lock = threading.Lock()

    @property
    def description(self) -> str:
        """In what way requests are signed."""
        known = self.credentials
        if known.token:
            return "by a token (Bearer)"
        return f"as {known.user} ({'Digest' if self._challenge else 'Basic'})" if known.user else "open to everybody"

    def sign(self, request: Request) -> None:
        """Add the header that says who asks."""
        known = self.credentials
        if known.token:
            said = f"Bearer {known.token}"
        elif known.user and (self._challenge or not self._waits):
            said = self._digest(request) or f"Basic {basic_credentials(known.user, known.password)}"
        else:
            request.remove_header("Authorization")
            return
        request.add_unredirected_header("Authorization", said)

    def handle_challenge(self, sent: str, challenges: Iterable[str]) -> bool:
        """Read the headers WWW-Authenticate of a refusal; tell whether asking again, signed anew, may succeed.

        ``sent`` is the header Authorization of what was refused.
        """
        if not self.credentials.user or self.credentials.token:
            return False
        wants = list(challenges)
        found = next((part for one in wants if (part := _digest_challenge(one))), {})
        if not found:
            # Virtuoso says what it wants only to those who have not said who they are.
            self._waits = sent.startswith("Basic ") and not wants
            return self._waits
        with self._lock:
            was_answered = bool(self._challenge) and f'nonce="{self._challenge["nonce"]}"' in sent
            if was_answered and found.get("stale", "").casefold() != "true":
                return False  # the password is wrong
            if was_answered or not self._challenge:  # else another thread has learned meanwhile
                self._challenge, self._count = found, 0
        return True

    def _digest(self, request: Request) -> str:
        with self._lock:
            challenge = self._challenge
            self._count += 1
            count = self._count
        if not challenge:
            return ""
        known = self.credentials
        return digest_header(
            challenge,
            known.user,
            known.password,
            f"{request.get_method()}:{request.selector}",
            count,
            secrets.token_hex(8),
        )


def digest_header(  # noqa: PLR0913
    challenge: Mapping[str, str], user: str, password: str, request_line: str, count: int, nonce: str
) -> str:
    """Return the header Authorization that answers a Digest challenge (RFC 7616, section 3.4; ``qop`` auth or none).

    ``asked`` is method and path, as in ``GET:/sparql?query=...``; ``count`` the number of requests signed with this
    challenge, this one included; ``nonce`` the client's own.
    """
    algorithm = challenge.get("algorithm", "MD5")
    made = _HASHES[algorithm.upper()]

    def hashed(text: str) -> str:
        return made(text.encode()).hexdigest()

    secret, wanted = hashed(f"{user}:{challenge['realm']}:{password}"), hashed(request_line)
    parts = {
        "username": user,
        "realm": challenge["realm"],
        "nonce": challenge["nonce"],
        "uri": request_line.partition(":")[2],
    }
    bare = {"algorithm": algorithm}
    if "qop" in challenge:
        number = f"{count:08x}"
        parts["cnonce"] = nonce
        bare |= {"qop": "auth", "nc": number}
        parts["response"] = hashed(f"{secret}:{challenge['nonce']}:{number}:{nonce}:auth:{wanted}")
    else:
        parts["response"] = hashed(f"{secret}:{challenge['nonce']}:{wanted}")
    if "opaque" in challenge:
        parts["opaque"] = challenge["opaque"]
    quoted = [f'{name}="{_escaped(value)}"' for name, value in parts.items()]
    return "Digest " + ", ".join([*quoted, *(f"{name}={value}" for name, value in bare.items())])


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _digest_challenge(header: str) -> Mapping[str, str]:
    """Return the parameters of a Digest challenge that can be answered, or nothing."""
    scheme, _, rest = header.strip().partition(" ")
    if scheme.casefold() != "digest":
        return {}
    found = {
        key.casefold(): value for key, value in parse_keqv_list([p for p in parse_http_list(rest) if "=" in p]).items()
    }
    can = found.get("algorithm", "MD5").upper() in _HASHES and {"realm", "nonce"} <= found.keys()
    plain = "qop" not in found or "auth" in [part.strip() for part in found["qop"].split(",")]
    return found if can and plain else {}
