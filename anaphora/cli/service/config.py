"""``anaphora config``: show the effective settings of the service."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anaphora.cli.service.extras import SERVER_EXTRA, require_extra
from anaphora.cli.service.serve import ConfigOption

if TYPE_CHECKING:
    from anaphora.server.settings.loader import EffectiveSettings

__all__ = ["config"]

# redis://user:secret@host, ?password=secret, &sentinel_password=…; the host follows the last @.
_AUTHORITY = re.compile(r"(?P<begin>[^/]*://[^/?#:@]*:)(?P<secret>[^/?#]*)@")
_PARAMETER = re.compile(r"(?<=[?&_]password=)[^&#]*")
_MASK = "***"
_COLUMN = 36


def config(
    *,
    file: ConfigOption = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only check the settings: print nothing but mistakes.")
    ] = False,
) -> None:
    """Show the settings of 'anaphora serve' and where each comes from.

    The output is YAML for --config, except for the secrets, which are masked. The exit code is 2
    if there are mistakes.

    Example: ANAPHORA_PORT=80 anaphora config
    """
    with require_extra(*SERVER_EXTRA):
        from anaphora.server.settings.loader import read_settings

    effective = read_settings(file)
    if not check:
        for line in _format_settings(effective):
            typer.echo(line)


def _format_settings(effective: EffectiveSettings) -> Iterator[str]:
    for name, value in effective.settings.model_dump(mode="json").items():
        if isinstance(value, Mapping):
            yield f"{name}:"
            for key, inner in value.items():
                yield _format_line(f"  {key}: {_to_yaml(inner)}", effective, (name, key))
        elif name == "keys" and value:
            yield _format_line("keys:", effective, (name,))
            for index, key in enumerate(value):
                given = {part: value for part, value in key.items() if value not in (None, "")}
                text = f"  - {_to_yaml(given | {'hash': _MASK})}"
                yield _format_line(text, effective, (name, index))
        else:
            yield _format_line(f"{name}: {_to_yaml(value)}", effective, (name,))


def _format_line(text: str, effective: EffectiveSettings, path: tuple[str | int, ...]) -> str:
    origin = effective.origin(path)
    return f"{text:{_COLUMN}}  # {origin or 'default'}"


def _to_yaml(value: Any) -> str:
    """A value as YAML on one line, with passwords masked."""
    import yaml

    written = yaml.safe_dump(
        _mask_passwords(value),
        default_flow_style=True,
        sort_keys=False,
        allow_unicode=True,
        width=10**9,
    )
    return str(written).removesuffix("...\n").rstrip("\n")


def _mask_passwords(value: Any) -> Any:
    """The value with the passwords of its URLs masked."""
    if isinstance(value, list):
        return [_mask_passwords(item) for item in value]
    if not isinstance(value, str) or "://" not in value:
        return value
    match = _AUTHORITY.match(value)
    if match and match["secret"]:
        value = f"{match['begin']}{_MASK}{value[match.end('secret') :]}"
    return _PARAMETER.sub(_MASK, value)
