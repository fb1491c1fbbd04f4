"""Devices: a code that brings an anonymous owner to another one (decision 0019)."""

from ipaddress import ip_address
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field

from assistant.api.asked import AnId, InJson, TheServices
from assistant.api.owner import AnOwner, gives_cookie
from assistant.api.peers import Scope, header
from assistant.api.wire import Owner, Shape, Time
from assistant.api.wire_requests import Asked
from assistant.domain import device_link
from assistant.services.device_naming import device_name
from assistant.services.owner_seal import KnownOwner

router = APIRouter(tags=["devices"])

LINK_PAGE = "/link"
UNKNOWN_ADDRESS = "unknown"
IPV6_NETWORK_BITS = 64
"""What one subscriber has: whoever owns a network has all of its addresses."""


class DeviceLink(Shape):
    """A code that was made, without the code; `used_on` is how the device that used it calls itself."""

    id: str
    created_at: Time
    expires_at: Time
    used_at: Time | None
    used_on: str | None


class NewDeviceLink(Shape):
    """A code and the page that takes it. It is told once: only its digest is kept."""

    id: str
    code: str = Field(examples=["K7QM-2XHP"])
    url: str = Field(examples=["/link?code=K7QM-2XHP"])
    created_at: Time
    expires_at: Time


class DeviceLinks(Shape):
    """The codes of the last hour or so, newest first."""

    links: list[DeviceLink]


class OwnConversations(Shape):
    """What this device has as the owner that it is now."""

    sessions: int


class LinkedDevice(Shape):
    """Who the device is now, and how many conversations came along."""

    owner: Owner
    brought: int


class LinkUse(Asked):
    """The code of another device; `bring` has to be said when this one has conversations of its own."""

    code: str = Field(max_length=device_link.MAX_CODE_CHARACTERS, examples=["K7QM-2XHP"])
    bring: bool | None = Field(
        default=None, description="true: they move along. false: nobody can reach them any more."
    )


async def maybe_owner(request: Request) -> KnownOwner | None:
    """The owner of the request, if it has one."""
    seal = request.app.state.seal
    return seal.owner_of(header(request.scope, "cookie"), request.headers.get("authorization"))


MaybeOwner = Annotated[KnownOwner | None, Depends(maybe_owner)]


@router.post("/api/owner/links", status_code=201, summary="A code for another device")
async def make_link(owner: AnOwner, services: TheServices) -> NewDeviceLink:
    """Valid for ten minutes and once; a fourth open one takes the place of the oldest.

    409 `owner_named` for an owner with a name.
    """
    code, link = await services.linking.make(owner)
    shown = device_link.shown(code)
    return NewDeviceLink(
        id=link.id,
        code=shown,
        url=f"{LINK_PAGE}?code={shown}",
        created_at=link.created_at,
        expires_at=link.expires_at,
    )


@router.get("/api/owner/links", summary="Whether codes were used")
async def links(owner: AnOwner, services: TheServices) -> DeviceLinks:
    """The codes themselves are not told again."""
    made = await services.linking.made_by(owner.id)
    return DeviceLinks(links=[DeviceLink.model_validate(link) for link in made])


@router.delete("/api/owner/links/{id}", status_code=204, summary="Take a code back")
async def take_back(owner: AnOwner, id: AnId, services: TheServices) -> None:
    """It counts for nothing from now on."""
    await services.linking.take_back(owner.id, id)


@router.get("/api/owner/link", summary="What this device would leave or bring along")
async def own_conversations(owner: MaybeOwner, services: TheServices) -> OwnConversations:
    """Asking uses nothing up. 409 `owner_named` for an owner with a name."""
    return OwnConversations(sessions=await services.linking.own_sessions(owner))


@router.post("/api/owner/link", summary="Make this device one of another device's owner")
async def use_link(
    request: Request, response: Response, owner: MaybeOwner, _: InJson, asked: LinkUse, services: TheServices
) -> LinkedDevice:
    """Sets the cookie of the owner who made the code.

    404 `code_unknown` for a code that is wrong, used, taken back or over; 409 `choice_needed` with the number
    of `sessions`; 409 `already_linked`; 409 `owner_named`; 429 `too_many_tries`.
    """
    linked = await services.linking.use(
        asked.code,
        owner,
        bring=asked.bring,
        address=_address(request.scope),
        device=device_name(request.headers.get("user-agent")),
    )
    gives_cookie(request, response, linked.owner)
    who = Owner(id=linked.owner.id, kind=linked.owner.kind, name=linked.owner.name)
    return LinkedDevice(owner=who, brought=linked.brought)


def _address(scope: Scope) -> str:
    """The network from which a request comes."""
    client = scope.get("client")
    try:
        address = ip_address(client[0] if client else "")
    except ValueError:
        return UNKNOWN_ADDRESS
    if address.version == 4:
        return str(address)
    return str(int(address) >> (128 - IPV6_NETWORK_BITS))
