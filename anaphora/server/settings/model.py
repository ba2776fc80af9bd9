"""The settings of the service: their fields, allowed values and defaults.

A :class:`Settings` is a plain value: creating one reads neither files nor the environment
(:func:`anaphora.server.settings.loader.load_settings` does).
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from anaphora.ltm.factory import MemoryConfig, check_embedder, check_summarizer
from anaphora.models.schema.durations import parse_duration

__all__ = [
    "ChatModelSettings",
    "KeyScope",
    "KeySettings",
    "LogSettings",
    "MemorySettings",
    "Settings",
    "TracingSettings",
]

KeyScope: TypeAlias = Literal["ask", "read", "write", "admin"]
_KEY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,63}")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_RATE = re.compile(r"[1-9][0-9]{0,8} ?/ ?([1-9][0-9]{0,5} )?(second|minute|hour|day)s?")
_ORIGIN = re.compile(r"\*|https?://[^/?#\s]+")
_ENDPOINT = re.compile(r"https?://\S+")


def _match_pattern(pattern: re.Pattern[str], what: str) -> AfterValidator:
    """Require a text to match ``pattern``, which ``what`` describes."""

    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(f"expected {what}")
        return text

    return AfterValidator(check)


def _to_utc(time: datetime) -> datetime:
    """Convert ``time`` to UTC; a time without a zone is in UTC."""
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _remove_duplicates(scopes: tuple[KeyScope, ...]) -> tuple[KeyScope, ...]:
    return tuple(dict.fromkeys(scopes))


def _check_network(text: str) -> str:
    try:
        if text != "*":
            ip_network(text)
    except ValueError:
        raise ValueError("expected an address such as 10.0.0.7, 10.0.0.0/8 or *") from None
    return text


def _strip_trailing_slash(text: str) -> str:
    if text and not text.startswith("/"):
        raise ValueError("expected a path that begins with /")
    return text.rstrip("/")


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


LogLevel: TypeAlias = Annotated[
    Literal["debug", "info", "warning", "error"],
    BeforeValidator(_lower),  # the standard library writes DEBUG
]
_Rate: TypeAlias = Annotated[str, _match_pattern(_RATE, "a rate such as 100/minute or 5000/day")]
_Endpoint: TypeAlias = Annotated[
    str, _match_pattern(_ENDPOINT, "a URL that begins with http:// or https://")
]
_Origin: TypeAlias = Annotated[
    str, _match_pattern(_ORIGIN, "an origin such as https://example.org (without a path) or *")
]


class _SettingsSection(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeySettings(_SettingsSection):
    """An API key in the settings; ``anaphora key`` generates one."""

    id: Annotated[str, _match_pattern(_KEY_ID, "letters, digits, '.' and '-'")] = Field(
        description="The name of the key in logs and metrics."
    )
    hash: Annotated[str, _match_pattern(_HASH, "sha256: and 64 hexadecimal digits")] = Field(
        description="The SHA-256 hash of the whole key: sha256:HEX."
    )
    tenant: str = Field(default="", description="The tenant of its users.")
    scopes: Annotated[tuple[KeyScope, ...], AfterValidator(_remove_duplicates)] = Field(
        min_length=1, description="Its permissions."
    )
    user: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="The only user that it may act for."
    )
    rate: _Rate | None = Field(default=None, description="Its rate limit.")
    expires: Annotated[datetime, AfterValidator(_to_utc)] | None = Field(
        default=None, description="When it expires."
    )


class LogSettings(_SettingsSection):
    """Log settings."""

    level: LogLevel = Field(default="info", description="The lowest level that is logged.")
    format: Literal["auto", "json", "console"] = Field(
        default="auto",
        description="json, console (for people), or auto: console on a terminal, else json.",
    )
    texts: bool = Field(default=False, description="Log the texts of questions.")


def _check_duration(text: str) -> str:
    parse_duration(text)
    return text


class MemorySettings(_SettingsSection):
    """Settings of the long-term memory."""

    url: Annotated[str, Field(min_length=1)] | None = Field(
        default=None,
        description="The store: sqlite:///FILE, postgresql://HOST/DATABASE or memory:. Default: no "
        "long-term memory.",
    )
    summarizer: Annotated[str, AfterValidator(check_summarizer)] = Field(
        default="extractive",
        description="Summarizes long histories: extractive, cut, bart, bart:FOLDER, none, or "
        "the URL of a chat-completions endpoint with #MODEL.",
    )
    embedder: Annotated[str, AfterValidator(check_embedder)] = Field(
        default="none",
        description="Searches by meaning: none, minilm or sentence-transformers:FOLDER.",
    )
    token_vectors: bool = Field(
        default=True,
        description="Whether minilm also stores vectors of tokens, by which searches are better.",
    )
    max_words: int = Field(
        default=1_000, ge=1, description="The number of words above which a history is summarized."
    )
    max_exchanges: int = Field(
        default=2_000, ge=1, description="The maximum number of exchanges of a history."
    )
    retention: Annotated[str, AfterValidator(_check_duration)] | None = Field(
        default=None, description="How long exchanges are kept, such as 90d."
    )
    journal: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="The folder for exchanges that wait to be stored."
    )

    @model_validator(mode="after")
    def _check_url(self) -> MemorySettings:
        fields = type(self).model_fields.items()
        others = [name for name, field in fields if getattr(self, name) != field.default]
        if self.url is None and others:
            raise ValueError(f"{others[0]} needs a url; write one, such as sqlite:///memory.db")
        return self

    def to_config(self) -> MemoryConfig | None:
        """Return the configuration of the long-term memory; None without one."""
        if self.url is None:
            return None
        return MemoryConfig(
            self.url,
            summarizer=self.summarizer,
            embedder=self.embedder,
            token_vectors=self.token_vectors,
            max_words=self.max_words,
            max_exchanges=self.max_exchanges,
            retention=None if self.retention is None else parse_duration(self.retention),
            journal=None if self.journal is None else Path(self.journal),
        )


class ChatModelSettings(_SettingsSection):
    """The language model of the agents, in place of the one that their files name."""

    url: _Endpoint | None = Field(
        default=None, description="A chat-completions endpoint: http://localhost:8000/v1."
    )
    name: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="The model at the endpoint."
    )
    window: int | None = Field(
        default=None, ge=1_024, description="The tokens that it reads at most."
    )


class TracingSettings(_SettingsSection):
    """Tracing settings."""

    endpoint: _Endpoint | None = Field(
        default=None, description="An OTLP collector: http://localhost:4318/v1/traces."
    )
    service: str = Field(default="anaphora", min_length=1, description="The name of the service.")


class Settings(BaseSettings):
    """The settings of the service."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        case_sensitive=True,  # else files could write 'Port', which is hard to find
        env_prefix="ANAPHORA_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
    )

    models: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("weather",),
        min_length=1,
        description="Model files or names of bundled models; the first is the default.",
    )
    store: str = Field(
        default="memory:",
        min_length=1,
        description="The store of conversations: memory:, sqlite:///FILE, redis://HOST, "
        "redis+cluster://HOST,HOST, redis+sentinel://HOST,HOST/SERVICE.",
    )
    host: str = Field(default="127.0.0.1", min_length=1, description="The address to listen on.")
    port: int = Field(default=8080, ge=0, le=65_535, description="The port; 0 picks a free one.")
    workers: int = Field(default=1, ge=1, le=256, description="The number of worker processes.")
    threads: int = Field(
        default=32, ge=1, le=1_000, description="Questions that a worker answers at the same time."
    )
    keys: Annotated[tuple[KeySettings, ...], NoDecode] = Field(
        default=(), description="The keys of the API; without keys, everyone may do everything."
    )
    open: bool = Field(
        default=False, description="Serve other machines although there are no keys."
    )
    cors: Annotated[tuple[_Origin, ...], NoDecode] = Field(
        default=(), description="Origins whose pages may call the API."
    )
    max_body: int = Field(
        default=65_536, ge=1, le=1 << 30, description="The maximum bytes of a request body."
    )
    max_connections: int = Field(
        default=1_000, ge=1, le=1_000_000, description="The maximum connections of a worker."
    )
    page: bool = Field(default=True, description="Serve the page at /.")
    nlpcraft: bool = Field(default=True, description="Serve NLPCraft's API at /nlpcraft/api/v1.")
    default_rate: _Rate | None = Field(
        default=None, description="The rate limit of keys that have none."
    )
    trusted_proxies: Annotated[
        tuple[Annotated[str, AfterValidator(_check_network)], ...], NoDecode
    ] = Field(default=(), description="The proxies whose X-Forwarded-For is trusted.")
    root_path: Annotated[str, AfterValidator(_strip_trailing_slash)] = Field(
        default="", description="The path under which a proxy serves the service."
    )
    shutdown_grace: float = Field(
        default=20, ge=0, le=3_600, description="Seconds to finish requests at a shutdown."
    )
    reload: bool = Field(default=False, description="Reload model files when they change.")
    cache: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="A folder that caches compiled models for the next start."
    )
    agents: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Agent files or names of bundled agents."
    )
    agent_threads: int = Field(
        default=32,
        ge=1,
        le=1_000,
        description="Events that the agents of a worker process at the same time.",
    )
    fallback: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="The name of the agent that answers what no intent fits."
    )
    chat_model: ChatModelSettings = ChatModelSettings()
    memory: MemorySettings = MemorySettings()
    log: LogSettings = LogSettings()
    tracing: TracingSettings = TracingSettings()

    @model_validator(mode="after")
    def _check_key_ids(self) -> Settings:
        counted = Counter(key.id for key in self.keys)
        if twice := next((id for id, times in counted.items() if times > 1), None):
            raise ValueError(f"two keys have the id '{twice}'")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_: Any,
        **__: Any,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)
