"""RDF files behind a URL: fetched whole, once per process, and then read like local files."""

from __future__ import annotations

import hashlib
import os
import re
from functools import cache
from http.client import HTTPException, HTTPResponse, IncompleteRead, responses
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlsplit

from chattyshared.endpoint.address import parse_address
from chattyshared.endpoint.packed_files import PACKED_ENDINGS
from chattyshared.endpoint.rdf_files import RDF_FORMATS
from chattyshared.errors import ConfigError
from chattyshared.http_client import PRODUCT, HttpClient, ReplyTooLarge, read_bounded
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
    address, name = parse_address(url), redact_url(url)
    if address.user:
        raise ConfigError(f"{name}: files are fetched without a user and a password")
    parent = cache_dir / "files" if cache_dir else Path(_temporary_folder().name)
    folder = parent / hashlib.sha256(url.encode()).hexdigest()[:16]
    private = dict(address.private_parameters)
    client = HttpClient(timeout=max_seconds, max_bytes=max_bytes, private=private, pause=_IDLE_SECONDS)
    headers = {"Accept": _ACCEPT, "User-Agent": PRODUCT}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with client.open(url.partition("#")[0].strip(), headers) as (response, _):
            if response.status != 200:  # also a part of a file
                reason = responses.get(response.status, "unknown")
                raise ConfigError(f"{name}: HTTP {response.status} ({reason}), cannot be fetched")
            if response.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
                raise ConfigError(f"{name}: the server sends a page of HTML, no RDF file")
            return _store(response, folder / _file_name(url), max_bytes)
    except ReplyTooLarge as error:
        raise ConfigError(f"{name}: is larger than {max_bytes >> 20} MB") from error
    except IncompleteRead as error:
        raise ConfigError(f"{name}: cannot be fetched (the connection broke off)") from error
    except TimeoutError as error:
        raise ConfigError(f"{name}: cannot be fetched in time") from error
    except (OSError, HTTPException, ValueError) as error:
        reason = make_redactor(private.values())(str(error))[:200]
        raise ConfigError(f"{name}: cannot be fetched ({reason})") from error
    finally:
        client.close()


def _file_name(url: str) -> str:
    """Return the file name in a URL, without characters that separate paths."""
    return re.sub(r"[^\w.-]", "_", PurePosixPath(unquote(urlsplit(url).path)).name)[-100:]


@cache
def _temporary_folder() -> TemporaryDirectory[str]:
    """Return a folder that is removed at the end of the process."""
    return TemporaryDirectory(prefix="chatty-", ignore_cleanup_errors=True)


def _store(response: HTTPResponse, path: Path, max_bytes: int) -> Path:
    """Write a body to a file, whole or not at all."""
    if (response.length or 0) > max_bytes:
        raise ReplyTooLarge
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            for chunk in read_bounded(response, max_bytes, chunk_size=_CHUNK):
                file.write(chunk)
        return partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
