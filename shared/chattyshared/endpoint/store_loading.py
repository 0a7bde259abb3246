"""Oxigraph stores built from RDF files: in memory, or on disk with a manifest of the source files."""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from chattyshared.endpoint.child_process import read_quads_apart
from chattyshared.endpoint.connection_options import FileReading
from chattyshared.endpoint.direct_statements import make_statements_direct
from chattyshared.endpoint.rdf_files import UnreadableStatement, check_files, is_plain, read_quads
from chattyshared.endpoint.store_folder import STORE_NAME, open_store
from chattyshared.errors import ConfigError
from chattyshared.progress import ShowProgress, hide_progress, report_items
from chattyshared.runs.lock import OutputHeld, OutputLock

_log = logging.getLogger(__name__)
_MANIFEST_NAME = "made-of.json"
_VERSION = 3
_MAX_DIGESTED_BYTES = 256 << 20
"""Bytes of the largest file that is known by its contents: they are read at each start."""
_DRAFT_FOLDER = ".chattykg-draft"
_OWN_FILES = (
    _MANIFEST_NAME,
    STORE_NAME,
    "counts*.json",
    "labels-[0-9]*-*",
    "literals-[0-9]*-*",
    "members-*-[0-9]*-*",
)
"""What a store's folder holds, with the counts and indexes that a knowledge graph keeps there; all is made anew."""
_UNFINISHED = (_DRAFT_FOLDER, f"{STORE_NAME}.lock")
"""What a process that makes a store has beside that."""
_WAIT_SECONDS = 0.5
"""Seconds between two looks whether another process has made the store."""


@dataclass(frozen=True, slots=True)
class FileSource:
    """RDF files, and how they are read; only ``is_trusted`` ones are parsed in this process, whatever their format."""

    files: Sequence[Path]
    reading: FileReading = field(default_factory=FileReading)
    show_progress: ShowProgress = hide_progress
    is_trusted: bool = False


def load_store(source: FileSource) -> ox.Store:
    """Load files into a store in memory; what cannot be read of them is logged.

    Raises:
        ConfigError: a file is missing or broken, or they hold no triple at all.
    """
    check_files(source.files)
    store, notes = _fill_store(ox.Store, source)
    _log_notes(notes)
    return store


def open_or_build_store(source: FileSource, folder: Path) -> ox.Store:
    """Open the store in a folder read-only; build it first from these files unless it is up to date.

    The folder holds the store and ``made-of.json``, which lists the files with digests of their contents (of large
    ones: size and modification time). A store of other files, or of other contents, is built again. Several processes
    may read one store at the same time.

    Raises:
        ConfigError: a file is missing or broken, or the folder holds something else.
    """
    check_files(source.files)
    manifest = _describe_files(source)
    if not _is_up_to_date(folder, manifest):
        _build_store(source, folder, manifest)
    _log_notes(_read_manifest(folder).get("notes", ()))
    return open_store(folder)


def store_digest(folder: Path) -> str:
    """Return a digest of what the store in a folder was made of; "" if that cannot be read."""
    try:
        return sha256((folder / _MANIFEST_NAME).read_bytes()).hexdigest()[:12]
    except OSError:
        return ""


def _build_store(source: FileSource, folder: Path, manifest: dict[str, Any]) -> None:
    """Build the store as a draft within its folder, and put it in the place of an older one; one process at a time."""
    if any(each.exists() and not each.is_dir() for each in (folder, folder.parent)):
        raise ConfigError(f"{folder}: exists and is no store of these files; name a new folder, or delete this one")
    with _wait_for_lock(folder):
        if _is_up_to_date(folder, manifest):
            return  # another process has just made it
        _check_folder(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            notes = _write_draft(source, folder / _DRAFT_FOLDER)
            (folder / _MANIFEST_NAME).write_text("{}", encoding="utf-8")  # a store, but of nothing yet
            for entry in folder.iterdir():
                if entry.name != _MANIFEST_NAME and _is_own(entry):
                    shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            os.replace(folder / _DRAFT_FOLDER, folder / STORE_NAME)
            (folder / _MANIFEST_NAME).write_text(json.dumps({**manifest, "notes": notes}, indent=1), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"{folder}: the store cannot be written ({error.strerror or error})") from error
        finally:
            shutil.rmtree(folder / _DRAFT_FOLDER, ignore_errors=True)


def _wait_for_lock(folder: Path) -> OutputLock:
    """Return the lock of a store; workers that open one store at once wait for the first of them."""
    is_told = False
    while True:
        try:
            return OutputLock(folder / STORE_NAME)
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


def _write_draft(source: FileSource, draft: Path) -> list[str]:
    def open_draft() -> ox.Store:
        shutil.rmtree(draft, ignore_errors=True)  # a killed process has left it
        return ox.Store(str(draft))

    store, notes = _fill_store(open_draft, source)
    store.flush()
    store.optimize()
    return notes


def _is_own(entry: Path) -> bool:
    return any(fnmatchcase(entry.name, pattern) for pattern in _OWN_FILES)


def _fill_store(open_new: Callable[[], ox.Store], source: FileSource) -> tuple[ox.Store, list[str]]:
    """Fill a new store; where a statement cannot be read, another one without such statements, with a note on them."""
    notes: list[str] = []
    first_failure = ""
    try:
        store = _read_files(open_new(), source, notes, lenient=False)
    except UnreadableStatement as error:
        if not source.reading.unreadable:
            raise
        first_failure = str(error)
    if first_failure:  # behind the handler, whose exception holds the first store
        notes.clear()
        try:
            store = _read_files(open_new(), source, notes, lenient=True)
        except UnreadableStatement as error:
            message = str(error)
            raise UnreadableStatement(first_failure + (f"; {message}" if message != first_failure else "")) from error
    make_statements_direct(store)
    if not store:
        names = ", ".join(str(path) for path in source.files)
        raise ConfigError(f"{names}: holds no triples" if names else "no RDF file is named")
    return store, notes


def _read_files(store: ox.Store, source: FileSource, notes: list[str], *, lenient: bool) -> ox.Store:
    """Read files into a store: those that are trusted or plain here, the others in a child process."""
    apart: list[tuple[int, Path]] = []
    with source.show_progress("triples read", None) as advance:
        for number, path in enumerate(source.files):
            if source.is_trusted or is_plain(path):
                quads = read_quads(path, number, source.reading, notes, lenient=lenient)
                store.bulk_extend(report_items(quads, advance))
            else:
                apart.append((number, path))
        if apart:
            quads = read_quads_apart(apart, source.reading, notes, lenient=lenient)
            store.bulk_extend(report_items(quads, advance))
    return store


def _log_notes(notes: Sequence[str]) -> None:
    for sentence in notes:
        _log.warning("%s", sentence)


def _describe_files(source: FileSource) -> dict[str, Any]:
    context = source.reading.context
    entries = [[str(path.resolve()), _identify(path)] for path in (*source.files, *([context] if context else []))]
    return {"version": _VERSION, "files": entries, "unreadable": source.reading.unreadable}


def _identify(path: Path) -> str:
    """Return the digest of a file's contents; of a large one, its size and modification time."""
    state = path.stat()
    if state.st_size > _MAX_DIGESTED_BYTES:
        return f"{state.st_size} {state.st_mtime_ns}"
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _is_up_to_date(folder: Path, manifest: dict[str, Any]) -> bool:
    return bool(manifest == {key: value for key, value in _read_manifest(folder).items() if key != "notes"})


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / _MANIFEST_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}
