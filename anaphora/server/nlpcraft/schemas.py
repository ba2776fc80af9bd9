"""The request and response bodies of NLPCraft's API.

Unknown request fields are ignored, as NLPCraft does.
"""

from __future__ import annotations

from types import NoneType
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic.json_schema import SkipJsonSchema

__all__ = [
    "AskBody",
    "CancelBody",
    "CheckBody",
    "ClearBody",
    "EnlistedAnswer",
    "NlpcraftFailure",
    "OkAnswer",
    "QuestionState",
    "SignInBody",
    "SignedAnswer",
    "StateAnswer",
    "StatesAnswer",
    "TokenBody",
    "UserBody",
]


class _Body(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, validate_by_name=True, strict=True, frozen=True
    )


_Missing: TypeAlias = SkipJsonSchema[None]


def _optional(description: str) -> Any:
    """Declare a field of a response that may be missing. A plain default would appear in
    OpenAPI."""
    return Field(default_factory=NoneType, description=description)


_Id = Annotated[str, Field(min_length=1, max_length=64)]
_UserText = Annotated[str, Field(min_length=1, max_length=256)]
_UserNumber = Annotated[int, Field(ge=-(2**63), lt=2**63)]
_Model = Annotated[
    str, Field(min_length=1, max_length=32, description="The id of a model.", examples=["weather"])
]
_Questions = Annotated[
    list[_Id],
    Field(max_length=1_000, description="The ids of questions. Default: all of the user."),
]


class TokenBody(_Body):
    """The key of a request."""

    acs_tok: str = Field(
        default="",
        max_length=512,
        description="The key of the API; optional for a service without keys.",
        examples=["ana_shop_…"],
    )


class UserBody(TokenBody):
    """The key of a request, and its user."""

    usr_id: _UserText | _UserNumber | None = Field(
        default=None,
        description="A number or a text. Default: the user of the key, else the key's id.",
        examples=[7],
    )
    usr_ext_id: _UserText | None = Field(
        default=None, description="The same as a text; if both are given, they must be equal."
    )


class AskBody(UserBody):
    """A question."""

    txt: str = Field(
        min_length=1,
        max_length=1_024,
        description="The user's words.",
        examples=["What is the weather in Tokyo today?"],
    )
    mdl_id: _Model
    data: dict[str, Any] | None = Field(
        default=None, description="Data that predicates read with `meta_req('key')`."
    )
    enable_log: bool | None = Field(
        default=None, description="Whether to explain the answer in `logHolder`."
    )


class CheckBody(UserBody):
    """The questions whose states are requested."""

    srv_req_ids: _Questions | None = None
    max_rows: Annotated[int, Field(ge=1, lt=2**31)] | None = Field(
        default=None, description="The maximum number of states, newest first."
    )


class CancelBody(UserBody):
    """The questions to cancel."""

    srv_req_ids: _Questions | None = None


class ClearBody(UserBody):
    """The user and the model of a conversation."""

    mdl_id: _Model


class SignInBody(_Body):
    """A key, as a password."""

    email: str = Field(
        min_length=1, max_length=256, description="Ignored: the key identifies the caller."
    )
    passwd: str = Field(min_length=1, max_length=512, description="The key of the API.")


class OkAnswer(_Body):
    """Success."""

    status: Literal["API_OK"]


class SignedAnswer(OkAnswer):
    """The key that was sent."""

    acs_tok: str


class EnlistedAnswer(OkAnswer):
    """The id of an accepted question."""

    srv_req_id: str


class QuestionState(_Body):
    """The state of a question. Missing fields are omitted from responses."""

    srv_req_id: str
    usr_id: int | str
    mdl_id: str
    probe_id: str = Field(description="The worker that answers it.")
    txt: str
    status: Literal["QRY_ENLISTED", "QRY_READY"]
    create_tstamp: int = Field(description="Milliseconds since 1970.")
    update_tstamp: int
    res_type: Literal["text", "json"] | _Missing = _optional("The kind of the result, if any.")
    res_body: Any = _optional("The text, or the data.")
    res_meta: dict[str, Any] | _Missing = _optional(
        "The `status`, `slots`, `missing` and `memory` of the reply."
    )
    error: str | _Missing = _optional("Why there is no result.")
    error_code: Literal[1, 100, 101, 102] | _Missing = _optional(
        "1: rejected; 100: the bot failed; 101: the result is too big; 102: the service failed."
    )
    intent_id: str | _Missing = _optional("The intent that answered.")
    log_holder: dict[str, Any] | _Missing = _optional("The explanation.")

    @property
    def is_ready(self) -> bool:
        return self.status == "QRY_READY"

    def to_plain(self) -> dict[str, Any]:
        """Convert the state to data in NLPCraft's spelling, without missing fields."""
        return self.model_dump(by_alias=True, exclude_none=True)


class StateAnswer(OkAnswer):
    """The state of an answered question."""

    state: QuestionState


class StatesAnswer(OkAnswer):
    """The states of questions, newest first."""

    states: list[QuestionState]


class NlpcraftFailure(_Body):
    """An error."""

    code: str
    msg: str
