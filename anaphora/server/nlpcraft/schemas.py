"""The request and response bodies of NLPCraft's API.

Unknown request fields are ignored, as NLPCraft does. Responses are encoded from plain data; their
models only describe them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

__all__ = [
    "Ask",
    "Cancel",
    "Check",
    "Clear",
    "EnlistedAnswer",
    "NlpcraftFailure",
    "OkAnswer",
    "SignIn",
    "SignedAnswer",
    "StateAnswer",
    "StatesAnswer",
    "Token",
    "UserBody",
]


class _Body(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, strict=True, frozen=True
    )


_Id = Annotated[str, Field(min_length=1, max_length=64)]
_UserText = Annotated[str, Field(min_length=1, max_length=256)]
_UserNumber = Annotated[int, Field(ge=-(2**63), lt=2**63)]
_Model = Annotated[
    str,
    Field(min_length=1, max_length=32, description="The id of a model.", examples=["weather"]),
]
_Questions = Annotated[
    list[_Id],
    Field(max_length=1_000, description="Which questions. Left out: all of the user."),
]


class Token(_Body):
    """Who asks."""

    acs_tok: str = Field(
        default="",
        max_length=512,
        description="The key of the API; only a service without keys does without.",
        examples=["ana_shop_…"],
    )


class UserBody(Token):
    """Who asks, and for which user."""

    usr_id: _UserText | _UserNumber | None = Field(
        default=None,
        description="A number or a text. Left out: the user of the key, else the key's id.",
        examples=[7],
    )
    usr_ext_id: _UserText | None = Field(
        default=None, description="The same; with both, they have to be equal."
    )


class Ask(UserBody):
    """A question."""

    txt: str = Field(
        min_length=1,
        max_length=1_024,
        description="What the user says.",
        examples=["What is the weather in Tokyo today?"],
    )
    mdl_id: _Model
    data: dict[str, Any] | None = Field(
        default=None, description="What predicates may read with `meta_req('key')`."
    )
    enable_log: bool | None = Field(
        default=None, description="Whether `logHolder` is to tell how the answer came about."
    )


class Check(UserBody):
    """Whose states are asked for."""

    srv_req_ids: _Questions | None = None
    max_rows: Annotated[int, Field(ge=1, lt=2**31)] | None = Field(
        default=None, description="How many states at most, newest first."
    )


class Cancel(UserBody):
    """Which questions are not wanted any more."""

    srv_req_ids: _Questions | None = None


class Clear(UserBody):
    """Whose conversation with which model."""

    mdl_id: _Model


class SignIn(_Body):
    """A key, as a password."""

    email: str = Field(
        min_length=1, max_length=256, description="Not looked at: the key says who it is."
    )
    passwd: str = Field(min_length=1, max_length=512, description="The key of the API.")


class OkAnswer(_Body):
    """That all went well."""

    status: Literal["API_OK"]


class SignedAnswer(OkAnswer):
    """The key that was sent."""

    acs_tok: str


class EnlistedAnswer(OkAnswer):
    """The id of a question that will be answered."""

    srv_req_id: str


class QuestionState(_Body):
    """A question and what has become of it. What it does not have is left out."""

    srv_req_id: str
    usr_id: int | str
    mdl_id: str
    probe_id: str = Field(description="The worker that answers it.")
    txt: str
    status: Literal["QRY_ENLISTED", "QRY_READY"]
    create_tstamp: int = Field(description="Milliseconds since 1970.")
    update_tstamp: int
    res_type: Literal["text", "json"] = Field(
        default="text", description="Of what kind the result is, if there is one."
    )
    res_body: Any = Field(default=None, description="The text, or the data.")
    res_meta: dict[str, Any] = Field(
        default={}, description="The `status`, `slots`, `missing` and `memory` of the reply."
    )
    error: str = Field(default="", description="Why there is no result, if there is none.")
    error_code: Literal[1, 100, 101, 102] = Field(
        default=1,
        description="1: rejected; 100: the bot failed; 101: the result is too big; 102: the "
        "service failed.",
    )
    intent_id: str = Field(default="", description="The intent that answered.")
    log_holder: dict[str, Any] = Field(default={}, description="The explanation.")


class StateAnswer(OkAnswer):
    """A question that is ready."""

    state: QuestionState


class StatesAnswer(OkAnswer):
    """Questions, newest first."""

    states: list[QuestionState]


class NlpcraftFailure(_Body):
    """An error."""

    code: str
    msg: str
