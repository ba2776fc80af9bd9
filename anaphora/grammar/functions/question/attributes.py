"""Functions that read one attribute of the question, the user, the company or the model.

An unknown attribute is null.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.question.dates import to_milliseconds
from anaphora.grammar.functions.registry import declare_attributes, function
from anaphora.grammar.values import BOOLEAN, TEXT, TEXT_OR_NULL


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
request_functions = declare_attributes("request", (
    ("req_id", TEXT_OR_NULL, "The id of the question.", "req_id == 'q-17'", "question.request.id"),
    ("req_text", TEXT, "The text of the question.", "starts_with(req_text, 'Flights')",
     "question.text"),
    ("req_normtext", TEXT,
     "The words of the question in lower case, with single blanks between them.",
     "req_normtext == 'flights to tokyo tomorrow morning'", "question.normal_text"),
    ("req_addr", TEXT_OR_NULL, "The address from which the question came.",
     "req_addr == '192.0.2.1'", "question.request.address"),
    ("req_agent", TEXT_OR_NULL, "The program that sent the question.",
     "contains(req_agent, 'Firefox')", "question.request.agent"),
), attrgetter)

user_functions = declare_attributes("user", (
    ("user_id", TEXT, "The id of the user.", "user_id == 'ann'", "question.user.id"),
    ("user_fname", TEXT_OR_NULL, "The first name of the user.", "user_fname == 'Ann'",
     "question.user.first_name"),
    ("user_lname", TEXT_OR_NULL, "The last name of the user.", "user_lname == 'Lee'",
     "question.user.last_name"),
    ("user_email", TEXT_OR_NULL, "The e-mail address of the user.",
     "ends_with(user_email, '@example.com')", "question.user.email"),
    ("user_admin", BOOLEAN, "Whether the user is an administrator.", "!user_admin",
     "question.user.admin"),
), attrgetter)

company_functions = declare_attributes("company", (
    ("comp_name", TEXT_OR_NULL, "The name of the company.", "comp_name == 'Acme Ltd'", "name"),
    ("comp_website", TEXT_OR_NULL, "The website of the company.", "comp_website == null",
     "website"),
    ("comp_country", TEXT_OR_NULL, "The country of the company.", "comp_country == 'Ireland'",
     "country"),
    ("comp_region", TEXT_OR_NULL, "The region of the company.", "comp_region == null", "region"),
    ("comp_city", TEXT_OR_NULL, "The city of the company.", "comp_city == 'Cork'", "city"),
    ("comp_addr", TEXT_OR_NULL, "The street address of the company.", "comp_addr == null",
     "address"),
    ("comp_postcode", TEXT_OR_NULL, "The postal code of the company.", "comp_postcode == null",
     "postcode"),
), _read_company)

model_functions = declare_attributes("model", (
    ("mdl_id", TEXT, "The id of the model.", "mdl_id == 'travel'", "question.model.id"),
    ("mdl_name", TEXT, "The name of the model.", "mdl_name == 'Travel'", "question.model.name"),
    ("mdl_ver", TEXT, "The version of the model.", "mdl_ver == '1.2.0'", "question.model.version"),
    ("mdl_origin", TEXT, "The origin that the model declares; an empty text if none.",
     "mdl_origin == ''", "question.model.origin"),
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
