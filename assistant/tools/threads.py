"""A thread for one call of a tool that blocks."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[[], T], *, name: str) -> T:
    """Call `function` in a thread of its own and return what it returns or raise what it raises.

    A pool would run out of places when some calls hang, and would hold up the end of the process. When
    cancelled the thread goes on by itself, and nobody hears what comes of it.
    """
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(settling: Callable[[], None]) -> None:
        if not heard.done():
            settling()

    def body() -> None:
        try:
            value = context.run(function)
        except BaseException as error:
            outcome = error
            tell(lambda: heard.set_exception(_awaitable(outcome)))
        else:
            tell(lambda: heard.set_result(value))

    def tell(settling: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(settle, settling)

    threading.Thread(target=body, name=name, daemon=True).start()
    return await heard


def _awaitable(error: BaseException) -> BaseException:
    # A future takes no StopIteration, and an exit of the process is not for a tool to ask for.
    return error if isinstance(error, Exception) and not isinstance(error, StopIteration) else _odd(error)


def _odd(error: BaseException) -> RuntimeError:
    wrapped = RuntimeError(f"a tool raised {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped
