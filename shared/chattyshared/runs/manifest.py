"""What made a file, for headers and manifests: the installed distribution, its extras, and versions of the programs."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

DISTRIBUTION = "chattykg"
"""The name of the Python distribution; it holds chattygen too."""
PROGRAMS = (DISTRIBUTION, "pyoxigraph", "rdflib")
"""What can change a result: ours, the store that answers, and the terms."""


def program_versions(*more: str) -> dict[str, str]:
    """Return the version of Python, of the programs that results hang on, and of further installed packages."""
    found = {"python": platform.python_version()}
    for name in (*PROGRAMS, *more):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def install_command(extra: str) -> str:
    """Return the command that installs an optional extra (a key of ``optional-dependencies`` in ``pyproject.toml``).

    It names the checkout: there is no release on a package index.
    """
    return f"pip install -e '.[{extra}]' in a checkout of {DISTRIBUTION}"
