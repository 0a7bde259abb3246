"""A lock on what a run writes: no two runs write one output, and a lock ends with its process, however that ends."""

from __future__ import annotations

import errno
import logging
import os
import sys
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from chattyshared.errors import ConfigError, file_write_error

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

logger = logging.getLogger(__name__)
_ATTEMPTS = 100
"""How often the file is opened anew before the lock is given up: others can remove it only so fast."""
_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class OutputLock:
    """Holds an output from its making to its ``release``, or until the process ends.

    The operating system locks the empty file ``OUTPUT.lock``, which ``release`` removes; one that a killed process has
    left locks nothing. A symbolic link is followed: the lock lies beside the file that it leads to. Missing folders
    are made, and removed at the end if they are empty.
    """

    def __init__(self, output: Path, part: str = "") -> None:
        """Take the lock; ``part`` goes into the name of its file, for one thing of several that a run writes.

        A device is not locked, and nothing where nothing can be written; where the file system has no locks a warning
        says so.

        Raises:
            ConfigError: another run holds it; or its file cannot be made.
            StorageFailed: the disk takes no more.
        """
        target = Path(os.path.realpath(output))
        place = target.with_name(f"{target.name}{part}.lock")
        made = [folder for folder in target.parents if not os.path.lexists(folder)]
        try:
            descriptor = None if _is_device(output) else _locked(place)
        except BlockingIOError:
            raise ConfigError(
                f"another run is writing {output} (it holds {place.name}): wait for its end, or name another output"
            ) from None
        except OSError as error:
            if os.path.isdir(target.parent) and not os.access(target.parent, os.W_OK):
                descriptor = None
            else:
                raise file_write_error(output, error) from error
        self.release = weakref.finalize(self, _release, descriptor, place, made, os.getpid())
        """End it; a second call does nothing."""

    def __enter__(self) -> OutputLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _is_device(path: Path) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _locked(place: Path) -> int:
    """Open the file and lock it; open it anew if its last holder has removed it in between.

    Raises:
        BlockingIOError: somebody else holds the lock.
        OSError: the file cannot be made.
    """
    failure: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for _ in range(_ATTEMPTS):
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:  # its last holder has removed the folder
            continue
        except FileExistsError:  # as before, or something else bears the folder's name
            failure = NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            continue
        try:
            _lock(descriptor, place)
        except OSError:
            os.close(descriptor)
            raise
        if _is_at(descriptor, place):
            return descriptor
        os.close(descriptor)
    raise failure


def _lock(descriptor: int, place: Path) -> None:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            raise BlockingIOError(error.errno, error.strerror) from error
        logger.warning("%s cannot be locked (%s): let no other run write there", place, error.strerror or error)


def _is_at(descriptor: int, place: Path) -> bool:
    """Tell whether an open file is the one that lies at a place."""
    try:
        return os.path.samestat(os.fstat(descriptor), place.stat())
    except FileNotFoundError:
        return False


def _release(descriptor: int | None, place: Path, made: Sequence[Path], process: int) -> None:
    if descriptor is None or os.getpid() != process:  # a fork shares its parent's lock
        return
    with suppress(OSError):
        # Removed before it is unlocked: who opened it meanwhile sees that another file, or none, lies there.
        if sys.platform != "win32" and _is_at(descriptor, place):
            place.unlink()
    os.close(descriptor)
    with suppress(OSError):
        if sys.platform == "win32":
            place.unlink()
        for folder in made:
            folder.rmdir()
