"""The client: what an application does with an account's messages."""

import time
from typing import Any, Callable, Iterator, Literal, Optional, Sequence, Union, cast

import httpx

from .call import (
    Answer,
    File,
    Options,
    Pause,
    Request,
    call,
    message_request,
    page_request,
    send_request,
)
from .types import (
    Channel,
    EmailContact,
    EmailSendReplyData,
    MessageRecord,
    MessageStatus,
    ReceivedMessage,
    SmsContact,
    SmsSendReplyData,
    WhatsappContact,
    WhatsappListContact,
    WhatsappSendReplyData,
)

Call = Callable[[Request, Optional[float]], Any]


class Trunkline:
    """A client of one account. Calls raise a TrunklineError; options that cannot work raise a ValueError.

    `retries`: how many times a call is repeated at most. `timeout`: how many seconds a call may take with its tries and pauses; a
    try that hears nothing for half of it has ended. `http`: a client of httpx to ask with, which the caller closes. `sleep` takes the place of
    the pause between two tries, for tests.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        retries: int = 3,
        timeout: float = 60.0,
        http: Optional[httpx.Client] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._options = Options(url, api_key, retries, timeout)
        self._own = httpx.Client() if http is None else None
        self._http = self._own or http
        self._sleep = sleep
        self.sms = Sms(self._call)
        self.whatsapp = Whatsapp(self._call)
        self.email = Email(self._call)
        self.messages = Messages(self._call)

    def close(self) -> None:
        """Closes its connections."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> "Trunkline":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, request: Request, timeout: Optional[float]) -> Any:
        steps = call(self._options, request, timeout)
        assert self._http is not None
        answer: Answer = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return end.value
            if isinstance(step, Pause):
                answer = None
                self._sleep(step.seconds)
                continue
            try:
                with self._http.stream(**step.arguments) as response:
                    pieces = [step.in_time(piece) for piece in response.iter_bytes()]
                answer = (response, b"".join(pieces))
            except httpx.RequestError as error:
                answer = error


class Sms:
    def __init__(self, call: Call) -> None:
        self._call = call

    def send(
        self,
        contacts: Union[SmsContact, Sequence[SmsContact]],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SmsSendReplyData:
        """Sends to one contact or to several, all of them or none. It returns when every message is stored."""
        request = send_request("/api/sms/send", contacts, idempotency_key)
        return cast(SmsSendReplyData, self._call(request, timeout)["data"])


class Whatsapp:
    def __init__(self, call: Call) -> None:
        self._call = call

    def send(
        self,
        contacts: Union[WhatsappContact, Sequence[WhatsappContact]],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> WhatsappSendReplyData:
        """Sends texts, files with captions, or templates."""
        request = send_request("/api/whatsapp/send", contacts, idempotency_key)
        return cast(WhatsappSendReplyData, self._call(request, timeout)["data"])

    def send_list(
        self,
        contacts: Union[WhatsappListContact, Sequence[WhatsappListContact]],
        *,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> WhatsappSendReplyData:
        """Sends messages with a button that opens a list."""
        request = send_request("/api/whatsapp/send-list", contacts, idempotency_key)
        return cast(WhatsappSendReplyData, self._call(request, timeout)["data"])


class Email:
    def __init__(self, call: Call) -> None:
        self._call = call

    def send(
        self,
        contacts: Union[EmailContact, Sequence[EmailContact]],
        *,
        files: Sequence[File] = (),
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> EmailSendReplyData:
        """Sends to one contact or to several; every one gets all `files`."""
        request = send_request("/api/email/send", contacts, idempotency_key, files)
        return cast(EmailSendReplyData, self._call(request, timeout)["data"])


class Messages:
    def __init__(self, call: Call) -> None:
        self._call = call

    def get(self, channel: Channel, id: str, *, timeout: Optional[float] = None) -> MessageRecord:
        """A message with its timeline."""
        request = message_request("GET", "get", channel, id)
        return cast(MessageRecord, self._call(request, timeout)["data"])

    def list(
        self,
        channel: Channel,
        *,
        status: Optional[MessageStatus] = None,
        page_size: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> Iterator[MessageRecord]:
        """The channel's messages, the newest first. Pages are fetched as the loop comes to them."""
        cursor: Optional[str] = None
        while True:
            page = self._call(page_request("get", channel, cursor, page_size, status), timeout)
            for message in page["data"]:
                yield message
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def received(
        self, channel: Channel, *, page_size: Optional[int] = None, timeout: Optional[float] = None
    ) -> Iterator[ReceivedMessage]:
        """Messages from people, the newest first."""
        cursor: Optional[str] = None
        while True:
            page = self._call(page_request("received", channel, cursor, page_size), timeout)
            for message in page["data"]:
                yield message
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def cancel(self, channel: Channel, id: str, *, timeout: Optional[float] = None) -> MessageRecord:
        """Possible until the transmission starts; after that it raises `not_cancellable`."""
        request = message_request("POST", "cancel", channel, id, {})
        return cast(MessageRecord, self._call(request, timeout)["data"])

    def reschedule(
        self, channel: Channel, id: str, schedule_at: Optional[str], *, timeout: Optional[float] = None
    ) -> MessageRecord:
        """Moves a message to another time of the account's time zone (`2030-01-31 09:00:00`); None: it is due at once.

        When the first answer was lost and the message has gone out since, it raises `not_cancellable`.
        """
        request = message_request("POST", "reschedule", channel, id, {"schedule_at": schedule_at})
        return cast(MessageRecord, self._call(request, timeout)["data"])

    def resolve(
        self, channel: Channel, id: str, answer: Literal["send_again", "mark_sent", "mark_failed"], *, timeout: Optional[float] = None
    ) -> MessageRecord:
        """Decides a message that may or may not have been sent (`unknown`).

        When the first answer was lost, or the provider has reported since, it raises `not_unknown`.
        """
        request = message_request("POST", "resolve", channel, id, {"answer": answer})
        return cast(MessageRecord, self._call(request, timeout)["data"])
