"""The composition root: settings in, services out; the only place where siblings meet.

    Settings -> store, log, hub, queue, providers, tools -> use cases and runner -> Services

It wires the tests too: whatever a test needs is opened here, with other settings.
"""

from assistant.bootstrap.opening import examine, running, stop_local_server, with_local_server
from assistant.bootstrap.services import Held, Services, held

__all__ = ["Held", "Services", "examine", "held", "running", "stop_local_server", "with_local_server"]
