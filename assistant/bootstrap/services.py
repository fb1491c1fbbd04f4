"""What a page, a route or a command may use, and the place where it is held while it is open."""

from dataclasses import dataclass

from assistant.domain.errors import NotReady
from assistant.domain.ports import Clock, Hub, Queue, StreamLog
from assistant.domain.store_ports import Store
from assistant.domain.tools import Tools
from assistant.runner.reconciling import Reconciling
from assistant.runner.titling import Titling
from assistant.runner.working import Working
from assistant.services.arranging import Arranging
from assistant.services.choices import Choices
from assistant.services.deciding import Deciding
from assistant.services.deleting import Deleting
from assistant.services.discarding import Discarding
from assistant.services.drafting import Drafting
from assistant.services.exporting import Exporting
from assistant.services.following import Following
from assistant.services.importing import Importing
from assistant.services.knowing import Knowing
from assistant.services.limiting import Limiting
from assistant.services.linking import Linking
from assistant.services.listing import Listing
from assistant.services.owner_seal import OwnerSeal
from assistant.services.queueing import Queueing
from assistant.services.restoring import Restoring
from assistant.services.retrying import Retrying
from assistant.services.searching import Searching
from assistant.services.sending import Sending
from assistant.services.sharing import Sharing
from assistant.services.stopping import Stopping
from assistant.services.watching import Watching
from assistant.services.wishes import Wishes
from assistant.settings import Settings


@dataclass(slots=True)
class Services:
    """Everything that a page, a route or a command may use."""

    settings: Settings
    clock: Clock
    store: Store
    log: StreamLog
    hub: Hub
    queue: Queue
    knowing: Knowing
    limiting: Limiting
    wishes: Wishes
    sending: Sending
    queueing: Queueing
    stopping: Stopping
    retrying: Retrying
    deciding: Deciding
    choices: Choices
    arranging: Arranging
    deleting: Deleting
    discarding: Discarding
    restoring: Restoring
    listing: Listing
    following: Following
    watching: Watching
    drafting: Drafting
    searching: Searching
    exporting: Exporting
    importing: Importing
    sharing: Sharing
    linking: Linking
    tools: Tools
    seal: OwnerSeal
    working: Working
    reconciling: Reconciling
    titling: Titling
    drains: bool
    ready: bool = False
    accepting: bool = False

    def refuse_sends(self) -> None:
        """From here on new work is refused; reads and streams go on."""
        self.accepting = False

    async def hand_over(self, seconds: float) -> None:
        """Wait up to `seconds` for running tasks where this process only works, then release the rest.

        `serve` hands over at once, since a restart follows and the next boot goes on (DESIGN 9).
        """
        await self.working.hand_over(seconds if self.drains else 0.0)
        await self.working.leave()


class Held:
    """The services of this process, for code that is built before they are open."""

    def __init__(self) -> None:
        self._services: Services | None = None

    def set(self, services: Services) -> None:
        """Hold them from here on."""
        self._services = services

    def clear(self) -> None:
        """Hold nothing any more."""
        self._services = None

    def get(self) -> Services:
        """The open services; NotReady when nothing is open."""
        if self._services is None:
            raise NotReady()
        return self._services


held = Held()
