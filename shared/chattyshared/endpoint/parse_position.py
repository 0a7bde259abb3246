"""Where in a file a parser stands that does not say it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from typing import IO, cast

import pyoxigraph as ox

MAX_LINE_BYTES = 100_000
"""Bytes of a line that are handed out one by one; a longer one is only named by its number."""


def find_parse_error(
    open_file: Callable[[], IO[bytes]], kind: ox.RdfFormat, base: str | None
) -> tuple[int | None, int | None]:
    """Return line and column at which a parser finds fault with what it has read so far, or None twice.

    Files that are wrong by their meaning (an identifier that is none) are told without a place: they are read again in
    small bites, first line by line, then the line in question byte by byte.
    """
    with open_file() as stream:
        taken = _bites_until_refused(_pieces(stream), kind, base)
    if taken is None:
        return None, None
    head, line, is_start = taken - 1, 1, True
    with open_file() as stream:
        for piece in islice(_pieces(stream), head):
            is_start = piece.endswith(b"\n")
            line += is_start
        last = next(_pieces(stream), b"")
    if len(last) == MAX_LINE_BYTES or not is_start:
        return line, 1
    with open_file() as stream:
        bites = chain(islice(_pieces(stream), head), (bytes((byte,)) for byte in last))
        taken = _bites_until_refused(bites, kind, base)
    return line, max(1, (taken or 0) - head)


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield lines; those that are too long in several pieces."""
    return iter(partial(stream.readline, MAX_LINE_BYTES), b"")


class _Bites:
    """A file that hands out one bite a read, and counts them."""

    def __init__(self, bites: Iterator[bytes]) -> None:
        self.taken = 0
        self._bites = bites
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        """Return the next bite, or as much of it as is wanted."""
        if not self._rest:
            self._rest = next(self._bites, b"")
            self.taken += bool(self._rest)
        size = len(self._rest) if size < 0 else size
        bite, self._rest = self._rest[:size], self._rest[size:]
        return bite


def _bites_until_refused(bites: Iterator[bytes], kind: ox.RdfFormat, base: str | None) -> int | None:
    file = _Bites(bites)
    try:
        for _ in ox.parse(cast(IO[bytes], file), kind, base_iri=base):
            pass
    except SyntaxError:
        return file.taken
    return None
