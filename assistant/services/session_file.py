"""The file of one session, version 1: all its branches with original times, calls and results; no ids.

    {"format": "assistant-session", "version": 1, "session": {...}, "messages": [{...}, ...]}

Messages are numbered 1, 2, 3 ... in the order in which they came, the calls of an answer likewise; whatever
points at one names its number. There is no owner in it, and nothing that is secret of the server.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer

from assistant.domain.transcript import well_formed
from assistant.services.choices import MAX_SYSTEM_CHARACTERS, MAX_TEMPERATURE, MAX_TOKENS, MAX_TOP_P

FORMAT = "assistant-session"
VERSION = 1
MAX_TITLE_CHARACTERS = 200
MAX_NAME_CHARACTERS = 200
MAX_TOOLS = 100
MAX_QUESTION_CHARACTERS = 200_000
MAX_NUMBER = 2**31 - 1


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds and a Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _storable(text: str) -> str:
    if well_formed(text) != text:
        raise ValueError("It holds U+0000 or half of a surrogate pair.")
    return text


def _on_one_line(text: str) -> str:
    if len(text.splitlines()) > 1:
        raise ValueError("It has more than one line.")
    return text


def _moment(value: Any) -> Any:
    """A time with its zone, as text; any other value is refused by what comes after."""
    if not isinstance(value, str):
        raise ValueError("A time is text: 2025-05-05T12:00:00.123Z.")
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError("This is no time with a zone: 2025-05-05T12:00:00.123Z.")


Text = Annotated[str, AfterValidator(_storable)]
Line = Annotated[Text, AfterValidator(_on_one_line)]
Moment = Annotated[datetime, BeforeValidator(_moment), PlainSerializer(iso, return_type=str)]
Number = Annotated[int, Field(ge=1, le=MAX_NUMBER)]
Offset = Annotated[int, Field(ge=0, le=MAX_NUMBER)]


class Piece(BaseModel):
    """What all pieces share: nothing unknown, nothing converted."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True, from_attributes=True
    )


class Parameters(Piece):
    """What the provider is asked with; the same as in a send."""

    temperature: float | None = Field(default=None, ge=0, le=MAX_TEMPERATURE)
    top_p: float | None = Field(default=None, ge=0, le=MAX_TOP_P)
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)
    system: Text | None = Field(default=None, max_length=MAX_SYSTEM_CHARACTERS)
    tools: list[Text] | None = Field(
        default=None, max_length=MAX_TOOLS, description="The tools that the model may ask for; null for all."
    )


class About(Piece):
    """The session; `leaf` is the last message of the branch that is shown."""

    title: Line = Field(max_length=MAX_TITLE_CHARACTERS)
    model: Text | None = Field(max_length=MAX_NAME_CHARACTERS)
    parameters: Parameters
    leaf: Number | None
    created_at: Moment
    updated_at: Moment


class FilePart(Piece):
    """A range `[start, end)` of an answer; a tool call has length zero and the number of its `call`."""

    kind: Literal["reasoning", "text", "tool_call"]
    start: Offset
    end: Offset
    call: Number | None = Field(default=None, exclude_if=lambda value: value is None)


class FileError(Piece):
    """Why an answer failed."""

    code: Text = Field(max_length=MAX_NAME_CHARACTERS)
    message: Text


class FileCall(Piece):
    """One tool call of an answer: history, whatever its state."""

    number: Number
    step: Number
    name: Text
    arguments: Text
    offset: Offset
    state: Literal["requested", "executing", "completed", "failed"]
    reason: Literal["error", "timeout", "lost", "denied", "expired", "stopped"] | None
    result: Text | None
    needs_decision: bool
    idempotent: bool
    decision: Literal["approve", "deny"] | None
    decision_reason: Text | None
    decided_at: Moment | None
    started_at: Moment | None
    finished_at: Moment | None
    retry_of: Number | None


class FileTask(Piece):
    """How an answer ended, or how it stood when the file was written."""

    state: Literal["pending", "streaming", "tool_calling", "awaiting_confirm", "done", "failed"]
    reason: Literal["complete", "length", "stopped", "error", "interrupted", "timeout", "expired"] | None
    error: FileError | None
    created_at: Moment
    finished_at: Moment | None


class Question(Piece):
    """What the person wrote."""

    number: Number
    parent: Number | None
    role: Literal["user"]
    text: Text = Field(max_length=MAX_QUESTION_CHARACTERS)
    created_at: Moment


class Answer(Piece):
    """What was answered to its parent, a question."""

    number: Number
    parent: Number
    role: Literal["assistant"]
    text: Text
    created_at: Moment
    parts: list[FilePart]
    task: FileTask
    tool_calls: list[FileCall]


class SessionFile(Piece):
    """One whole session."""

    format: Literal["assistant-session"]
    version: Literal[1]
    session: About
    messages: list[Annotated[Question | Answer, Field(discriminator="role")]]
