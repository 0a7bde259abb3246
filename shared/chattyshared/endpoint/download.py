"""RDF files behind a URL: fetched whole, once in a process, and loaded like files on the disk."""

from __future__ import annotations

import hashlib
import os
import time
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPException, HTTPResponse
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, build_opener

from chattyshared.endpoint.address import address
from chattyshared.endpoint.files import FORMATS
from chattyshared.errors import ConfigError

LARGEST = 2 << 30
"""Bytes of the largest file that is fetched."""
LONGEST = 1_800.0
"""Seconds that one file may take in all."""
_IDLE = 60.0
_CHUNK = 1 << 20
_ENDINGS = frozenset((*FORMATS, ".owl"))
_ACCEPTED = "text/turtle, application/n-triples, application/n-quads, application/trig, application/rdf+xml, */*;q=0.5"


def is_file_url(url: str) -> bool:
    """Tell whether a URL names an RDF file, by the end of its path; other URLs are those of SPARQL endpoints."""
    if not url.startswith(("http://", "https://")):
        return False
    try:
        name = PurePosixPath(urlsplit(url).path)
    except ValueError:
        return False
    return PurePosixPath(name.stem if name.suffix.lower() == ".gz" else name).suffix.lower() in _ENDINGS


def shown_url(url: str) -> str:
    """Return a URL without password and values of parameters."""
    return address(url).name


@cache
def fetch(url: str, cache_dir: Path | None = None, *, largest: int = LARGEST) -> Path:
    """Fetch a file and return where it lies: in ``cache_dir``, else in a folder that ends with the process.

    Raises:
        ConfigError: the server does not answer or refuses, it sends a page of HTML, or the file is too large.
    """
    name = shown_url(url)
    if address(url).user:
        raise ConfigError(f"{name}: files are fetched without a user and a password")
    folder = (cache_dir / "files" if cache_dir else _temporary()) / hashlib.sha256(url.encode()).hexdigest()[:16]
    request = Request(url.partition("#")[0].strip(), headers={"Accept": _ACCEPTED, "User-Agent": "chattykg"})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with build_opener().open(request, timeout=_IDLE) as response:
            if response.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
                raise ConfigError(f"{name}: the server sends a page of HTML, no RDF file")
            return _stored(response, folder / (unquote(PurePosixPath(urlsplit(url).path).name)), name, largest)
    except HTTPError as error:
        raise ConfigError(f"{name}: HTTP {error.code} ({error.reason}), cannot be fetched") from error
    except (OSError, HTTPException, ValueError) as error:
        raise ConfigError(f"{name}: cannot be fetched ({getattr(error, 'reason', None) or error})") from error


@cache
def _temporary() -> Path:
    _KEPT.append(TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True))
    return Path(_KEPT[-1].name)


_KEPT: list[TemporaryDirectory[str]] = []
"""Folders that are removed when the process ends."""


def _stored(response: HTTPResponse, path: Path, name: str, largest: int) -> Path:
    """Write a body to a file, which bears the server's time of change, so that a store made of it is found again."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    with partial.open("wb") as file:
        packed = _copy(response, file, name, largest)
    changed = response.headers.get("Last-Modified")
    if changed:
        seconds = parsedate_to_datetime(changed).timestamp()
        os.utime(partial, (seconds, seconds))
    if packed and path.suffix.lower() != ".gz":
        path = path.with_name(f"{path.name}.gz")
    return partial.replace(path)


def _copy(response: HTTPResponse, file: BinaryIO, name: str, largest: int) -> bool:
    """Copy a body within the bounds; tell whether it is a gzip file."""
    end, size, head = time.monotonic() + LONGEST, 0, b""
    while chunk := response.read1(_CHUNK):
        head = head or chunk[:2]
        size += len(chunk)
        if size > largest:
            raise ConfigError(f"{name}: is larger than {largest >> 20} MB")
        if time.monotonic() > end:
            raise ConfigError(f"{name}: takes longer than {LONGEST:.0f} s")
        file.write(chunk)
    if response.length:
        raise ConfigError(f"{name}: cannot be fetched (the connection broke off)")
    return head == b"\x1f\x8b"
