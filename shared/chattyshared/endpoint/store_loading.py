"""Oxigraph stores made of RDF files: in memory, or kept on disk with a note of what they were made of."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from chattyshared.endpoint.rdf_files import check_files, read_quads
from chattyshared.errors import ConfigError

_MARK = "made-of.json"
_TRIPLES = "triples"
_VERSION = 1


def load_store(files: Sequence[Path]) -> ox.Store:
    """Load files into a store in memory.

    Raises:
        ConfigError: a file is missing or broken, or they hold no triple at all.
    """
    check_files(files)
    store = ox.Store()
    _fill(store, files)
    return store


def open_or_build_store(files: Sequence[Path], folder: Path) -> ox.Store:
    """Open the store kept in a folder, made of these files now if it was not before; opened to read only.

    The folder holds the store and ``made-of.json``, which lists the files with size and time of change: a store that
    was made of other files, or of older ones, is made anew. Several processes may read one store at the same time.

    Raises:
        ConfigError: a file is missing or broken, or the folder holds something else.
    """
    check_files(files)
    made_of = _made_of(files)
    if _mark(folder) != made_of:
        _make(files, folder, made_of)
    return open_store(folder)


def open_store(folder: Path) -> ox.Store:
    """Open the store kept in a folder as it is, to read only.

    Raises:
        ConfigError: it cannot be opened.
    """
    try:
        return ox.Store.read_only(str(folder / _TRIPLES))
    except (OSError, RuntimeError) as error:
        raise ConfigError(
            f"{folder}: the store cannot be opened ({error}); delete the folder to make it anew"
        ) from error


def _make(files: Sequence[Path], folder: Path, made_of: dict[str, Any]) -> None:
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / _MARK).is_file())):
        raise ConfigError(f"{folder}: exists and is no store of these files; name a new folder, or delete this one")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=f".{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True
        ) as room:
            fresh = Path(room) / "store"
            fresh.mkdir()
            store = ox.Store(str(fresh / _TRIPLES))
            _fill(store, files)
            store.flush()
            store.optimize()
            del store  # gives its lock back
            (fresh / _MARK).write_text(json.dumps(made_of, indent=1), encoding="utf-8")
            shutil.rmtree(folder, ignore_errors=True)
            os.replace(fresh, folder)
    except OSError as error:
        raise ConfigError(f"{folder}: the store cannot be written ({error.strerror or error})") from error


def _fill(store: ox.Store, files: Sequence[Path]) -> None:
    for number, path in enumerate(files):
        store.bulk_extend(read_quads(path, number))
    if not store:
        names = ", ".join(str(path) for path in files)
        raise ConfigError(f"{names}: holds no triples" if files else "no RDF file is named")


def _made_of(files: Sequence[Path]) -> dict[str, Any]:
    listed = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return {"version": _VERSION, "files": [list(entry) for entry in listed]}


def _mark(folder: Path) -> Any:
    try:
        return json.loads((folder / _MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
