"""Verifies a webhook (Standard Webhooks: https://www.standardwebhooks.com) and reads the event in it."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Iterable, Optional, Protocol, Sequence, Tuple, Union, cast

from .types import WebhookEvent

# More than a rotation needs, so that a long header costs nothing.
MAX_SIGNATURES = 10


class Headers(Protocol):
    """Headers of a request, of any framework."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


class WebhookVerificationError(Exception):
    """The post is not from Trunkline, or is too old. Answer 401 and do nothing else.

    `reason` is `headers`, `timestamp`, `signature` or `body`.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class VerifiedWebhook:
    """An event and its id, which is the same on every try: keep the ids that you have processed, and drop what you know."""

    id: str
    event: WebhookEvent


def verify_webhook(
    secrets: Union[str, Sequence[str]],
    headers: Headers,
    body: Union[bytes, str],
    *,
    tolerance: float = 300,
    now: Optional[float] = None,
) -> VerifiedWebhook:
    """The event of a genuine post; raises a WebhookVerificationError for any other.

    `secrets`: of an endpoint, or of several, of which one has to fit. `body`: the bytes as they came, before anything parsed them.
    `tolerance`: how far the time of the post may be from now, in seconds. `now`: epoch seconds, for tests. Raises a ValueError for a secret that
    cannot be one, and a TypeError for a body that was parsed.
    """
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("There is no secret to verify with.")
    if not isinstance(body, (bytes, str)):
        raise TypeError("The body has to be what came: bytes or a text, not what was parsed from it.")
    content = body.encode() if isinstance(body, str) else body
    id, timestamp, signatures = (_header(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not (id and timestamp and signatures):
        raise WebhookVerificationError("headers", "The webhook headers are missing.")
    seconds = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or not abs(seconds - int(timestamp)) <= tolerance:
        raise WebhookVerificationError("timestamp", "The webhook was not signed just now.")
    signed = f"{id}.{timestamp}.".encode("utf-8", "replace") + content
    expected = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    received = [each[3:].encode("utf-8", "replace") for each in signatures.split(" ")[:MAX_SIGNATURES] if each.startswith("v1,")]
    if not any(hmac.compare_digest(own, other) for own in expected for other in received):
        raise WebhookVerificationError("signature", "No signature of the webhook fits.")
    return VerifiedWebhook(id, _event(content))


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[6:] if secret.startswith("whsec_") else secret, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        # Without the cause, which may repeat the secret.
        raise ValueError("A secret is not of the form whsec_…") from None
    return key


def _header(headers: Headers, name: str) -> str:
    """Empty when the header is missing or comes twice."""
    values = [value for each, value in headers.items() if each.lower() == name]
    return values[0] if len(values) == 1 else ""


def _event(content: bytes) -> WebhookEvent:
    try:
        event = json.loads(content)
    # Thousands of brackets are RecursionError.
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise WebhookVerificationError("body", "The webhook holds no event.")
    return cast(WebhookEvent, event)
