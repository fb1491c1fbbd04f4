"""Which tools an assistant offers."""

from pathlib import Path

from assistant.domain.ports import Clock
from assistant.domain.store_ports import Store
from assistant.tools.calculator import calculator
from assistant.tools.current_time import current_time_tool
from assistant.tools.mail_outbox import LocalOutbox
from assistant.tools.mail_server import MailServer, SmtpPost
from assistant.tools.notes import notes_tools
from assistant.tools.registry import ToolRegistry
from assistant.tools.send_mail import Post, send_mail_tool
from assistant.tools.slow_count import slow_count_tool
from assistant.tools.web_page import web_page_tool


def offered_tools(store: Store, clock: Clock, smtp_url: str, data_dir: Path, *, demo: bool) -> ToolRegistry:
    """Every tool of the product; without a mail server mails go to the folder `outbox` of the data.

    `demo` offers also the tools that are there to be watched only.
    """
    post = post_at(smtp_url, data_dir)
    return ToolRegistry(
        [
            current_time_tool(clock.now),
            calculator,
            web_page_tool(),
            *notes_tools(store, clock),
            send_mail_tool(post, clock.now),
            *([slow_count_tool()] if demo else []),
        ]
    )


def post_at(smtp_url: str, data_dir: Path) -> Post:
    """Where mails are handed in."""
    return SmtpPost(MailServer.at(smtp_url)) if smtp_url else LocalOutbox(data_dir / "outbox")
