"""A client of Trunkline: sends messages, looks them up, and verifies webhooks."""

from .async_client import AsyncTrunkline
from .call import File, TrunklineError
from .client import Trunkline
from .webhook import VerifiedWebhook, WebhookVerificationError, verify_webhook

__all__ = [
    "AsyncTrunkline",
    "File",
    "Trunkline",
    "TrunklineError",
    "VerifiedWebhook",
    "WebhookVerificationError",
    "verify_webhook",
]
