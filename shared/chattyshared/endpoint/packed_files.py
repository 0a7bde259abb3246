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
from collections.abc import Callable
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
            stream = cleanup.enter_context(io.BufferedReader(_BoundedStream(unpacked, max_bytes), _START_BYTES))
            if _opener_for(stream):
                raise FileRefused("holds a packed file again: unpack it yourself, and name that file")
        start = stream.peek(_START_BYTES)
        declared = _XML_ENCODING.match(start)
        encoding = "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
        try:
            if declared and codecs.lookup(declared[1].decode()).name not in ("utf-8", "ascii"):
                encoding = declared[1].decode()
            if encoding != "utf-8-sig":
                stream = cleanup.enter_context(io.BufferedReader(_RecodedStream(stream, encoding)))
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


class _ZstdStream(io.RawIOBase):
    """A zstandard file; unlike the library's own reader, it raises EOFError where the file is cut."""

    def __init__(self, path: Path) -> None:
        self._file, self._rest = path.open("rb"), b""
        self._frame: Any = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            packed = self._file.read(_ZSTD_CHUNK)
            if not packed and self._frame is not None:
                raise EOFError("the file ends before its content does")
            if not packed:
                return 0
            while packed:
                self._frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
                self._rest += self._frame.decompress(packed)
                packed = self._frame.unused_data
                self._frame = None if self._frame.eof else self._frame
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


_OPENERS: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
    b"\x28\xb5\x2f\xfd": _ZstdStream,
    b"PK\x03\x04": _open_zip,
}
"""What opens a packed file, by its first bytes."""


def _opener_for(stream: io.BufferedReader) -> Callable[[Path], Any] | None:
    start = stream.peek(_START_BYTES)
    return next((opener for mark, opener in _OPENERS.items() if start.startswith(mark)), None)


class _BoundedStream(io.RawIOBase):
    """A stream that is read up to a limit."""

    def __init__(self, stream: IO[bytes], max_bytes: int) -> None:
        self._stream, self._max_bytes, self._read = stream, max_bytes, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._read += len(data)
        if self._read > self._max_bytes:
            size = f"{self._max_bytes >> 20:,} MB"
            raise FileRefused(f"unpacks to more than {size}: unpack it yourself, and name that file")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


class _RecodedStream(io.RawIOBase):
    """A text in any encoding, as UTF-8; the declaration of XML says so, too."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, newline="")
        self._rest = re.sub(
            r"""^(\s*<\?xml[^>]*?\sencoding\s*=\s*)["'][\w.:-]+["']""", r'\1"UTF-8"', self._text.read(_START_BYTES)
        ).encode()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or self._text.read(_START_BYTES).encode()
        data, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._text.close()
        super().close()
