"""A TCP port of the loopback interface that nobody uses right now."""

import socket


def free_port() -> int:
    """Return a port on 127.0.0.1 that was free a moment ago.

    Another program may take it before the caller does, so bind it soon. The kernel hands out
    ephemeral ports in no fixed order, which keeps parallel test runs apart.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
