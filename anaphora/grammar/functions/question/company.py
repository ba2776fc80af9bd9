"""Functions on the company of the user. Without a company, and for what is not known, null."""

from __future__ import annotations

from anaphora.core.request import Company
from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.registry import function

_NONE = Company("")


@function("company", examples=("comp_id == 'acme'",))
def comp_id(context: EntityContext) -> str | None:
    """The id of the company."""
    return _company(context).id or None


@function("company", examples=("comp_name == 'Acme Ltd'",))
def comp_name(context: EntityContext) -> str | None:
    """The name of the company."""
    return _company(context).name


@function("company", examples=("comp_website == null",))
def comp_website(context: EntityContext) -> str | None:
    """The web site of the company."""
    return _company(context).website


@function("company", examples=("comp_country == 'Ireland'",))
def comp_country(context: EntityContext) -> str | None:
    """The country of the company."""
    return _company(context).country


@function("company", examples=("comp_region == null",))
def comp_region(context: EntityContext) -> str | None:
    """The region of the company."""
    return _company(context).region


@function("company", examples=("comp_city == 'Cork'",))
def comp_city(context: EntityContext) -> str | None:
    """The city of the company."""
    return _company(context).city


@function("company", examples=("comp_addr == null",))
def comp_addr(context: EntityContext) -> str | None:
    """The street address of the company."""
    return _company(context).address


@function("company", examples=("comp_postcode == null",))
def comp_postcode(context: EntityContext) -> str | None:
    """The postal code of the company."""
    return _company(context).postcode


def _company(context: EntityContext) -> Company:
    return context.question.user.company or _NONE
