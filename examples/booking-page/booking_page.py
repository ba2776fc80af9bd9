"""A booking bot with its own page: ``uvicorn --factory booking_page:app``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from anaphora import AsyncEngine, Engine

FOLDER = Path(__file__).parent


class Question(BaseModel):
    """What the page sends."""

    text: str = Field(max_length=1000)
    user: str = Field(min_length=8, max_length=100)  # a random id, which the page keeps


def create_app(engine: Engine) -> FastAPI:
    """Create the application around an engine, which it closes at the end."""
    bot = AsyncEngine(engine)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with bot:
            yield

    app = FastAPI(title="Salon", lifespan=lifespan)

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(FOLDER / "page.html")

    @app.post("/ask")
    async def ask(question: Question) -> dict[str, Any]:
        reply = await bot.ask(question.text, user=question.user)
        return {
            "text": reply.text,
            "status": reply.status,
            "buttons": list(reply.quick_replies),
            "slots": {name: slot.value for name, slot in reply.slots.items()},
        }

    return app


def app() -> FastAPI:
    """The application with conversations in a file: ``uvicorn --factory booking_page:app``."""
    return create_app(Engine(FOLDER / "salon.yaml", store=f"sqlite:///{FOLDER}/salon.db"))
