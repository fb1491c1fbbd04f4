"""What can be done on the page, by the name of its control: whatever is seen on any screen is among these."""

WRITING = {
    "composer", "example", "send", "stop", "copy", "regenerate", "sibling-earlier", "sibling-later", "edit",
    "cancel-editing", "save-editing", "outbox-edit", "outbox-discard", "queue-send", "retry", "to-newest",
    "st-math", "st-table", "pre", "st-copy", "a", "summary",
}  # fmt: skip

LIST_AND_SHEETS = {
    "new-session", "session-item", "rename", "session-title", "archive", "unarchive", "toggle-archive",
    "delete", "undo-delete", "search", "search-result", "model", "settings-close", "setting-model",
    "setting-temperature", "setting-system", "setting-tool", "share",
    "share-arguments", "make-link", "share-link", "copy-link",
    "stop-sharing", "devices", "copy-device-code", "device-link", "copy-device-link", "device-take-back",
    "device-another", "device-close", "forget", "forget-keep", "forget-now", "simulate-refresh",
}  # fmt: skip

WITH_CALLS = {
    "composer", "approve", "deny", "deny-why", "deny-reason", "mark-done", "run-again", "tc-summary",
    "tool-call",
}  # fmt: skip

LONG_SESSION = {"load-older", "load-newer"}

LONG_LISTS = {"more-sessions", "session-item", "search", "search-more"}

NOT_STORED = {
    "composer", "outbox-send", "model", "setting-system", "settings-discard", "settings-save",
    "settings-close",
}  # fmt: skip

AS_ANY_CONTROL = {
    "sessions", "continue", "tc-value", "link-code", "link-use", "link-bring", "link-leave", "quiet",
    "dv-away", "import", "import-close", "export-json", "export-md", "language", "message-time",
    "model-other", "summary-delete", "tool-expires",
}  # fmt: skip
"""In no story of these: seen to be controls of the browser's own kinds, to take the focus and to show it."""

ALL = WRITING | LIST_AND_SHEETS | WITH_CALLS | LONG_SESSION | LONG_LISTS | NOT_STORED | AS_ANY_CONTROL
