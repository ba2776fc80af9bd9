"""Arguments and options of the commands for agents."""

from __future__ import annotations

from typing import Annotated

from anaphora.cli.terminal import value_option

__all__ = ["ModelOption", "UrlOption", "WindowOption"]

UrlOption = Annotated[
    str | None,
    value_option(
        "URL",
        "The chat-completions endpoint, such as http://localhost:8080/v1. Its key, if it needs "
        "one, is in $OPENAI_API_KEY. Default: that of the file.",
    ),
]
ModelOption = Annotated[
    str | None, value_option("NAME", "The model at the endpoint. Default: that of the file.")
]
WindowOption = Annotated[
    int | None,
    value_option(
        "N", "The tokens that the model reads at most. Default: those of the file.", min=1
    ),
]
