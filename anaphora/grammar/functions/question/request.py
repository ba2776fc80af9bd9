"""Functions on the question and what comes along with it. What is not known is null."""

from __future__ import annotations

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.question.dates import to_milliseconds
from anaphora.grammar.functions.registry import function


@function("request", examples=("req_id == 'q-17'",))
def req_id(context: EntityContext) -> str | None:
    """The id of the question."""
    return context.question.request.id


@function("request", examples=("starts_with(req_text, 'Flights')",))
def req_text(context: EntityContext) -> str:
    """The text of the question."""
    return context.question.text


@function("request", examples=("req_normtext == 'flights to tokyo tomorrow morning'",))
def req_normtext(context: EntityContext) -> str:
    """The words of the question in lower case, with single blanks between them."""
    return context.question.normal_text


@function("request", examples=("req_tstamp == now",))
def req_tstamp(context: EntityContext) -> int:
    """When the question was asked, in milliseconds since 1970."""
    return to_milliseconds(context.question.at)


@function("request", examples=("req_addr == '192.0.2.1'",))
def req_addr(context: EntityContext) -> str | None:
    """The address from which the question came."""
    return context.question.request.address


@function("request", examples=("contains(req_agent, 'Firefox')",))
def req_agent(context: EntityContext) -> str | None:
    """The program with which the question was asked."""
    return context.question.request.agent
