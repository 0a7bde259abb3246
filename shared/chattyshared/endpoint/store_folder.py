"""Oxigraph stores in folders: how several processes read the same triples."""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox

from chattyshared.errors import ConfigError

STORE_NAME = "triples"
"""The folder of the store proper within its folder."""


def open_store(folder: Path) -> ox.Store:
    """Open the store in a folder read-only, without building it.

    Raises:
        ConfigError: it cannot be opened.
    """
    try:
        return ox.Store.read_only(str(folder / STORE_NAME))
    except (OSError, RuntimeError) as error:
        raise ConfigError(
            f"{folder}: the store cannot be opened ({error}); delete the folder to make it anew"
        ) from error


class TemporaryStore:
    """A folder with a copy of a store in memory, for other processes; written at the first use. Thread-safe.

    The folder is removed by ``remove``, and when this object or the process ends.
    """

    def __init__(self, store: ox.Store) -> None:
        self._store = store
        self._folder: Path | None = None
        self._remove: Callable[[], object] = lambda: None
        self._lock = threading.Lock()

    def path(self) -> Path:
        """Return the folder, which ``open_store`` opens.

        Raises:
            OSError: it cannot be written.
        """
        with self._lock:
            if self._folder is None:
                folder = Path(tempfile.mkdtemp(prefix="chatty-graph-"))
                self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
                try:
                    copy = ox.Store(str(folder / STORE_NAME))
                    copy.bulk_extend(self._store)
                    copy.flush()
                except RuntimeError as error:  # the store's own, for example of a full disk
                    raise OSError(str(error)) from error
                self._folder = folder
            return self._folder

    def remove(self) -> None:
        """Remove the folder; a later use writes it again."""
        with self._lock:
            self._remove()
            self._folder = None
