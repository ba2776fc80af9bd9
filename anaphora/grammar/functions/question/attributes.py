"""Functions that read one attribute of the question, the user, the company or the model.

An unknown attribute is null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, TypeAlias

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.question.dates import to_milliseconds
from anaphora.grammar.functions.registry import Function, function
from anaphora.grammar.values import Kind, Type

_Row: TypeAlias = tuple[str, str, Type, str, str]
"""Name, path of the attribute, type, description and example."""

_TEXT: Type = frozenset({Kind.TEXT})
_TEXT_OR_NULL: Type = frozenset({Kind.TEXT, Kind.NULL})
_BOOLEAN: Type = frozenset({Kind.BOOLEAN})


def _declare(
    group: str, rows: Iterable[_Row], get_reader: Callable[[str], Callable[[EntityContext], Any]]
) -> tuple[Function, ...]:
    return tuple(
        Function(
            names=(name,),
            group=group,
            parameters=(),
            returns=returns,
            doc=doc,
            python=get_reader(path),
            takes_context=True,
            reads_entity=False,
            is_pure=False,
            examples=(example,),
        )
        for name, path, returns, doc, example in rows
    )


def _read_company(path: str) -> Callable[[EntityContext], str | None]:
    read = attrgetter(path)

    def read_attribute(context: EntityContext) -> str | None:
        company = context.question.user.company
        return None if company is None else read(company)

    return read_attribute


@function("company", examples=("comp_id == 'acme'",))
def comp_id(context: EntityContext) -> str | None:
    """The id of the company."""
    company = context.question.user.company
    return (company.id or None) if company else None


# fmt: off
request_functions = _declare("request", (
    ("req_id", "question.request.id", _TEXT_OR_NULL, "The id of the question.",
     "req_id == 'q-17'"),
    ("req_text", "question.text", _TEXT, "The text of the question.",
     "starts_with(req_text, 'Flights')"),
    ("req_normtext", "question.normal_text", _TEXT,
     "The words of the question in lower case, with single blanks between them.",
     "req_normtext == 'flights to tokyo tomorrow morning'"),
    ("req_addr", "question.request.address", _TEXT_OR_NULL,
     "The address from which the question came.", "req_addr == '192.0.2.1'"),
    ("req_agent", "question.request.agent", _TEXT_OR_NULL,
     "The program that sent the question.", "contains(req_agent, 'Firefox')"),
), attrgetter)

user_functions = _declare("user", (
    ("user_id", "question.user.id", _TEXT, "The id of the user.", "user_id == 'ann'"),
    ("user_fname", "question.user.first_name", _TEXT_OR_NULL, "The first name of the user.",
     "user_fname == 'Ann'"),
    ("user_lname", "question.user.last_name", _TEXT_OR_NULL, "The last name of the user.",
     "user_lname == 'Lee'"),
    ("user_email", "question.user.email", _TEXT_OR_NULL, "The e-mail address of the user.",
     "ends_with(user_email, '@example.com')"),
    ("user_admin", "question.user.admin", _BOOLEAN, "Whether the user is an administrator.",
     "!user_admin"),
), attrgetter)

company_functions = _declare("company", (
    ("comp_name", "name", _TEXT_OR_NULL, "The name of the company.", "comp_name == 'Acme Ltd'"),
    ("comp_website", "website", _TEXT_OR_NULL, "The website of the company.",
     "comp_website == null"),
    ("comp_country", "country", _TEXT_OR_NULL, "The country of the company.",
     "comp_country == 'Ireland'"),
    ("comp_region", "region", _TEXT_OR_NULL, "The region of the company.", "comp_region == null"),
    ("comp_city", "city", _TEXT_OR_NULL, "The city of the company.", "comp_city == 'Cork'"),
    ("comp_addr", "address", _TEXT_OR_NULL, "The street address of the company.",
     "comp_addr == null"),
    ("comp_postcode", "postcode", _TEXT_OR_NULL, "The postal code of the company.",
     "comp_postcode == null"),
), _read_company)

model_functions = _declare("model", (
    ("mdl_id", "question.model.id", _TEXT, "The id of the model.", "mdl_id == 'travel'"),
    ("mdl_name", "question.model.name", _TEXT, "The name of the model.", "mdl_name == 'Travel'"),
    ("mdl_ver", "question.model.version", _TEXT, "The version of the model.",
     "mdl_ver == '1.2.0'"),
    ("mdl_origin", "question.model.origin", _TEXT,
     "The origin that the model declares; an empty text if none.", "mdl_origin == ''"),
), attrgetter)
# fmt: on


@function("request", examples=("req_tstamp == now",))
def req_tstamp(context: EntityContext) -> int:
    """The time of the question, in milliseconds since 1970."""
    return to_milliseconds(context.question.at)


@function("user", examples=("user_signup_tstamp < now",))
def user_signup_tstamp(context: EntityContext) -> int | None:
    """The time when the user signed up, in milliseconds since 1970."""
    signed_up = context.question.user.signed_up
    return None if signed_up is None else to_milliseconds(signed_up)
