"""Write sentence templates as text."""

from __future__ import annotations

from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    ListReference,
    Permutation,
    RuleReference,
    Sequence,
    Text,
)

__all__ = ["format_sentence"]

_EMPTY = Sequence(())


def format_sentence(expression: Expression) -> str:
    """The text of a template, which parses to the same tree; white space may differ."""
    match expression:
        case Text(text):
            return _escape(text)
        case RuleReference(rule):
            return f"<{rule}>"
        case ListReference():
            slot = f"@{expression.slot}" if expression.capture else expression.slot
            is_named = slot == expression.list
            return f"{{{slot}}}" if is_named else f"{{{expression.list}:{slot}}}"
        case Sequence(items):
            return "".join(map(format_sentence, items))
        case Alternative((*items, last)) if last == _EMPTY:
            return f"[{'|'.join(map(format_sentence, items))}]"
        case Alternative(items):
            return f"({'|'.join(map(format_sentence, items))})"
        case Permutation(items):
            return f"({';'.join(map(format_sentence, items))})"
    raise TypeError(expression)  # pragma: no cover


def _escape(text: str) -> str:
    return "".join(f"\\{one}" if one in "\\()[]{}<>|;" else one for one in text)
