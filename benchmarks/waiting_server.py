"""A model server on the loopback, in its own process, that waits before each reply.

It serves any number of requests at a time with the same reply. ``GET /stats`` returns its counts;
``POST /refuse?at_once=N`` makes it answer 429 to more than N requests at a time (without N: to none).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

REPLY = {
    "id": "c", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": '{"a": "b"}'}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
}  # fmt: skip


@dataclass(slots=True)
class Stats:
    """What was served and refused, and how many requests were under way: now, and at most since it was asked last."""

    served: int = 0
    refused: int = 0
    now: int = 0
    most: int = 0


class Waiting:
    """The server's side."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._at_once, self._stats = seconds, sys.maxsize, Stats()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection, one after another."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                sizes = [line.partition(":")[2] for line in head if line.lower().startswith("content-length:")]
                await reader.readexactly(int(sizes[0]) if sizes else 0)
                status, body = await self._answer(head[0].split()[1])
                text = json.dumps(body).encode()
                lines = f"HTTP/1.1 {status} -\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
                writer.write(lines.encode() + text)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def _answer(self, target: str) -> tuple[int, Any]:
        stats, address = self._stats, urlsplit(target)
        if address.path == "/stats":
            figures = asdict(stats)
            stats.most = stats.now
            return 200, figures
        if address.path == "/refuse":
            self._at_once = int(parse_qs(address.query).get("at_once", [str(sys.maxsize)])[0])
            return 200, {}
        stats.now += 1
        stats.most = max(stats.most, stats.now)
        try:
            if stats.now > self._at_once:
                stats.refused += 1
                return 429, {"error": {"message": "too many requests", "type": "requests", "code": None}}
            await asyncio.sleep(self._seconds)
            stats.served += 1
            return 200, REPLY
        finally:
            stats.now -= 1


class WaitingServer:
    """The client's side: starts the server's process, asks it, and ends it."""

    def __init__(self, seconds: float) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self._home = f"http://127.0.0.1:{self._process.stdout.readline().strip()}"
        self.url = f"{self._home}/v1"

    def __enter__(self) -> WaitingServer:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def stats(self) -> Stats:
        """Return what it has served so far; ``most`` counts from the last time."""
        with urllib.request.urlopen(f"{self._home}/stats") as reply:
            return Stats(**json.load(reply))

    def refuse(self, at_once: int | None) -> None:
        """Have it refuse what goes beyond so many requests at a time; None: nothing."""
        query = "" if at_once is None else f"?at_once={at_once}"
        urllib.request.urlopen(urllib.request.Request(f"{self._home}/refuse{query}", method="POST", data=b"")).close()


async def main(seconds: float) -> None:
    """Serve until the standard input ends."""
    server = await asyncio.start_server(Waiting(seconds).talk, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        os._exit(0)  # connections that clients keep open are not waited for


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
