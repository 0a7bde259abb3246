"""RDF files behind a URL: fetched whole, once per process, and then read like local files."""

from __future__ import annotations

import hashlib
import os
import re
import time
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPException, HTTPResponse, IncompleteRead, responses
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPRedirectHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from chattyshared.endpoint.address import is_upgrade, parse_address, parse_origin, remove_parameters
from chattyshared.endpoint.packed_files import PACKED_ENDINGS
from chattyshared.endpoint.rdf_files import RDF_FORMATS
from chattyshared.errors import ConfigError
from chattyshared.http_client import PRODUCT, BoundedConnection, BoundedHandler, ReplyTooLarge, read_bounded
from chattyshared.redaction import make_redactor

MAX_FILE_BYTES = 2 << 30
"""Bytes of the largest file that is fetched, as sent."""
MAX_SECONDS = 1_800.0
"""Seconds that one file may take in total."""
_IDLE_SECONDS = 60.0
"""Seconds that a server may be silent."""
_CHUNK = 1 << 20
_FILE_ENDINGS = frozenset((*RDF_FORMATS, ".owl"))
_ACCEPT = "text/turtle, application/n-triples, application/n-quads, application/trig, application/rdf+xml, */*;q=0.5"


def is_file_url(url: str) -> bool:
    """Tell whether a URL names an RDF file, by the ending of its path; other URLs are SPARQL endpoints."""
    if not url.startswith(("http://", "https://")):
        return False
    try:
        name = PurePosixPath(urlsplit(url).path)
    except ValueError:
        return False
    return PurePosixPath(name.stem if name.suffix.lower() in PACKED_ENDINGS else name).suffix.lower() in _FILE_ENDINGS


def redact_url(url: str) -> str:
    """Return a URL without password and values of parameters."""
    return parse_address(url).name


@cache
def fetch_file(
    url: str, cache_dir: Path | None = None, *, max_bytes: int = MAX_FILE_BYTES, max_seconds: float = MAX_SECONDS
) -> Path:
    """Fetch a file and return its path: in ``cache_dir``, else in a temporary folder of the process.

    ``max_seconds`` are for redirects, headers and body together.

    Raises:
        ConfigError: the server does not answer, refuses, or sends an HTML page, or the file is too large.
    """
    name = redact_url(url)
    if parse_address(url).user:
        raise ConfigError(f"{name}: files are fetched without a user and a password")
    folder = (cache_dir / "files" if cache_dir else _temporary_folder()) / hashlib.sha256(url.encode()).hexdigest()[:16]
    request = Request(url.partition("#")[0].strip(), headers={"Accept": _ACCEPT, "User-Agent": PRODUCT})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _make_opener(time.monotonic() + max_seconds, _Redirects(url)).open(request) as response:
            if response.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
                raise ConfigError(f"{name}: the server sends a page of HTML, no RDF file")
            return _store(response, folder / _file_name(url), name, max_bytes)
    except HTTPError as error:
        error.close()
        status = f"{error.code} ({responses.get(error.code, 'unknown')})"
        raise ConfigError(f"{name}: HTTP {status}, cannot be fetched") from error
    except TimeoutError as error:
        raise ConfigError(f"{name}: cannot be fetched in time") from error
    except (OSError, HTTPException, ValueError) as error:
        redact = make_redactor(value for _, value in parse_address(url).private_parameters)
        reason = redact(str(getattr(error, "reason", None) or error))[:200]
        raise ConfigError(f"{name}: cannot be fetched ({reason})") from error


def _file_name(url: str) -> str:
    """Return the file name in a URL, without characters that separate paths."""
    return re.sub(r"[^\w.-]", "_", PurePosixPath(unquote(urlsplit(url).path)).name)[-100:]


class _Connection(BoundedConnection):
    """A connection with a deadline for the whole exchange and a limit for each pause of the server."""

    def remaining_seconds(self) -> float:
        return min(_IDLE_SECONDS, super().remaining_seconds())


class _Redirects(HTTPRedirectHandler):
    """Follows redirects; private parameters of the URL go only to its own origin."""

    def __init__(self, url: str) -> None:
        self._home, self._private = parse_origin(url), [name for name, _ in parse_address(url).private_parameters]
        self._has_left = False

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        """Return the next request."""
        origin = parse_origin(newurl)
        self._has_left |= origin != self._home and not is_upgrade(self._home, origin)
        if self._has_left:
            parts = urlsplit(newurl)
            newurl = urlunsplit((*parts[:3], remove_parameters(parts.query, self._private), ""))
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _make_opener(deadline: float, redirects: _Redirects) -> OpenerDirector:
    """Return an opener of HTTP URLs that follows redirects until ``end``, a time of the monotonic clock."""

    def connection(host: str, *, timeout: Any = None, **options: Any) -> _Connection:
        return _Connection(host, timeout=deadline - time.monotonic(), **options)

    bounded = BoundedHandler()
    bounded.connection_factory = connection
    opener = OpenerDirector()
    for handler in (ProxyHandler(), bounded, redirects, HTTPDefaultErrorHandler(), HTTPErrorProcessor()):
        opener.add_handler(handler)
    return opener


@cache
def _temporary_folder() -> Path:
    _TEMPORARY_FOLDERS.append(TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True))
    return Path(_TEMPORARY_FOLDERS[-1].name)


_TEMPORARY_FOLDERS: list[TemporaryDirectory[str]] = []
"""Folders that are removed at the end of the process."""


def _store(response: HTTPResponse, path: Path, name: str, max_bytes: int) -> Path:
    """Write a body to a file with the server's modification time, so that a store built from it stays up to date."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    with partial.open("wb") as file:
        _copy_body(response, file, name, max_bytes)
    last_modified = response.headers.get("Last-Modified")
    with suppress(ValueError, TypeError, OverflowError):
        seconds = parsedate_to_datetime(last_modified or "").timestamp()
        os.utime(partial, (seconds, seconds))
    return partial.replace(path)


def _copy_body(response: HTTPResponse, file: BinaryIO, name: str, max_bytes: int) -> None:
    """Copy a body of at most ``max_bytes``."""
    try:
        for chunk in read_bounded(response, max_bytes, chunk_size=_CHUNK):
            file.write(chunk)
    except ReplyTooLarge as error:
        raise ConfigError(f"{name}: is larger than {max_bytes >> 20} MB") from error
    except IncompleteRead as error:
        raise ConfigError(f"{name}: cannot be fetched (the connection broke off)") from error
