"""The file of API keys: who may use the service, and what each of them may spend in a day."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from chattyshared.errors import ConfigError

from chattykg.service.access.daily_limits import DailyLimits

_LINE = re.compile(
    r"(?:(?P<name>[\w.@+-]{1,64}):\s*)?(?P<key>[!-~]{16,})"
    r"(?P<limits>(?:\s+(?:(?:questions|tokens)=\d{1,15}|usd=\d{1,15}(?:\.\d*)?))*)"
)
"""A line: 16 random characters of base 64 have 96 bits."""
_COMMENT = re.compile(r"(?:^|\s)#")
_FORM = (
    "write NAME: KEY, the name of at most 64 letters, digits and . @ + - _, the key of at least 16 visible ASCII "
    "characters, then perhaps limits a day: questions=N tokens=N usd=N"
)
_READABLE_BY_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key with the name of its owner and the owner's limits a day; the key itself is never shown."""

    name: str
    key: str = field(repr=False)
    limits: DailyLimits = DailyLimits()


class ApiKeys:
    """The keys that are accepted. Only digests with a secret of this process are kept and compared, so the time of a
    search tells nothing about the keys."""

    def __init__(self, keys: Iterable[ApiKey]) -> None:
        self._secret = secrets.token_bytes(32)
        self.replace(keys)

    def replace(self, keys: Iterable[ApiKey]) -> None:
        """Accept other keys from now on."""
        self._by_digest = {self._digest(each.key.encode()): (each.name, each.limits) for each in keys}

    @property
    def limits(self) -> tuple[DailyLimits, ...]:
        """The limits a day of all keys."""
        return tuple(limits for _, limits in self._by_digest.values())

    def find(self, key: bytes) -> tuple[str, DailyLimits] | None:
        """Return the name and the limits of a key; None if it is not accepted."""
        return self._by_digest.get(self._digest(key))

    def _digest(self, key: bytes) -> bytes:
        return hmac.digest(self._secret, key, "sha256")


def read_api_keys(path: Path) -> tuple[tuple[ApiKey, ...], str]:
    """Read a file of keys; return them, and a warning if others can read the file (else empty).

    Each line is ``[NAME:] KEY [questions=N] [tokens=N] [usd=N]``; ``#`` begins a comment. A name may have several keys
    with the same limits. A key without a name is called after its digest.

    Raises:
        ConfigError: the file cannot be read, is empty, or a line is wrong; the message never holds a key.
    """
    try:
        mode, text = path.stat().st_mode, path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or error
        raise ConfigError(f"cannot read the API keys in {path}: {reason}") from None
    keys: list[ApiKey] = []
    for number, line in enumerate(text.splitlines(), 1):
        content, place = _COMMENT.split(line, maxsplit=1)[0].strip(), f"{path}, line {number}"
        match = _LINE.fullmatch(content)
        if match is not None:
            key = _read_key(match)
            if any(each.key == key.key for each in keys):
                raise ConfigError(f"{place}: this key stands in an earlier line too")
            if any(each.name == key.name and each.limits != key.limits for each in keys):
                raise ConfigError(f"{place}: {key.name} has other limits in an earlier line")
            keys.append(key)
        elif content:
            raise ConfigError(f"{place}: {_FORM}")
    if not keys:
        raise ConfigError(f"{path} holds no API key: write one a line, such as alice: KEY")
    is_private = not mode & _READABLE_BY_OTHERS
    return tuple(keys), "" if is_private else f"other users may read the API keys in {path}: chmod 600 {path}"


def _read_key(match: re.Match[str]) -> ApiKey:
    key, columns = match["key"], dict(column.split("=") for column in match["limits"].split())
    amounts = {what: float(amount) if what == "usd" else int(amount) for what, amount in columns.items()}
    # The name of a key without one stays the same when the file is sorted, and does not show the key.
    digest = hashlib.blake2b(key.encode(), digest_size=4, person=b"chattykg").hexdigest()
    return ApiKey(match["name"] or f"key-{digest}", key, DailyLimits(**amounts))  # type: ignore[arg-type]
