"""What the page says: one place that turns codes into words."""

from assistant.domain.errors import AssistantError

_SAID = {
    "not_found": "This conversation does not exist, or it is not yours.",
    "owner_missing": "This browser is not known yet. Reload the page, with cookies allowed.",
    "session_busy": "An answer is still being written here. Wait for it, or stop it.",
    "not_ready": "The server is starting or going down. Your text is kept.",
    "store_unavailable": "The server cannot reach its database. Your text is kept.",
    "log_unavailable": "Live text is away for a moment. It comes back by itself.",
    "request_withdrawn": "This message was taken back and will not be sent.",
    "idempotency_key_reused": "This message was already sent with another text.",
    "task_closed": "This answer has ended already.",
}


def said(error: AssistantError) -> str:
    """The words for an error: ours for its code, else its own message."""
    return _SAID.get(error.code, error.message)
