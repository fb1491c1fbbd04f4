"""The shapes that the API is sent; a field that is not known is refused."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from assistant.domain.transcript import well_formed
from assistant.services.choices import MAX_SYSTEM_CHARACTERS, MAX_TEMPERATURE, MAX_TOKENS, MAX_TOP_P
from assistant.services.deciding import MAX_REASON_CHARACTERS

MAX_MODEL_CHARACTERS = 200
MAX_TOOLS = 100
MAX_HASH_CHARACTERS = 100


def _storable(value: Any) -> Any:
    """A lone surrogate is legal JSON, but neither UTF-8 nor the database can hold it."""
    return well_formed(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_storable)]


class Asked(BaseModel):
    """What all request bodies share: nothing unknown, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True)


class Parameters(Asked):
    """What the provider is asked with; what is absent is the provider's own choice."""

    temperature: float | None = Field(default=None, ge=0, le=MAX_TEMPERATURE)
    top_p: float | None = Field(default=None, ge=0, le=MAX_TOP_P)
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)
    system: Text | None = Field(default=None, max_length=MAX_SYSTEM_CHARACTERS)
    tools: list[Text] | None = Field(
        default=None, max_length=MAX_TOOLS, description="The tools that the model may ask for; null for all."
    )


class Draft(Asked):
    """A message to be answered; without a session a new one is created with it."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"text": "Why is the sky blue?", "parameters": {"temperature": 0.7}}}
    )

    text: Text
    session_id: str | None = None
    attachments: list[str] = Field(default_factory=list, max_length=0, description="None can be added yet.")
    model: Text | None = Field(default=None, min_length=1, max_length=MAX_MODEL_CHARACTERS)
    parameters: Parameters | None = None
    edits: str | None = Field(
        default=None, description="A user message: this one becomes its sibling. It names the session too."
    )
    queue: bool = Field(
        default=False,
        description="In a busy session it waits for its turn, instead of being refused. Not with `edits`.",
    )

    def parameters_given(self) -> dict[str, Any] | None:
        """The parameters that were named, or None when the session's own are to be kept."""
        return _given(self.parameters)


class Rewriting(Asked):
    """Another text for a message that waits in a queue."""

    model_config = ConfigDict(json_schema_extra={"example": {"text": "Why is the sea blue?"}})

    text: Text
    replaces: Text | None = Field(
        default=None, description="The text that was edited: with it, no other one is replaced."
    )


class Arrangement(Asked):
    """What is to be changed about a session; what is absent or null stays as it is."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"title": "Why the sky is blue"},
                {"state": "archived"},
                {"parameters": {"temperature": 0.2}},
            ]
        }
    )

    title: Text | None = Field(default=None, description="1 to 200 characters after trimming, on one line.")
    state: Literal["active", "archived"] | None = None
    model: Text | None = Field(default=None, min_length=1, max_length=MAX_MODEL_CHARACTERS)
    parameters: Parameters | None = Field(
        default=None, description="They take the place of all that there were."
    )
    leaf_id: str | None = Field(
        default=None, description="A message of the session: the branch through it is shown."
    )

    def parameters_given(self) -> dict[str, Any] | None:
        """The parameters that were named, or None when the session's own are to be kept."""
        return _given(self.parameters)


class Decided(Asked):
    """What a person decided about a tool call; the hash is that of the arguments that they saw."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"decision": "approve", "arguments_hash": "0" * 64}}
    )

    decision: Literal["approve", "deny"]
    arguments_hash: str = Field(max_length=MAX_HASH_CHARACTERS)
    reason: Text | None = Field(
        default=None, max_length=MAX_REASON_CHARACTERS, description="Of a denial; the model is told it."
    )


def _given(parameters: Parameters | None) -> dict[str, Any] | None:
    return None if parameters is None else parameters.model_dump(exclude_none=True)
