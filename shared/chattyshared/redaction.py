"""Secrets taken out of texts that are shown or written, in the spellings in which programs pass them on."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from html import escape
from urllib.parse import quote, quote_plus

MARK = "***"
_ENCODERS: tuple[Callable[[str], str], ...] = (
    str, quote, partial(quote, safe=""), quote_plus, partial(quote_plus, safe=""), escape,
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: json.dumps(text)[1:-1], lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
)  # fmt: skip
_HEX = re.compile(r"%[0-9A-F]{2}")


def basic_credentials(user: str, password: str) -> str:
    """Return user and password as the header Authorization carries them: in base64, which everybody can read."""
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def make_redactor(secrets: Iterable[str], *, min_length: int = 4) -> Callable[[str], str]:
    """Return a function that puts ``***`` in place of each secret, also where it is percent-encoded or escaped.

    Secrets of fewer than ``shortest`` characters stay: they would be found in any text.
    """
    found = {spelling for secret in secrets if len(secret) >= min_length for spelling in _spellings(secret)}
    ordered = sorted(found, key=lambda spelling: (-len(spelling), spelling))

    def redact(text: str) -> str:
        for spelling in ordered:
            text = text.replace(spelling, MARK)
        return text

    return redact


def _spellings(secret: str) -> set[str]:
    """Return a secret as it is and encoded up to twice: an address within a message in JSON is."""
    sound = secret.encode("utf-8", "replace").decode()
    once = {encode(sound) for encode in _ENCODERS}
    twice = {encode(text) for text in once for encode in _ENCODERS}
    return {secret} | twice | {_HEX.sub(lambda match: match[0].lower(), text) for text in twice}
