"""Bots of which dialogs are had."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphora import Engine
from tests.support.dialog_models import TRAINS, offer_trains

MakeTrains = Callable[..., Engine]


@pytest.fixture
def trains(bot: Callable[..., Engine]) -> MakeTrains:
    """Makes a bot that offers three trains, or so many at once."""
    return lambda at_once=3: offer_trains(bot(TRAINS), at_once=at_once)
