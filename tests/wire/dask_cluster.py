"""A Dask cluster of processes on the loopback, in a process of its own, so that it can be killed as a whole.

By hand: ``python tests/wire/dask_cluster.py --workers 2``; it ends with its standard input.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


class RunningCluster:
    """``workers`` processes of one thread each; ``environ`` is theirs besides what this process has."""

    def __init__(self, *, workers: int = 2, port: int | None = None, environ: Mapping[str, str] | None = None) -> None:
        self.port = port or _free()
        self.address = f"tcp://127.0.0.1:{self.port}"
        more = {"PYTHONPATH": str(Path(__file__).parents[1]), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--workers", str(workers), "--port", str(self.port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **more, **(environ or {})},
        )  # fmt: skip
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise RuntimeError("the cluster did not start")

    def kill(self) -> None:
        """Take scheduler and workers away, without a word."""
        self._process.kill()
        self._process.wait()
        self._leave()

    def stop(self) -> None:
        """End it, if it still runs."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._leave()

    def _leave(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


def _free() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def main() -> None:
    """Run a cluster until the standard input ends."""
    from distributed import LocalCluster

    parser = argparse.ArgumentParser(description="Run a Dask cluster of processes.")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--port", type=int, default=8786)
    wanted = parser.parse_args()
    with LocalCluster(
        n_workers=wanted.workers, threads_per_worker=1, processes=True, scheduler_port=wanted.port,
        dashboard_address=None,
    ) as cluster:  # fmt: skip
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
