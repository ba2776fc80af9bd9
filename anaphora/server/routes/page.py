"""The page at ``/`` and its files: only those of the package, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from anaphora.server.problems import ProblemError

__all__ = ["PAGE_FOLDER", "page_router"]

PAGE_FOLDER = Path(__file__).parent.parent / "page"

_CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class _File:
    body: bytes
    content_type: str
    etag: str


def page_router(folder: Path = PAGE_FOLDER, *, reload: bool = False) -> APIRouter:
    """Create the router that serves the files of ``folder``. They are read once, or at every
    request if ``reload`` is set."""
    router = APIRouter(include_in_schema=False)
    kept = _load_files(folder)

    def file(name: str, request: Request) -> Response:
        found = (_load_files(folder) if reload else kept).get(name)
        if found is None:
            raise ProblemError("not-found")
        headers = {**_HEADERS, "ETag": found.etag}
        if request.headers.get("if-none-match") == found.etag:
            return Response(status_code=304, headers=headers)
        return Response(found.body, headers={**headers, "Content-Type": found.content_type})

    @router.get("/")
    async def index(request: Request) -> Response:
        return file("index.html", request)

    @router.get("/page/{name:path}")
    async def part(request: Request, name: str) -> Response:
        return file(name, request)

    return router


def _load_files(folder: Path) -> Mapping[str, _File]:
    return {
        path.relative_to(folder).as_posix(): _load_file(path)
        for path in folder.rglob("*")
        if path.suffix in _CONTENT_TYPES and path.is_file() and not path.is_symlink()
    }


def _load_file(path: Path) -> _File:
    body = path.read_bytes()
    return _File(body, _CONTENT_TYPES[path.suffix], f'"{sha256(body).hexdigest()[:32]}"')
