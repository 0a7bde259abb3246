"""The process that keeps a server of ours: ``python -m chattyshared.model.process_guard SECONDS COMMAND...``.

It starts the command as a group of processes of its own, ends when the command ends, with its exit code, and ends the
whole group when its standard input closes: that is, with its parent, however that goes, a kill included. What has not
ended by itself after so many seconds is killed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import BinaryIO


def guard_process(command: Sequence[str], source: BinaryIO, grace: float) -> int:
    """Run a command until it ends or ``source`` does; return its exit code (as a shell would: 128 and the signal)."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: threading.Thread(target=_end, args=(process, grace), daemon=True).start())
    threading.Thread(target=_watch, args=(source.fileno(), process, grace), daemon=True).start()
    code = process.wait()
    _signal(process.pid, signal.SIGKILL)  # children that outlived their parent
    return code if code >= 0 else 128 - code


def _watch(source: int, process: subprocess.Popen[bytes], grace: float) -> None:
    while os.read(source, 4096):
        pass
    _end(process, grace)


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    _signal(process.pid, signal.SIGTERM)
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        _signal(process.pid, signal.SIGKILL)


def _signal(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    sys.exit(guard_process(sys.argv[2:], sys.stdin.buffer, float(sys.argv[1])))
