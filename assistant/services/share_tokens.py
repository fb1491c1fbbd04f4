"""Tokens of shares: made from a share's id and the server's secret, so that none has to be stored.

    token = base64url( id, 16 bytes | HMAC-SHA256(secret, id), 20 bytes )       48 characters

Whoever has the database has no link, and the owner can see a link again (decision 18). The signature is as
hard to guess as 160 random bits; another secret ends all links.
"""

import hashlib
import hmac
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable

TOKEN_CHARACTERS = 48
_SIGNATURE_BYTES = 20
_ID_BYTES = 16
_PURPOSE = b"assistant.share"
_NOBODY = str(uuid.UUID(int=0))


class ShareTokens:
    """Makes and reads tokens with one secret, which is asked for at the first use."""

    def __init__(self, secret: Callable[[], str]) -> None:
        self._secret = secret

    def token(self, share_id: str) -> str:
        """The token of a share: URL-safe ASCII, the same every time."""
        named = uuid.UUID(share_id).bytes
        return urlsafe_b64encode(named + self._signature(named)).decode()

    def share_id(self, token: str) -> str:
        """The id of the share that a token is of; one that no share has for what is no token of ours.

        So the caller looks up whatever is asked for, and a forged token takes as long as a revoked one.
        """
        if len(token) != TOKEN_CHARACTERS or not token.isascii():
            return _NOBODY
        try:
            whole = urlsafe_b64decode(token)
        except ValueError:
            return _NOBODY
        named, signature = whole[:_ID_BYTES], whole[_ID_BYTES:]
        # Also refuses what the decoder passes over in silence: characters that are none of the alphabet.
        if not hmac.compare_digest(signature, self._signature(named)):
            return _NOBODY
        return str(uuid.UUID(bytes=named))

    def _signature(self, named: bytes) -> bytes:
        key = hmac.digest(self._secret().encode(), _PURPOSE, hashlib.sha256)
        return hmac.digest(key, named, hashlib.sha256)[:_SIGNATURE_BYTES]
