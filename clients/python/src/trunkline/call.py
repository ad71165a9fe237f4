"""One call of the API: its tries, pauses and errors. It asks for both instead of doing them, so that both clients can drive it."""

import json
import random
import re
import time
import uuid
from dataclasses import dataclass, field
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Generator, List, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import urlsplit

import httpx

# A file of an email: its name, its bytes and, where the name's ending does not say it, its type.
File = Union[Tuple[str, bytes], Tuple[str, bytes, str]]

# The first pause; it doubles from try to try, up to the last.
FIRST_PAUSE = 0.5
MAX_PAUSE = 8.0


class TrunklineError(Exception):
    """What Trunkline answered instead of a success, or why no answer came. It never holds the API key.

    `status` is None when no answer came. `code` is that of the answer (docs/reference/errors.md), or None when it has none; `network`,
    `timeout` and `unreadable` (an answer that is not Trunkline's) are the client's own. `errors`, of a 422, says what is wrong by the
    path of the field. `request_id` is for the operator. `idempotency_key`, of a send, is the key that its tries had: a repeat of the same
    send with it sends nothing twice, within 24 hours.
    """

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int],
        code: Optional[str],
        errors: Optional[Mapping[str, Sequence[str]]] = None,
        request_id: Optional[str] = None,
        idempotency_key: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.errors = errors
        self.request_id = request_id
        self.idempotency_key = idempotency_key


def check_header(name: str, value: str) -> None:
    """Raises a ValueError for what no header can carry. The error does not repeat the value, which may be secret."""
    if not re.fullmatch(r"[\x20-\x7e]{1,255}", value):
        raise ValueError(f"{name} is not a text of 1 to 255 printable ASCII characters.")


@dataclass(frozen=True)
class Options:
    """What all calls of a client have in common. `timeout` is in seconds."""

    url: str
    api_key: str = field(repr=False)
    retries: int = 3
    timeout: float = 60.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url is not an address such as https://sms.example.com.")
        if parts.username is not None or parts.password is not None:
            raise ValueError("url may not hold a name or a password.")
        check_header("api_key", self.api_key)


@dataclass(frozen=True)
class Request:
    """`path` begins with /api/. `arguments` are for httpx: json, data, files or params."""

    method: str
    path: str
    arguments: Dict[str, Any] = field(default_factory=dict)
    idempotency_key: Optional[str] = None


@dataclass(frozen=True)
class Try:
    """Asks for a request of httpx with these arguments; its answer with the bytes of the body, or its error, is sent back."""

    arguments: Dict[str, Any]
    ends_at: float

    def in_time(self, piece: bytes) -> bytes:
        """A piece of the body as it comes, or an error when the call's time is over: httpx bounds the wait for each piece alone."""
        if time.monotonic() > self.ends_at:
            raise httpx.ReadTimeout("The answer was still coming when the time was over.")
        return piece


@dataclass(frozen=True)
class Pause:
    """Asks for a pause."""

    seconds: float


Answer = Union[Tuple[httpx.Response, bytes], httpx.RequestError, None]
Steps = Generator[Union[Try, Pause], Answer, Any]


def call(options: Options, request: Request, timeout: Optional[float]) -> Steps:
    """The steps of a call. It returns the parsed answer, or raises a TrunklineError."""
    total = options.timeout if timeout is None else timeout
    ends_at = time.monotonic() + total
    tries = 0
    while True:
        tries += 1
        remaining = max(0.001, ends_at - time.monotonic())
        answer = yield Try(_arguments(options, request, min(remaining, total / 2)), ends_at)
        if isinstance(answer, tuple):
            error, reply = _read(*answer)
            if error is None:
                return reply
            retry_after = _retry_after(answer[0].headers.get("retry-after", ""))
        else:
            error, retry_after = _unanswered(answer), 0.0
        error.idempotency_key = request.idempotency_key
        pause = max(retry_after, _backoff(tries))
        if not _is_repeatable(error) or tries > options.retries or pause >= ends_at - time.monotonic():
            raise error
        yield Pause(pause)


def _arguments(options: Options, request: Request, timeout: float) -> Dict[str, Any]:
    headers = {"Accept": "application/json", "Api-key": options.api_key}
    if request.idempotency_key is not None:
        headers["Idempotency-Key"] = request.idempotency_key
    return {
        "method": request.method,
        "url": options.url.rstrip("/") + request.path,
        "headers": headers,
        "timeout": timeout,
        # A redirect would carry the key to another host.
        "follow_redirects": False,
        **request.arguments,
    }


def _read(answer: httpx.Response, content: bytes) -> Tuple[Optional[TrunklineError], Any]:
    """The error, or else the parsed answer."""
    status, request_id = answer.status_code, answer.headers.get("x-request-id")
    if 300 <= status < 400:
        message = "The address answers with a redirect, which is not followed. Correct the url."
        return TrunklineError(message, status=status, code="unreadable", request_id=request_id), None
    try:
        reply = json.loads(content)
    except ValueError:
        reply = None
    if not isinstance(reply, dict):
        message = f"The answer ({status}) is not Trunkline's."
        return TrunklineError(message, status=status, code="unreadable", request_id=request_id), None
    if 200 <= status < 300:
        return None, reply
    texts = [reply[name] for name in ("message", "error") if isinstance(reply.get(name), str)]
    code, errors = reply.get("code"), reply.get("errors")
    return (
        TrunklineError(
            texts[0] if texts else f"Trunkline answered with {status}.",
            status=status,
            code=code if isinstance(code, str) else None,
            errors=errors if isinstance(errors, dict) else None,
            request_id=request_id,
        ),
        None,
    )


def _unanswered(cause: Optional[httpx.RequestError]) -> TrunklineError:
    if isinstance(cause, httpx.TimeoutException):
        error = TrunklineError("Trunkline did not answer in time.", status=None, code="timeout")
    else:
        error = TrunklineError("Trunkline could not be reached.", status=None, code="network")
    error.__cause__ = cause
    return error


def _is_repeatable(error: TrunklineError) -> bool:
    """Any 5xx can be repeated: sends carry their key, and everything else can be done twice."""
    if error.status is None or error.status == 429 or error.status >= 500:
        return True
    return error.code == "idempotency_in_progress"


def _retry_after(value: str) -> float:
    """`Retry-After` in seconds: a number of them, or a date."""
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return 0.0
    # A date without a zone is one of Greenwich.
    zoned = date if date.tzinfo is not None else date.replace(tzinfo=timezone.utc)
    return max(0.0, zoned.timestamp() - time.time())


def _backoff(tries: int) -> float:
    """Half of it is chance, so that clients that failed together do not come back together."""
    seconds: float = min(MAX_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))
    return seconds / 2 + random.random() * seconds / 2


def send_request(path: str, contacts: Any, idempotency_key: Optional[str], files: Sequence[File] = ()) -> Request:
    """A send to one contact or to several, with a key of its own where none is passed."""
    key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
    check_header("idempotency_key", key)
    contact: List[Any] = [contacts] if isinstance(contacts, Mapping) else list(contacts)
    if not files:
        return Request("POST", path, {"json": {"contact": contact}}, key)
    form = {"data": {"contact": json.dumps(contact)}, "files": [("attachments", tuple(file)) for file in files]}
    return Request("POST", path, form, key)


def message_request(method: str, action: str, channel: str, id: str, body: Optional[Dict[str, Any]] = None) -> Request:
    """What is asked of one message. Raises a ValueError for what is no id: an empty one would ask for the list instead."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", id):
        raise ValueError("id is not the id of a message.")
    return Request(method, f"/api/{action}/{channel}/{id}", {} if body is None else {"json": body})


def page_request(
    action: str, channel: str, cursor: Optional[str], page_size: Optional[int], status: Optional[str] = None
) -> Request:
    """A page of a list."""
    asked = {"limit": page_size, "status": status, "cursor": cursor}
    params = {name: value for name, value in asked.items() if value is not None}
    return Request("GET", f"/api/{action}/{channel}", {"params": params})
