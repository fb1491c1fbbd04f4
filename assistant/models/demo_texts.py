"""What the demo provider says: every text is fixed, so that an answer is the same each time."""

CONNECT = """\
---
*This is the demo: it needs no key and knows only a few answers by heart. To connect a real model, \
start with `ASSISTANT_MODEL_BASE_URL` (any server that speaks the OpenAI chat shape), \
`ASSISTANT_MODEL_API_KEY` and `ASSISTANT_MODEL_NAME` set.*
"""

WELCOME = (
    """\
Hello! I am the **demo**, and I am here to show what this assistant does with an answer while it grows.

Try one of these, in any order:

1. **Reload the page** right now, in the middle of this list. The text goes on where it stood.
2. **Open a second tab** on the same address. Both show the same answer.
3. **Stop** me. What you have read by then is what is kept, and *Continue* goes on from there.

Ask me for

- `code`, to see a code block grow,
- a `table`,
- `emoji`, for characters that take more than one step to write,
- `reasoning`, to see thoughts before the answer,
- something `long`, or the `longest` answer I have.

Or let me use a tool:

- *what time is it in Tokyo*,
- *count slowly to 20*,
- *send a mail to ada@example.org*, which waits for your approval,
- *divide 1 by 0*, to see one fail.

"""
    + CONNECT
)

CODE = (
    """\
Here is the heart of a resumable reader, in a few lines of Python:

```python
def resume(text: str, offset: int) -> str:
    \"\"\"What a reader that has `offset` characters still lacks.\"\"\"
    if offset > len(text):
        return text  # it has something that we never said: start over
    return text[offset:]


shown = "The text goes on at "
whole = "The text goes on at the character where it stood."
assert shown + resume(whole, len(shown)) == whole
```

And the same question asked from a shell:

```sh
curl --no-buffer "http://localhost:8000/api/tasks/$TASK/stream?offset=20"
```

An offset counts *characters as Python counts them*, so an emoji is never cut in half.

"""
    + CONNECT
)

TABLE = (
    """\
What happens to an answer when something goes away:

| What goes away | What you see | What is lost |
|:---------------|:-------------|-------------:|
| the page | the text goes on where it stood | nothing |
| the network | the rest arrives once it is back | nothing |
| a second tab | the other one does not notice | nothing |
| the server | it goes on, or says that it was interrupted | at most the last moment |

Rows arrive one after the other, so a table is a good thing to reload in the middle of.

"""
    + CONNECT
)

CHARACTERS = (
    """\
Some characters are longer than they look, and all of them survive a reload:

- 中文：刷新页面，文字会从原来的地方继续。
- 日本語：ページを再読み込みしても、続きから表示されます。
- 한국어: 새로 고쳐도 글은 멈춘 곳에서 이어집니다.
- Combining marks: e\u0301 a\u0308 n\u0303 o\u0302, each written as two code points.
- Emoji: 😀 🚀 🌍 ✨, with a skin tone: 👍🏽 👋🏿, as a family: 👩‍👩‍👧 👨‍👩‍👧‍👦, as a flag: 🇯🇵 🇧🇷 🏳️‍🌈.
- Right to left: שלום and مرحبا.

"""
    + CONNECT
)

REASONING = """\
The question asks to see reasoning, so I think aloud first. The answer itself is prepared; what matters \
is the order: thoughts come before the text, in the same stream, and are folded away on the page. If the \
page is reloaded now, these thoughts go on where they stood, just as the text does.
"""

REASONED = (
    """\
Thoughts first, then the answer: you will find mine folded above this line.

They are counted together with the text. One number says where a reader stands, whether it was reading the \
thoughts or the answer when the line was cut.

"""
    + CONNECT
)

LONG_OPENING = """\
# A long answer

This answer is long on purpose. Scroll up and read while it grows; reload, close the laptop, or come back \
from another device. Its sections are numbered, so that you can see for yourself that none is missing and \
none comes twice.

"""

LONG_SENTENCES = (
    "What was running when the page went away is still running when it comes back.",
    "The text lives on the server, and the page only shows it.",
    "A reader says how many characters it has, and gets the rest.",
    "Nothing is sent twice, because every wish carries a key of its own.",
    "A second tab reads the same text, at its own pace.",
    "When the line is cut, the answer does not stop; only its reader does.",
    "If the server itself goes away, the stored text stays and is told truthfully.",
    "Stopping keeps what was written up to that moment, and continuing goes on from it.",
    "A character that takes several code points, such as 👩‍👩‍👧 or e\u0301, is counted with care.",
    "Times are shown as they were first set, however often the page is drawn.",
    "有些句子很短，也同样一个字都不会丢。",
)

BEFORE_CALLS = {
    "calculator": "Let me work that out with the calculator.\n\n",
    "current_time": "Let me look at the clock.\n\n",
    "send_mail": "I have written the mail. It is sent only if you approve it: reload the page as often as "
    "you like before you decide, the card stays.\n\n",
    "slow_count": "I count, one number a second. Reload the page meanwhile: the count goes on.\n\n",
    "several": "I do them side by side. What needs your approval waits for it; the rest is done "
    "meanwhile.\n\n",
}
"""What is said before the calls of a step."""

AFTER_CALLS = {
    "calculator": (
        "The calculator has the result:",
        "That has no result, so I cannot give you one. The calculator says why, and asking it again would "
        "not change it:",
    ),
    "current_time": ("The clock says:", "I could not read the clock:"),
    "send_mail": (
        "You approved the mail, and it was handed in once, however often this page was loaded:",
        "The mail was not sent. This is what I was told:",
    ),
    "slow_count": ("I am done counting:", "The count did not come to its end:"),
}
"""What is said about a tool that did its work, and about one that did not; its result is quoted below."""

AFTER_ANY_CALL = ("This is what I was told:", "This is what I was told:")

AFTER_DENIED = "As you wish: `{}` was not run, and nothing happened. This is what I was told:"

AFTER_UNKNOWN = (
    "Nobody knows whether `{}` was carried out, so I do not try it again. This is what I was told:"
)

NOT_OFFERED = (
    """\
That needs {}, which I was not offered here.

"""
    + CONNECT
)

SUMMARY = "This summary was made by the demo, which understands nothing. It was asked:"
