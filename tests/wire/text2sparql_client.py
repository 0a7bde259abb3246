"""TEXT2SPARQL's own client in a venv of its own, which is made once and kept in ``.text2sparql`` beside the code.

By hand, or in CI: ``python tests/wire/text2sparql_client.py``. Of its requirements ``pytrec-eval`` alone is replaced:
it downloads a source archive while it is built, ``pytrec-eval-terrier`` is the same code, built.
``TEXT2SPARQL_CLIENT`` names a client that lies elsewhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

VERSION = "2.1.0"
ROOM = Path(__file__).resolve().parents[2] / ".text2sparql"
_REQUIRED = (
    "import importlib.metadata, json; print(json.dumps(importlib.metadata.requires('text2sparql-client')))"
)  # fmt: skip


def program() -> Path | None:
    """Return the client, if it is installed."""
    path = Path(os.environ.get("TEXT2SPARQL_CLIENT") or ROOM / "bin" / "text2sparql")
    return path if path.exists() else None


def install() -> Path:
    """Install the client, if it is not there yet; ``CalledProcessError`` where that is not possible."""
    found = program()
    if found is not None:
        return found
    venv.create(ROOM, with_pip=True, clear=True)
    python = ROOM / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", f"text2sparql-client=={VERSION}"], check=True)
    told = subprocess.run([python, "-c", _REQUIRED], check=True, capture_output=True, text=True).stdout
    needed = [each for each in json.loads(told) if not each.startswith("pytrec-eval")]
    try:
        subprocess.run([*pip, *needed, "pytrec-eval-terrier"], check=True)
        subprocess.run([ROOM / "bin" / "text2sparql", "--version"], check=True, stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        (ROOM / "bin" / "text2sparql").unlink()  # half a client is none
        raise
    return ROOM / "bin" / "text2sparql"


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{install()}\n")
    except subprocess.CalledProcessError as error:
        sys.exit(f"cannot be installed: {error}")
