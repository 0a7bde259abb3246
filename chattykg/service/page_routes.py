"""The files of the chat page, which hold all that the page loads."""

from __future__ import annotations

import os
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PAGE_PATH = "/page/"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; trusted-types 'none'; "
    "require-trusted-types-for 'script'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
    "Vary": "Accept",
}
"""A browser may keep the files, but asks each time whether they changed: an update of the service is seen at once."""


class PageFiles(StaticFiles):
    """The files of the page; a browser gets them with the policy that allows them only."""

    def __init__(self) -> None:
        super().__init__(packages=[("chattykg.service", "page")])

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file, or 304 if the client has it."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers.update(_HEADERS)
        return response

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return the response to a request of a file.

        Raises:
            HTTPException: 404, there is no such file.
        """
        if not path.isprintable():
            raise HTTPException(404)
        return await super().get_response(path, scope)


PAGE = PageFiles()
