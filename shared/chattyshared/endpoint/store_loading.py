"""Oxigraph stores built from RDF files: in memory, or on disk with a manifest of the source files."""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.direct_statements import make_statements_direct
from chattyshared.endpoint.rdf_files import UnreadableStatement, check_files, read_quads
from chattyshared.errors import ConfigError
from chattyshared.progress import ShowProgress, hide_progress, report_items
from chattyshared.runs.lock import OutputHeld, OutputLock

_log = logging.getLogger(__name__)
_MANIFEST_NAME = "made-of.json"
_STORE_FOLDER = "triples"
_VERSION = 2
_DEFAULT_READING = FileReading()
_DRAFT_FOLDER = ".chattykg-draft"
_OWN_FILES = (
    _MANIFEST_NAME,
    _STORE_FOLDER,
    "counts*.json",
    "labels-[0-9]*-*",
    "literals-[0-9]*-*",
    "members-*-[0-9]*-*",
)
"""What a store's folder holds, with the counts and indexes that a knowledge graph keeps there; all is made anew."""
_UNFINISHED = (_DRAFT_FOLDER, f"{_STORE_FOLDER}.lock")
"""What a process that makes a store has beside that."""
_WAIT_SECONDS = 0.5
"""Seconds between two looks whether another process has made the store."""


def load_store(
    files: Sequence[Path], show_progress: ShowProgress = hide_progress, reading: FileReading = _DEFAULT_READING
) -> ox.Store:
    """Load files into a store in memory; what cannot be read of them is logged.

    Raises:
        ConfigError: a file is missing or broken, or they hold no triple at all.
    """
    check_files(files)
    store, losses = _fill_store(ox.Store, files, show_progress, reading)
    _log_losses(losses)
    return store


def open_or_build_store(
    files: Sequence[Path],
    folder: Path,
    show_progress: ShowProgress = hide_progress,
    reading: FileReading = _DEFAULT_READING,
) -> ox.Store:
    """Open the store in a folder read-only; build it first from these files unless it is up to date.

    The folder holds the store and ``made-of.json``, which lists the files with size and modification time. A store of
    other files, or of older versions of them, is built again. Several processes may read one store at the same time.

    Raises:
        ConfigError: a file is missing or broken, or the folder holds something else.
    """
    check_files(files)
    manifest = _describe_files(files, reading)
    if not _is_up_to_date(folder, manifest):
        _build_store(files, folder, manifest, show_progress, reading)
    _log_losses(_read_manifest(folder).get("losses", ()))
    return open_store(folder)


def write_store(store: ox.Store, folder: Path) -> None:
    """Copy a store into a folder that ``open_store`` opens.

    Raises:
        OSError: the folder cannot be written.
    """
    try:
        copy = ox.Store(str(folder / _STORE_FOLDER))
        copy.bulk_extend(store)
        copy.flush()
    except RuntimeError as error:  # the store's own, for example of a full disk
        raise OSError(str(error)) from error


def open_store(folder: Path) -> ox.Store:
    """Open the store in a folder read-only, without building it.

    Raises:
        ConfigError: it cannot be opened.
    """
    try:
        return ox.Store.read_only(str(folder / _STORE_FOLDER))
    except (OSError, RuntimeError) as error:
        raise ConfigError(
            f"{folder}: the store cannot be opened ({error}); delete the folder to make it anew"
        ) from error


def store_digest(folder: Path) -> str:
    """Return a digest of what the store in a folder was made of; "" if that cannot be read."""
    try:
        return sha256((folder / _MANIFEST_NAME).read_bytes()).hexdigest()[:12]
    except OSError:
        return ""


def _build_store(
    files: Sequence[Path], folder: Path, manifest: dict[str, Any], show_progress: ShowProgress, reading: FileReading
) -> None:
    """Build the store as a draft within its folder, and put it in the place of an older one; one process at a time."""
    if any(each.exists() and not each.is_dir() for each in (folder, folder.parent)):
        raise ConfigError(f"{folder}: exists and is no store of these files; name a new folder, or delete this one")
    with _wait_for_lock(folder):
        if _is_up_to_date(folder, manifest):
            return  # another process has just made it
        _check_folder(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            losses = _write_draft(files, folder / _DRAFT_FOLDER, show_progress, reading)
            (folder / _MANIFEST_NAME).write_text("{}", encoding="utf-8")  # a store, but of nothing yet
            for entry in folder.iterdir():
                if entry.name != _MANIFEST_NAME and _is_own(entry):
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            os.replace(folder / _DRAFT_FOLDER, folder / _STORE_FOLDER)
            (folder / _MANIFEST_NAME).write_text(json.dumps({**manifest, "losses": losses}, indent=1), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{folder}: the store cannot be written ({error.strerror or error})") from error
        finally:
            shutil.rmtree(folder / _DRAFT_FOLDER, ignore_errors=True)


def _wait_for_lock(folder: Path) -> OutputLock:
    """Return the lock of a store; workers that open one store at once wait for the first of them."""
    is_told = False
    while True:
        try:
            return OutputLock(folder / _STORE_FOLDER)
        except OutputHeld:
            if not is_told:
                _log.warning("%s: another process makes the store: waiting for its end", folder)
            is_told = True
            time.sleep(_WAIT_SECONDS)


def _check_folder(folder: Path) -> None:
    """Refuse a folder with files that are no part of a store: they would be lost."""
    entries = [each for each in folder.iterdir() if each.name not in _UNFINISHED] if folder.exists() else []
    if entries and not (folder / _MANIFEST_NAME).is_file():
        raise ConfigError(f"{folder}: exists and is no store of these files; name a new folder, or delete this one")
    if others := sorted(each.name for each in entries if not _is_own(each)):
        raise ConfigError(
            f"{folder}: the store is out of date and cannot be made anew beside {', '.join(others[:3])}"
            f"{' and more' if len(others) > 3 else ''}, which would be lost; move that, or name a new folder"
        )


def _write_draft(files: Sequence[Path], draft: Path, show_progress: ShowProgress, reading: FileReading) -> list[str]:
    def open_draft() -> ox.Store:
        shutil.rmtree(draft, ignore_errors=True)  # a killed process has left it
        return ox.Store(str(draft))

    store, losses = _fill_store(open_draft, files, show_progress, reading)
    store.flush()
    store.optimize()
    return losses


def _is_own(entry: Path) -> bool:
    return any(fnmatchcase(entry.name, pattern) for pattern in _OWN_FILES)


def _fill_store(
    open_new: Callable[[], ox.Store], files: Sequence[Path], show_progress: ShowProgress, reading: FileReading
) -> tuple[ox.Store, list[str]]:
    """Fill a new store; where a statement cannot be read, another one without such statements, with a note on them."""
    losses: list[str] = []
    first_failure = ""
    try:
        store = _read_files(open_new(), files, show_progress, reading, None)
    except UnreadableStatement as error:
        if not reading.unreadable:
            raise
        first_failure = str(error)
    if first_failure:  # behind the handler, whose exception holds the first store
        try:
            store = _read_files(open_new(), files, show_progress, reading, losses)
        except UnreadableStatement as error:
            message = str(error)
            raise UnreadableStatement(first_failure + (f"; {message}" if message != first_failure else "")) from error
    make_statements_direct(store)
    if not store:
        names = ", ".join(str(path) for path in files)
        raise ConfigError(f"{names}: holds no triples" if files else "no RDF file is named")
    return store, losses


def _read_files(
    store: ox.Store, files: Sequence[Path], show_progress: ShowProgress, reading: FileReading, losses: list[str] | None
) -> ox.Store:
    with show_progress("triples read", None) as advance:
        for number, path in enumerate(files):
            store.bulk_extend(report_items(read_quads(path, number, reading, losses), advance))
    return store


def _log_losses(losses: Sequence[str]) -> None:
    for sentence in losses:
        _log.warning("%s", sentence)


def _describe_files(files: Sequence[Path], reading: FileReading) -> dict[str, Any]:
    paths = [*files, *([reading.context] if reading.context else [])]
    entries = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    return {"version": _VERSION, "files": [list(entry) for entry in entries], "unreadable": reading.unreadable}


def _is_up_to_date(folder: Path, manifest: dict[str, Any]) -> bool:
    return bool(manifest == {key: value for key, value in _read_manifest(folder).items() if key != "losses"})


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / _MANIFEST_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}
