"""A home: the areas, floors and devices that sentences name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from anaphora.frozen import EMPTY, FrozenDict
from anaphora.grammar.sentences.normalization import normalize_text
from anaphora.grammar.sentences.parser import is_template, parse_sentence
from anaphora.grammar.sentences.syntax import Text
from anaphora.models.hassil.collection import SlotList, TextList, TextValue

__all__ = ["Area", "Device", "Floor", "Home"]


@dataclass(frozen=True, slots=True)
class Floor:
    """A floor. ``aliases`` are its other names; names may be templates."""

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Area:
    """A room or another area, on a ``floor`` ('' if that is not known)."""

    name: str
    aliases: tuple[str, ...] = ()
    floor: str = ""


@dataclass(frozen=True, slots=True)
class Device:
    """A device, or anything else of a home that has a name: a scene, a sensor, a list.

    ``domain`` is that of Home Assistant (light, cover), ``area`` where it is. ``context`` is what
    else sentences may require of it.
    """

    name: str
    domain: str = ""
    aliases: tuple[str, ...] = ()
    area: str = ""
    context: Mapping[str, Any] = field(default_factory=FrozenDict)


@dataclass(frozen=True, slots=True)
class Home:
    """The areas, floors and devices of a home."""

    areas: tuple[Area, ...] = ()
    floors: tuple[Floor, ...] = ()
    devices: tuple[Device, ...] = ()

    def to_lists(self) -> dict[str, SlotList]:
        """The lists ``area``, ``floor`` and ``name`` of sentences.

        Raises :class:`GrammarError` for a name that is a broken template.
        """
        return {
            "area": _to_list(
                _values(one, metadata={"floor": one.floor} if one.floor else {})
                for one in self.areas
            ),
            "floor": _to_list(_values(one) for one in self.floors),
            "name": _to_list(
                _values(one, _context(one), {"area": one.area} if one.area else {})
                for one in self.devices
            ),
        }


def _context(device: Device) -> FrozenDict:
    known = {"domain": device.domain} if device.domain else {}
    return FrozenDict({**known, **device.context})


def _values(
    named: Area | Floor | Device,
    context: FrozenDict = EMPTY,
    metadata: Mapping[str, Any] = EMPTY,
) -> Iterator[TextValue]:
    for text in dict.fromkeys((named.name, *named.aliases)):
        phrase = parse_sentence(text) if is_template(text) else Text(normalize_text(text))
        yield TextValue(phrase, named.name, context, FrozenDict(metadata))


def _to_list(values: Iterable[Iterable[TextValue]]) -> TextList:
    return TextList(tuple(chain.from_iterable(values)))
