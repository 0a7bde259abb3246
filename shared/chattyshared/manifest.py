"""What made a file: versions of the programs and digests of the prompts, for headers and manifests."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

PROGRAMS = ("chatty", "pyoxigraph", "rdflib")
"""What can change a result: ours, the store that answers, and the terms."""


def versions(*more: str) -> dict[str, str]:
    """Return the version of Python, of the programs that results hang on, and of further installed packages."""
    found = {"python": platform.python_version()}
    for name in (*PROGRAMS, *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
