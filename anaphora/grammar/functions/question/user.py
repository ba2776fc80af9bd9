"""Functions on the user who asks. What is not known is null."""

from __future__ import annotations

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.question.dates import to_milliseconds
from anaphora.grammar.functions.registry import function


@function("user", examples=("user_id == 'ann'",))
def user_id(context: EntityContext) -> str:
    """The id of the user."""
    return context.question.user.id


@function("user", examples=("user_fname == 'Ann'",))
def user_fname(context: EntityContext) -> str | None:
    """The first name of the user."""
    return context.question.user.first_name


@function("user", examples=("user_lname == 'Lee'",))
def user_lname(context: EntityContext) -> str | None:
    """The last name of the user."""
    return context.question.user.last_name


@function("user", examples=("ends_with(user_email, '@example.com')",))
def user_email(context: EntityContext) -> str | None:
    """The e-mail address of the user."""
    return context.question.user.email


@function("user", examples=("!user_admin",))
def user_admin(context: EntityContext) -> bool:
    """Whether the user is an administrator."""
    return context.question.user.admin


@function("user", examples=("user_signup_tstamp < now",))
def user_signup_tstamp(context: EntityContext) -> int | None:
    """When the user signed up, in milliseconds since 1970."""
    signed_up = context.question.user.signed_up
    return None if signed_up is None else to_milliseconds(signed_up)
