"""Provenance for headers and manifests: the distribution, its extras, and program versions."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "chattykg"
"""The name of the Python distribution; it holds chattygen too."""
PROGRAMS = (DISTRIBUTION, "pyoxigraph", "rdflib")
"""Packages whose version can change a result."""


def program_versions(*packages: str) -> dict[str, str]:
    """Return the versions of Python, of ``PROGRAMS``, and of further packages."""
    versions = {"python": platform.python_version()}
    for name in (*PROGRAMS, *packages):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def install_command(extra: str) -> str:
    """Return the command that installs an extra (a key of ``optional-dependencies`` in ``pyproject.toml``).

    It installs from a checkout, since there is no release on a package index.
    """
    return f"pip install -e '.[{extra}]' in a checkout of {DISTRIBUTION}"
