"""Who a request belongs to: an owner's id, sealed by the server's key so that nobody can make one up.

    seal = payload "." signature        in the cookie, or after `Authorization: Bearer`

A seal that was tampered with is as none. Nothing here knows HTTP beyond the text of two headers.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from itsdangerous import BadData, URLSafeSerializer

from assistant.domain.records import OwnerKind

COOKIE = "assistant_owner"
SECURE_COOKIE = f"__Host-{COOKIE}"
"""Its name where the browser speaks https: no other host, and nobody on the way, can set one of that name."""

_SALT = "assistant.owner"
_NAMES = uuid.UUID("6f3c1c1e-6f0b-4d0c-9a3a-0d5b6a1f7e21")
"""The namespace in which a name always gives the same owner id."""


@dataclass(frozen=True, slots=True)
class KnownOwner:
    """The owner of a request: `name` is set for a named one only."""

    id: str
    kind: OwnerKind = OwnerKind.ANONYMOUS
    name: str | None = None


def named(name: str) -> KnownOwner:
    """The owner of a name that a trusted proxy vouches for; the same name is the same owner."""
    return KnownOwner(str(uuid.uuid5(_NAMES, name)), OwnerKind.NAMED, name)


class OwnerSeal:
    """Seals and opens with one key, which is asked for at the first use."""

    def __init__(self, key: Callable[[], str]) -> None:
        self._key = key
        self._serializer: URLSafeSerializer | None = None

    def seal(self, owner: KnownOwner) -> str:
        """The cookie value of an owner: URL-safe ASCII."""
        return str(self._signed().dumps([owner.kind.value, owner.name or owner.id]))

    def open(self, value: str) -> KnownOwner | None:
        """The owner in a cookie value; None when this server's key did not seal it."""
        try:
            kind, who = self._signed().loads(value)
        except (BadData, TypeError, ValueError):
            return None
        return named(who) if kind == OwnerKind.NAMED else KnownOwner(who)

    def owner_of(self, cookie: str | None, authorization: str | None = None) -> KnownOwner | None:
        """The owner that the `Authorization` and `Cookie` headers name; the first valid seal counts."""
        for value in (*_bearer(authorization), *_cookies(cookie)):
            owner = self.open(value)
            if owner is not None:
                return owner
        return None

    def _signed(self) -> URLSafeSerializer:
        if self._serializer is None:
            self._serializer = URLSafeSerializer(
                self._key(),
                salt=_SALT,
                signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
            )
        return self._serializer


def _bearer(authorization: str | None) -> Iterator[str]:
    scheme, _, value = (authorization or "").strip().partition(" ")
    if scheme.lower() == "bearer" and value.strip():
        yield value.strip()


def _cookies(header: str | None) -> Iterator[str]:
    """Every value under our name; other cookies may be as malformed as they like."""
    for pair in (header or "").split(";"):
        name, _, value = pair.strip().partition("=")
        if name == COOKIE:
            yield value.strip().strip('"')
