"""The values of the intent language: their kinds, their equality, and how messages show them.

A text is a ``str``, an integer an ``int`` (never a ``bool``), a number a ``float``, a list a
``tuple`` or ``list``, a map any ``Mapping``, an entity whatever looks like an ``EntityView``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeAlias

from anaphora.errors import EvaluationError

__all__ = [
    "ANYTHING",
    "MAX_LIST_LENGTH",
    "MAX_TEXT_LENGTH",
    "Kind",
    "Type",
    "check_length",
    "contains",
    "describe_type",
    "describe_value",
    "is_equal",
    "join_bounded",
    "kind_of",
    "sort_key",
    "to_language_value",
    "typed_key",
    "typed_keys",
]

MAX_TEXT_LENGTH = 1_000_000
MAX_LIST_LENGTH = 100_000
# Of all values that are compared at once, up to 1 µs each: it costs an expression next to nothing
# to hold a list in a list twice, and that one twice in another.
_MAX_COMPARED_PARTS = 250_000
_MAX_LIST_CHARACTERS = 10_000_000  # of the texts of a list: a list may hold a long one many times
_MAX_QUOTED_LENGTH = 60


class Kind(Enum):
    """What a value is; the member's value is its name in a message."""

    TEXT = "a text"
    INTEGER = "an integer"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    NULL = "null"
    LIST = "a list"
    MAP = "a map"
    ENTITY = "an entity"
    OBJECT = "an object"

    # Enum hashes its name on each call; kinds are keys of hot sets, and there is one of each.
    __hash__ = object.__hash__


Type: TypeAlias = frozenset[Kind]
"""The kinds that a value may turn out to have."""

ANYTHING: Type = frozenset(Kind)

_KIND_BY_CLASS = {
    str: Kind.TEXT,
    int: Kind.INTEGER,
    float: Kind.NUMBER,
    bool: Kind.BOOLEAN,
    type(None): Kind.NULL,
    list: Kind.LIST,
    tuple: Kind.LIST,
    dict: Kind.MAP,
}


def kind_of(value: object) -> Kind:
    """The kind of ``value``."""
    known = _KIND_BY_CLASS.get(type(value))
    if known is not None:
        return known
    for classes, kind in (
        (str, Kind.TEXT),
        (int, Kind.INTEGER),
        (float, Kind.NUMBER),
        ((list, tuple), Kind.LIST),
        (Mapping, Kind.MAP),
    ):
        if isinstance(value, classes):
            return kind
    if hasattr(value, "element") and hasattr(value, "groups"):
        return Kind.ENTITY
    return Kind.OBJECT


def is_equal(left: object, right: object) -> bool:
    """Whether the language holds the two for equal.

    Numbers compare by what they are worth, whether integer or not; a boolean is no number.
    Lists are equal when they hold the same elements in any order, and there ``1`` and ``1.0``
    are two things.
    """
    kind, other = kind_of(left), kind_of(right)
    if kind in _NUMERIC and other in _NUMERIC:
        return bool(left == right)
    if kind is not other:
        return False
    if kind is Kind.TEXT or kind is Kind.BOOLEAN:
        return left == right
    return typed_key(left) == typed_key(right)


def contains(items: Iterable[object], value: object) -> bool:
    """Whether ``value`` is one of ``items``; ``1`` is neither ``1.0`` nor ``true``.

    Raises EvaluationError where they have too many parts to be compared.
    """
    if type(value) is str:
        return value in items
    kind = kind_of(value)
    return typed_key(value) in typed_keys(item for item in items if kind_of(item) is kind)


def typed_key(value: object) -> Hashable:
    """A key that two values share only when they are of one kind and equal.

    Raises EvaluationError for a value of too many parts to be compared.
    """
    return next(typed_keys((value,)))


def typed_keys(values: Iterable[object]) -> Iterator[Hashable]:
    """The key of each value, as :func:`typed_key` makes it.

    Raises EvaluationError as soon as all of them together have too many parts.
    """
    left = [_MAX_COMPARED_PARTS]
    try:
        for value in values:
            yield _build_key(value, left)
    except RecursionError:
        raise EvaluationError("the values are nested too deeply to be compared") from None


def sort_key(value: Any) -> tuple[bool, Any]:
    """What to sort values of one kind by. NaN comes behind all numbers, as in Java; compared as it
    is it would leave the others in any order."""
    return value != value, value


def describe_value(value: object) -> str:
    """``value`` in the words of a message, shortened."""
    match kind_of(value):
        case Kind.TEXT:
            return f"the text '{_shorten(str(value))}'"
        case Kind.INTEGER if abs(value) < 10**30:  # type: ignore[arg-type]  # the kind says int
            return f"the integer {value}"
        case Kind.NUMBER:
            return f"the number {value}"
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.LIST:
            return f"a list of {len(value)}"  # type: ignore[arg-type]  # the kind says list
        case Kind.ENTITY:
            return f"the entity '{_shorten(str(getattr(value, 'element', '')))}'"
        case Kind.OBJECT:
            return f"an object of the class '{type(value).__name__}'"
        case Kind.INTEGER:
            return "a huge integer"
        case Kind.MAP:
            return f"a map of {len(value)}"  # type: ignore[arg-type]  # the kind says map
        case Kind.NULL:
            return "null"


def describe_type(kinds: Type) -> str:
    """``kinds`` in the words of a message: "a text, a list or a map"."""
    shown = kinds - {Kind.INTEGER} if Kind.NUMBER in kinds else kinds
    *others, last = [kind.value for kind in Kind if kind in shown]
    return f"{', '.join(others)} or {last}" if others else last


def to_language_value(value: object) -> Any:
    """``value`` as the language can hold it: a set from Python becomes a list."""
    if isinstance(value, set | frozenset):
        return tuple(sorted(value, key=str))
    return value


def check_length(value: Any) -> Any:
    """``value`` itself, if it is a text or a list that is not too long.

    Raises EvaluationError otherwise: no expression may use up the memory.
    """
    longest = MAX_TEXT_LENGTH if isinstance(value, str) else MAX_LIST_LENGTH
    if len(value) > longest:
        what = "text" if isinstance(value, str) else "list"
        raise EvaluationError(f"the result is a {what} of {len(value)}; {longest} is the most")
    if not isinstance(value, str):
        characters = sum(len(item) for item in value if isinstance(item, str))
        if characters > _MAX_LIST_CHARACTERS:
            raise EvaluationError(
                f"the texts of the list have {characters} characters: "
                f"more than {_MAX_LIST_CHARACTERS}"
            )
    return value


def join_bounded(pieces: Iterable[str]) -> str:
    """The pieces as one text; raises EvaluationError as soon as they are too long for one."""
    taken: list[str] = []
    length = 0
    for piece in pieces:
        taken.append(piece)
        length += len(piece)
        if length > MAX_TEXT_LENGTH:
            raise EvaluationError(f"the result is a text of more than {MAX_TEXT_LENGTH} characters")
    return "".join(taken)


_NUMERIC = frozenset({Kind.INTEGER, Kind.NUMBER})


def _build_key(value: Any, left: list[int]) -> Hashable:
    """A text, an integer and null are their own keys, which saves time and memory; all others
    stand beside their kind."""
    left[0] -= 1 + (len(value) >> 6 if isinstance(value, str) else 0)
    if left[0] < 0:
        raise EvaluationError(f"values of more than {_MAX_COMPARED_PARTS} parts cannot be compared")
    match kind_of(value):
        case Kind.TEXT | Kind.INTEGER | Kind.NULL:
            return value  # type: ignore[no-any-return]  # the kind says what it is
        case Kind.NUMBER if value != value:
            return Kind.NUMBER, object()  # not even equal to itself
        case Kind.NUMBER | Kind.BOOLEAN as kind:
            return kind, value
        case Kind.LIST:
            counts: dict[Hashable, int] = {}  # a Counter takes 2 µs to be made
            for item in value:
                key = _build_key(item, left)
                counts[key] = counts.get(key, 0) + 1
            return Kind.LIST, frozenset(counts.items())
        case Kind.MAP:
            items = value.items()
            return Kind.MAP, frozenset(
                (_build_key(key, left), _build_key(item, left)) for key, item in items
            )
        case Kind.OBJECT if isinstance(value, Hashable):
            return Kind.OBJECT, value
        case kind:
            return kind, id(value)


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED_LENGTH else text[: _MAX_QUOTED_LENGTH - 1] + "…"
