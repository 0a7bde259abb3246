"""The routes of the chat page: its document and its files, which hold all that the page loads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, HTTPException, Request, Response

PAGE_PATH = "/page/"
_INDEX = "index.html"
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; trusted-types 'none'; require-trusted-types-for 'script'"
)
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""Media types by suffix; a file of another suffix is not served."""
_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Vary": "Accept",
}
"""A browser may keep the files, but asks each time whether they changed: an update of the service is seen at once."""
router = APIRouter()


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page, its media type, and its entity tag."""

    content: bytes
    media_type: str
    etag: str


@lru_cache(maxsize=1)
def load_page_files() -> Mapping[str, PageFile]:
    """Return the files of the page by path; nothing else can be requested."""
    return dict(_read_folder(files("chattykg.service").joinpath("page"), ""))


def _read_folder(folder: Traversable, prefix: str) -> Iterator[tuple[str, PageFile]]:
    for entry in folder.iterdir():
        suffix = f".{entry.name.rpartition('.')[2]}"
        if entry.is_dir():
            yield from _read_folder(entry, f"{prefix}{entry.name}/")
        elif suffix in _MEDIA_TYPES:
            content = entry.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
            yield f"{prefix}{entry.name}", PageFile(content, _MEDIA_TYPES[suffix], etag)


def page_response(request: Request, path: str = _INDEX) -> Response:
    """Return a file of the page, or 304 if the client has it.

    Raises:
        HTTPException: 404, there is no such file.
    """
    file = load_page_files().get(path)
    if file is None:
        raise HTTPException(404, "the chat page has no such file")
    headers = {**_HEADERS, "ETag": file.etag}
    if file.etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.media_type)


@router.get(PAGE_PATH + "{path:path}", response_model=None)
async def page_file(request: Request, path: str) -> Response:
    """Return a file of the chat page."""
    return page_response(request, path)
