"""The values of the intent language: kinds, equality, and descriptions for messages.

A text is a ``str``, an integer an ``int`` (never a ``bool``), a number a ``float``, a list a
``tuple`` or ``list``, a map any ``Mapping``, an entity any object like an ``Entity``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeAlias

from anaphora.errors import EvaluationError

__all__ = [
    "ANYTHING",
    "BOOLEAN",
    "INTEGER",
    "LIST",
    "MAX_INT64",
    "MAX_LIST_LENGTH",
    "MAX_TEXT_LENGTH",
    "MIN_INT64",
    "NUMERIC",
    "NUMERIC_OR_NULL",
    "TEXT",
    "TEXT_OR_NULL",
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

MIN_INT64, MAX_INT64 = -(2**63), 2**63 - 1
MAX_TEXT_LENGTH = 1_000_000
MAX_LIST_LENGTH = 100_000
# In all values of one comparison, up to 1 µs each: nesting a list twice in a list, and that one
# twice in another, is cheap to write and grows exponentially.
_MAX_COMPARED_PARTS = 250_000
_MAX_LIST_CHARACTERS = 10_000_000  # in all texts of a list, which may repeat a long one
_MAX_QUOTED_LENGTH = 60


class Kind(Enum):
    """The kind of a value; the member's value is its name in messages."""

    TEXT = "a text"
    INTEGER = "an integer"
    NUMBER = "a number"
    BOOLEAN = "a boolean"
    NULL = "null"
    LIST = "a list"
    MAP = "a map"
    ENTITY = "an entity"
    OBJECT = "an object"

    # Enum hashes its name on each call; kinds are singletons and keys of hot sets.
    __hash__ = object.__hash__


Type: TypeAlias = frozenset[Kind]
"""The kinds that a value may have at run time."""

ANYTHING: Type = frozenset(Kind)
BOOLEAN: Type = frozenset({Kind.BOOLEAN})
INTEGER: Type = frozenset({Kind.INTEGER})
LIST: Type = frozenset({Kind.LIST})
NUMERIC: Type = frozenset({Kind.INTEGER, Kind.NUMBER})
NUMERIC_OR_NULL: Type = NUMERIC | {Kind.NULL}
TEXT: Type = frozenset({Kind.TEXT})
TEXT_OR_NULL: Type = frozenset({Kind.TEXT, Kind.NULL})

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
    """Whether two values are equal in the language.

    Integers and floats compare by value; a boolean is not a number. Lists are equal if they
    contain the same elements in any order; inside a list ``1`` and ``1.0`` differ.
    """
    kind, other = kind_of(left), kind_of(right)
    if kind in NUMERIC and other in NUMERIC:
        return bool(left == right)
    if kind is not other:
        return False
    if kind is Kind.TEXT or kind is Kind.BOOLEAN:
        return left == right
    return typed_key(left) == typed_key(right)


def contains(items: Iterable[object], value: object) -> bool:
    """Whether ``value`` is one of ``items``; ``1`` is neither ``1.0`` nor ``true``.

    Raises EvaluationError if there is too much to compare.
    """
    if type(value) is str:
        return value in items
    kind = kind_of(value)
    return typed_key(value) in typed_keys(item for item in items if kind_of(item) is kind)


def typed_key(value: object) -> Hashable:
    """A key that two values share only if they have the same kind and are equal.

    Raises EvaluationError for a value that is too large to compare.
    """
    return next(typed_keys((value,)))


def typed_keys(values: Iterable[object]) -> Iterator[Hashable]:
    """The :func:`typed_key` of each value.

    Raises EvaluationError as soon as the values are too large to compare.
    """
    left = [_MAX_COMPARED_PARTS]
    try:
        for value in values:
            yield _build_key(value, left)
    except RecursionError:
        raise EvaluationError("the values are nested too deeply to be compared") from None


def sort_key(value: Any) -> tuple[bool, Any]:
    """A sort key for values of one kind: NaN comes after all numbers, as in Java. A direct
    comparison with NaN would leave the list unsorted."""
    return value != value, value


def describe_value(value: object) -> str:
    """Describe a value for a message, shortened: "the text 'a'", "a list of 3"."""
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
    """Describe a type for a message: "a text, a list or a map"."""
    shown = kinds - {Kind.INTEGER} if Kind.NUMBER in kinds else kinds
    *others, last = [kind.value for kind in Kind if kind in shown]
    return f"{', '.join(others)} or {last}" if others else last


def to_language_value(value: object) -> Any:
    """Convert a Python value to one of the language: a set becomes a sorted list."""
    if isinstance(value, set | frozenset):
        return tuple(sorted(value, key=str))
    return value


def check_length(value: Any) -> Any:
    """``value``, a text or a list, if it is not too long.

    Raises EvaluationError otherwise, so that no expression can exhaust the memory.
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
    """Join texts; raises EvaluationError as soon as the result is too long."""
    taken: list[str] = []
    length = 0
    for piece in pieces:
        taken.append(piece)
        length += len(piece)
        if length > MAX_TEXT_LENGTH:
            raise EvaluationError(f"the result is a text of more than {MAX_TEXT_LENGTH} characters")
    return "".join(taken)


def _build_key(value: Any, left: list[int]) -> Hashable:
    """Texts, integers and null are their own keys, which saves time and memory; all other keys
    include the kind."""
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
