"""The chat page: one HTML file, and a content security policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def load_page() -> tuple[str, str]:
    """Return the page and its Content-Security-Policy, which allows its own script, style and requests."""
    html = files("chattykg.service").joinpath("page.html").read_text(encoding="utf-8")
    script, style = (_digest(html, tag) for tag in ("script", "style"))
    policy = (
        f"default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return html, policy


def _digest(html: str, tag: str) -> str:
    match = re.search(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
    assert match is not None
    return f"'sha256-{base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()}'"
