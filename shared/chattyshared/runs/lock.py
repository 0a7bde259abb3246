"""A lock on the output of a run: no two runs write the same output, and a lock ends with its process."""

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
"""How often the lock file is reopened, if others remove it meanwhile, before giving up."""
_HELD_ERRORS = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)


class OutputHeld(ConfigError):
    """Another process holds the lock of an output."""


class OutputLock:
    """Locks an output from construction to ``release``, or until the process ends.

    The operating system locks the empty file ``OUTPUT.lock``, which ``release`` removes; a file that a killed process
    has left locks nothing. A symbolic link is followed: the lock is next to its target. Missing folders are created,
    and removed at the end if they are empty.
    """

    def __init__(self, output: Path, part: str = "") -> None:
        """Take the lock; ``part`` goes into the name of the lock file, for one of several outputs of a run.

        A device and an unwritable folder are not locked; a file system without locks gives a warning.

        Raises:
            OutputHeld: another run holds it.
            ConfigError: its file cannot be created.
            StorageFailed: the disk is full or failing.
        """
        target = Path(os.path.realpath(output))
        path = target.with_name(f"{target.name}{part}.lock")
        created_folders = [folder for folder in target.parents if not os.path.lexists(folder)]
        try:
            descriptor = None if is_device(output) else _open_locked(path)
        except BlockingIOError:
            raise OutputHeld(
                f"another run is writing {output} (it holds {path.name}): wait for its end, or name another output"
            ) from None
        except OSError as error:
            if os.path.isdir(target.parent) and not os.access(target.parent, os.W_OK):
                descriptor = None
            else:
                raise file_write_error(output, error) from error
        self.release = weakref.finalize(self, _release, descriptor, path, created_folders, os.getpid())
        """Release the lock; a second call does nothing."""

    def __enter__(self) -> OutputLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_device(path: Path) -> bool:
    """Tell whether a path is a device, a pipe or a socket, or stands for one as ``/dev/stdout`` does."""
    is_special = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    return is_special or Path(os.path.abspath(path)).parent in (Path("/dev"), Path("/dev/fd"))


def _open_locked(path: Path) -> int:
    """Open the file and lock it; reopen it if its last holder has removed it in between.

    Raises:
        BlockingIOError: another process holds the lock.
        OSError: the file cannot be created.
    """
    failure: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    for _ in range(_ATTEMPTS):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except FileNotFoundError:  # its last holder has removed the folder
            continue
        except FileExistsError:  # as above, or a file has the folder's name
            failure = NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            continue
        try:
            _lock(descriptor, path)
        except OSError:
            os.close(descriptor)
            raise
        if _is_same_file(descriptor, path):
            return descriptor
        os.close(descriptor)
    raise failure


def _lock(descriptor: int, path: Path) -> None:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD_ERRORS:
            raise BlockingIOError(error.errno, error.strerror) from error
        logger.warning("%s cannot be locked (%s): let no other run write there", path, error.strerror or error)


def _is_same_file(descriptor: int, path: Path) -> bool:
    """Tell whether an open file is the one at the path."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _release(descriptor: int | None, path: Path, created_folders: Sequence[Path], process: int) -> None:
    if descriptor is None or os.getpid() != process:  # a fork shares its parent's lock
        return
    with suppress(OSError):
        # Removed before it is unlocked: a process that opened it meanwhile sees that the path has changed.
        if sys.platform != "win32" and _is_same_file(descriptor, path):
            path.unlink()
    os.close(descriptor)
    with suppress(OSError):
        if sys.platform == "win32":
            path.unlink()
        for folder in created_folders:
            folder.rmdir()
