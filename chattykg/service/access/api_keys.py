"""The file of API keys: who may use the service, and what each of them may spend in a day."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from chattyshared.errors import ConfigError

from chattykg.service.access.daily_limits import DailyLimits

MIN_KEY_LENGTH = 16
"""Characters; 16 random ones of base 64 have 96 bits."""
_MAX_FILE_BYTES = 1 << 20
_NAME = re.compile(r"[\w.@+-]{1,64}")
_KEY = re.compile(r"[!-~]+")
_READABLE_BY_OTHERS = 0o077
_LIMIT_READERS: dict[str, Callable[[str], float]] = {"questions": int, "tokens": int, "usd": float}


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
        mode = path.stat().st_mode
        content = path.read_bytes()
        text = content.decode() if len(content) <= _MAX_FILE_BYTES else ""
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or error
        raise ConfigError(f"cannot read the API keys in {path}: {reason}") from None
    if len(content) > _MAX_FILE_BYTES:
        raise ConfigError(f"{path} is too large for a file of API keys")
    keys: list[ApiKey] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if words := re.split(r"(?:^|\s)#", line, maxsplit=1)[0].split():
            key = _parse_line(words, f"{path}, line {number}")
            _check_distinct(key, keys, f"{path}, line {number}")
            keys.append(key)
    if not keys:
        raise ConfigError(f"{path} holds no API key: write one a line, such as alice: KEY")
    is_private = not mode & _READABLE_BY_OTHERS
    return tuple(keys), "" if is_private else f"other users may read the API keys in {path}: chmod 600 {path}"


def _parse_line(words: list[str], place: str) -> ApiKey:
    name, mark, rest = words[0].partition(":")
    if mark:
        words = [*([rest] if rest else []), *words[1:]]
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{place}: a name has at most 64 letters, digits and . @ + - _")
    if not words:
        raise ConfigError(f"{place}: there is no key after the name")
    key, *columns = words
    if not _KEY.fullmatch(key):
        raise ConfigError(f"{place}: a key consists of visible ASCII characters")
    if len(key) < MIN_KEY_LENGTH:
        raise ConfigError(f"{place}: the key has {len(key)} characters; {MIN_KEY_LENGTH} are the least")
    return ApiKey(name if mark else _name_unnamed(key), key, _parse_limits(columns, place))


def _parse_limits(columns: list[str], place: str) -> DailyLimits:
    limits: dict[str, float] = {}
    for column in columns:
        what, mark, amount = column.partition("=")
        if not mark or what not in _LIMIT_READERS or what in limits:
            raise ConfigError(f"{place}: after the key stand limits a day, each once: questions=N, tokens=N, usd=N")
        try:
            limits[what] = _LIMIT_READERS[what](amount)
        except ValueError:
            limits[what] = -1
        if not 0 <= limits[what] <= 1e15:
            raise ConfigError(f"{place}: {what}={amount[:20]} is no amount a day")
    return DailyLimits(**limits)  # type: ignore[arg-type]


def _name_unnamed(key: str) -> str:
    """Return the name of a key without one: it stays the same when the file is sorted, and does not show the key."""
    return f"key-{hashlib.blake2b(key.encode(), digest_size=4, person=b'chattykg').hexdigest()}"


def _check_distinct(key: ApiKey, earlier: list[ApiKey], place: str) -> None:
    if any(each.key == key.key for each in earlier):
        raise ConfigError(f"{place}: this key stands in an earlier line too")
    if any(each.name == key.name and each.limits != key.limits for each in earlier):
        raise ConfigError(f"{place}: {key.name} has other limits in an earlier line")
