"""Dialogs as transcripts: what the user says, and what the bot makes of it.

    > the second one
    buy? line=Heron, asks for seats
    offers: nothing
    > two
    buy line=Heron seats=2
    remembers: line=Heron, number=2, find, city=Bonn

A line after ``>`` is said by the user. The next one tells the intent (with ``?`` if the question
waits for more) and its slots that have values. The others are checked where they are written:
what the bot ``says``, what it ``remembers`` (newest first, ``*`` after what the bot told), what it
``offers``, and part of its ``notes`` (why).
"""

from __future__ import annotations

from textwrap import dedent

from anaphora import Engine, Reply

__all__ = ["check_dialog", "check_ignored", "describe_turn", "texts_of"]


def check_dialog(engine: Engine, transcript: str, user: str = "user") -> None:
    """Have the dialog, and compare each turn with the transcript."""
    lines = [line.strip() for line in dedent(transcript).strip().splitlines() if line.strip()]
    said: list[str] = []
    for line in lines:
        if line.startswith("> "):
            said.append(line)
            turn = describe_turn(engine, line[2:], user)
            continue
        key, colon, expected = line.partition(": ")
        key, expected = (key, expected) if colon and key in turn else ("", line)
        matches = expected in turn[key] if key == "notes" else expected == turn[key]
        assert matches, "\n".join((*said, f"expected {line}", *map(": ".join, turn.items())))


def check_ignored(engine: Engine, question: str, said: str, understood: str) -> None:
    """Ask ``question``, and check that what is said then leaves the memory and the offers alone."""
    before, after = describe_turn(engine, question), describe_turn(engine, said)
    assert after[""] == understood
    assert (after["remembers"], after["offers"]) == (before["remembers"], before["offers"])


def texts_of(engine: Engine, *lines: str) -> list[str]:
    """What the bot says to each line."""
    return [engine.ask(line).text.strip() for line in lines]


def describe_turn(engine: Engine, text: str, user: str = "user") -> dict[str, str]:
    """Say ``text``, and describe what the bot makes of it."""
    reply = engine.ask(text, user=user, explain=True)
    assert reply.explanation is not None
    conversation = engine.conversation(user=user)
    table = conversation.open_offers.bundles if conversation.open_offers else ()
    return {
        "": _describe_reply(reply),
        "says": reply.text,
        "remembers": ", ".join(
            f"{held.entity}{'*' * (held.by == 'bot')}" for held in conversation.remembered
        ),
        "offers": " | ".join(", ".join(map(str, bundle)) for bundle in table) or "nothing",
        "notes": "; ".join(reply.explanation.notes),
    }


def _describe_reply(reply: Reply) -> str:
    intent = reply.intent or reply.status
    if reply.intent and reply.status != "matched":
        intent += "?"
    slots = [
        f"{name}={'+'.join(entity.value_or_text for entity in slot.entities)}"
        for name, slot in reply.slots.items()
        if any(entity.value is not None for entity in slot.entities)
    ]
    understood = " ".join((intent, *slots))
    return f"{understood}, asks for {', '.join(reply.missing)}" if reply.missing else understood
