"""The guard process of a local server: ``python -m chattyshared.model.process_guard SECONDS COMMAND...``.

It starts the command in a process group and exits with its exit code. When its standard input closes, that is, when the
parent ends, even by a kill, it terminates the whole group; what is still running after SECONDS is killed.
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
    """Run a command until it ends or ``source`` closes; return its exit code (as a shell: 128 plus the signal)."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(
            number, lambda *_: threading.Thread(target=_terminate_group, args=(process, grace), daemon=True).start()
        )
    threading.Thread(target=_end_on_close, args=(source.fileno(), process, grace), daemon=True).start()
    code = process.wait()
    _signal_group(process.pid, signal.SIGKILL)  # children that outlived their parent
    return code if code >= 0 else 128 - code


def _end_on_close(source: int, process: subprocess.Popen[bytes], grace: float) -> None:
    while os.read(source, 4096):
        pass
    _terminate_group(process, grace)


def _terminate_group(process: subprocess.Popen[bytes], grace: float) -> None:
    _signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(grace)
    except subprocess.TimeoutExpired:
        _signal_group(process.pid, signal.SIGKILL)


def _signal_group(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    sys.exit(guard_process(sys.argv[2:], sys.stdin.buffer, float(sys.argv[1])))
