"""Functions on the question and what comes along with it. What is not known is null."""

from __future__ import annotations

from anaphora.grammar.context import Context
from anaphora.grammar.functions.dates import milliseconds
from anaphora.grammar.functions.registry import function


@function("request", examples=("req_id == 'q-17'",))
def req_id(context: Context) -> str | None:
    """The id of the question."""
    return context.surroundings.request.id


@function("request", examples=("starts_with(req_text, 'Flights')",))
def req_text(context: Context) -> str:
    """The text of the question."""
    return context.surroundings.text


@function("request", examples=("req_normtext == 'flights to tokyo tomorrow morning'",))
def req_normtext(context: Context) -> str:
    """The words of the question in lower case, with single blanks between them."""
    return context.surroundings.normal_text


@function("request", examples=("req_tstamp == now",))
def req_tstamp(context: Context) -> int:
    """When the question was asked, in milliseconds since 1970."""
    return milliseconds(context.surroundings.at)


@function("request", examples=("req_addr == '192.0.2.1'",))
def req_addr(context: Context) -> str | None:
    """The address from which the question came."""
    return context.surroundings.request.address


@function("request", examples=("contains(req_agent, 'Firefox')",))
def req_agent(context: Context) -> str | None:
    """The program with which the question was asked."""
    return context.surroundings.request.agent
