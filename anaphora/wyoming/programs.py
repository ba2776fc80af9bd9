"""What a server describes itself as: two programs for each model, one that recognizes intents and
one that handles them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from wyoming.info import Attribution, HandleModel, HandleProgram, Info, IntentModel, IntentProgram

from anaphora.models.domain import Model
from anaphora.version import __version__
from anaphora.wyoming.answers import AnswerMode

__all__ = ["build_info", "name_programs"]

_ATTRIBUTION = Attribution(name="The Anaphora authors", url="")


def build_info(models: Sequence[Model], mode: AnswerMode) -> Info:
    """Build the answer to ``describe``. Clients use the first program, unless they select one.

    A server that answers all transcripts with intents handles none, and the other way round.
    """
    info = Info()
    for name, model in name_programs(models).items():
        program = _describe(name, __version__, model)
        described = {**_describe(model.id, model.version, model), "languages": [*model.languages]}
        if mode != "handled":
            info.intent.append(IntentProgram(**program, models=[IntentModel(**described)]))
        if mode != "intent":
            info.handle.append(HandleProgram(**program, models=[HandleModel(**described)]))
    return info


def name_programs(models: Sequence[Model]) -> dict[str, Model]:
    """Name the program of each model: by the name of the model, or by its id if that name is not
    its alone."""
    counted = Counter(name for model in models for name in {model.name, model.id})
    return {
        model.name if model.name and counted[model.name] == 1 else model.id: model
        for model in models
    }


def _describe(name: str, version: str, model: Model) -> dict[str, Any]:
    return {
        "name": name,
        "attribution": _ATTRIBUTION,
        "installed": True,
        "description": model.description or None,
        "version": version or None,
    }
