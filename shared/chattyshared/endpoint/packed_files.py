"""RDF files as they lie on disk: packed, in a zip file, or in another encoding than UTF-8; read up to a limit."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path, PurePath
from typing import IO, Any, cast

import zstandard

MAX_UNPACKED_BYTES = 1 << 30
"""Bytes of a packed file, unpacked: its size tells nobody how much it holds, as that of a plain file does."""
BROKEN_PACKING = (
    gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile, RuntimeError,
    NotImplementedError,
)  # fmt: skip
"""What the unpackers raise on a file that is cut, damaged or encrypted."""
PACKED_ENDINGS = frozenset((".gz", ".bz2", ".xz", ".zst", ".zip"))
_ZSTD_CHUNK = 1 << 10
"""Bytes that zstandard unpacks at once, to at most 32 MB."""
_START_BYTES = 4096
_CHUNK = 1 << 16
_XML_DECLARATION = re.compile(r"""^(\s*<\?xml[^>]*?\sencoding\s*=\s*)["'][\w.:-]+["']""")
_XML_ENCODING = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']""")


class FileRefused(Exception):
    """A file is not read; the message says why, without the file's name."""


def open_file(path: Path, max_bytes: int = MAX_UNPACKED_BYTES) -> io.BufferedReader:
    """Open a file for reading its content in UTF-8: unpacked, and without a byte order mark.

    The packing is known by the first bytes: gzip, bzip2, xz, zstandard, or a zip file with one RDF file.

    Raises:
        FileRefused: it is a packed file within a packed file; when it is read, it unpacks to more than
            ``max_bytes``.
        UnicodeError: it states an encoding that is not known, or is in another one.
        OSError: it cannot be read; one of ``BROKEN_PACKING``: it is damaged.
    """
    with ExitStack() as cleanup:
        stream = cleanup.enter_context(path.open("rb"))
        if opener := _opener_for(stream):
            unpacked = cast(IO[bytes], cleanup.enter_context(opener(path)))
            stream.close()
            stream = cleanup.enter_context(
                io.BufferedReader(_ChunkStream(_limit(unpacked, max_bytes), unpacked), _START_BYTES)
            )
            if _opener_for(stream):
                raise FileRefused("holds a packed file again: unpack it yourself, and name that file")
        start = stream.peek(_START_BYTES)
        declared = _XML_ENCODING.match(start)
        encoding = "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
        try:
            if declared and codecs.lookup(declared[1].decode()).name not in ("utf-8", "ascii"):
                encoding = declared[1].decode()
            if encoding != "utf-8-sig":
                text = cleanup.enter_context(io.TextIOWrapper(stream, encoding, newline=""))
                stream = cleanup.enter_context(io.BufferedReader(_ChunkStream(_recode(text), text)))
        except LookupError as error:
            raise UnicodeError(str(error)) from error
        if start.startswith(codecs.BOM_UTF8):
            stream.read(len(codecs.BOM_UTF8))
        cleanup.pop_all()
        return stream


def is_packed(path: Path) -> bool:
    """Tell whether a file is packed, by its first bytes; raises as ``open_file``."""
    with path.open("rb") as stream:
        return _opener_for(stream) is not None


def inner_name(path: Path) -> PurePath:
    """Return the name of what a file holds: that of the RDF file in a zip file, or the name without ``.gz`` ...

    Raises:
        FileRefused: a zip file holds none, or several.
        BROKEN_PACKING: it is damaged.
    """
    if zipfile.is_zipfile(path):
        return PurePath(_zip_member(path))
    return PurePath(path.stem if path.suffix.lower() in PACKED_ENDINGS else path.name)


def _zip_member(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise FileRefused(f"is a zip file that holds {len(names)} files: unpack it, and name the RDF files in it")
    return names[0]


def _open_zip(path: Path) -> IO[bytes]:
    name = _zip_member(path)
    with zipfile.ZipFile(path) as archive:  # an open member keeps the file open
        return archive.open(name)


class _ChunkStream(io.RawIOBase):
    """A stream of the chunks that are made of another one."""

    def __init__(self, chunks: Iterator[bytes], source: IO[Any]) -> None:
        self._chunks, self._source, self._rest = chunks, source, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            if (chunk := next(self._chunks, None)) is None:
                return 0
            self._rest = chunk
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._source.close()
        super().close()


def _open_zstd(path: Path) -> IO[bytes]:
    file = path.open("rb")
    return io.BufferedReader(_ChunkStream(_unpack_zstd(file), file))


def _unpack_zstd(file: IO[bytes]) -> Iterator[bytes]:
    """Unpack a zstandard file; unlike the library's own reader, this raises EOFError where the file is cut."""
    frame: Any = None
    while packed := file.read(_ZSTD_CHUNK):
        while packed:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(packed)
            packed = frame.unused_data
            frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError("the file ends before its content does")


_OPENERS: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
    b"\x28\xb5\x2f\xfd": _open_zstd,
    b"PK\x03\x04": _open_zip,
}
"""What opens a packed file, by its first bytes."""


def _opener_for(stream: io.BufferedReader) -> Callable[[Path], Any] | None:
    start = stream.peek(_START_BYTES)
    return next((opener for mark, opener in _OPENERS.items() if start.startswith(mark)), None)


def _limit(stream: IO[bytes], max_bytes: int) -> Iterator[bytes]:
    """Yield what a stream holds, up to a limit."""
    left = max_bytes
    while data := stream.read(_CHUNK):
        left -= len(data)
        if left < 0:
            size = f"{max_bytes >> 20:,} MB"
            raise FileRefused(f"unpacks to more than {size}: unpack it yourself, and name that file")
        yield data


def _recode(text: IO[str]) -> Iterator[bytes]:
    """Yield a text as UTF-8; the declaration of XML says so, too."""
    yield _XML_DECLARATION.sub(r'\1"UTF-8"', text.read(_START_BYTES)).encode()
    while part := text.read(_CHUNK):
        yield part.encode()
