"""Removal of secrets from texts that are shown or written, in each encoding in which they may appear."""

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
_PERCENT_ENCODED = re.compile(r"%[0-9A-F]{2}")


def basic_credentials(user: str, password: str) -> str:
    """Return user and password in base64 for the header Authorization; the encoding protects nothing."""
    return base64.b64encode(f"{user}:{password}".encode()).decode()


def make_redactor(secrets: Iterable[str], *, min_length: int = 4) -> Callable[[str], str]:
    """Return a function that replaces each secret by ``***``, also if it is percent-encoded or escaped.

    Secrets of fewer than ``min_length`` characters are kept, because they occur in any text.
    """
    spellings = {spelling for secret in secrets if len(secret) >= min_length for spelling in _spellings(secret)}
    ordered = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))

    def redact(text: str) -> str:
        for spelling in ordered:
            text = text.replace(spelling, MARK)
        return text

    return redact


def _spellings(secret: str) -> set[str]:
    """Return a secret unchanged and encoded once or twice, for example a URL within a JSON message."""
    encodable = secret.encode("utf-8", "replace").decode()
    once = {encode(encodable) for encode in _ENCODERS}
    twice = {encode(text) for text in once for encode in _ENCODERS}
    return {secret} | twice | {_PERCENT_ENCODED.sub(lambda match: match[0].lower(), text) for text in twice}
