"""The Python client against a running Trunkline, and against scripted answers.

Reads BASE, API_KEY, WEBHOOK_SECRET and HOOK_PORT (where the account's webhook posts to) from the environment.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, AsyncIterator, Callable, Dict, Iterator, List, Optional, Tuple, Union

import httpx

from trunkline import AsyncTrunkline, Trunkline, TrunklineError, VerifiedWebhook, WebhookVerificationError, verify_webhook
from trunkline.types import EmailContact, SmsContact

BASE = os.environ["BASE"]
KEY = os.environ["API_KEY"]
SECRET = os.environ["WEBHOOK_SECRET"]
HOOK_PORT = int(os.environ["HOOK_PORT"])

CONTACT: SmsContact = {"number": "+15550000001", "message": "Hello"}


class Dropping(httpx.BaseTransport):
    """Loses the first answers after the server has taken the request."""

    def __init__(self, drops: int) -> None:
        self.drops = drops
        self.keys: List[str] = []
        self._inner = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers["idempotency-key"])
        response = self._inner.handle_request(request)
        if len(self.keys) <= self.drops:
            response.read()
            raise httpx.ReadError("The connection broke.", request=request)
        return response

    def close(self) -> None:
        self._inner.close()


class RealSystem(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Trunkline(BASE, KEY)
        self.addCleanup(self.client.close)

    def test_sends_and_looks_up(self) -> None:
        one = self.client.sms.send(CONTACT)
        self.assertEqual([each["status"] for each in one["contact"]], ["queued"])
        two = self.client.whatsapp.send([
            {"number": "+15550000001", "message": "Hi"},
            {"number": "+15550000001", "message": "Later", "schedule_at": "2035-01-31 09:00:00"},
        ])
        self.assertEqual([each["status"] for each in two["contact"]], ["queued", "scheduled"])
        record = self.client.messages.get("sms", one["contact"][0]["id"])
        self.assertEqual((record["channel"], record["message"]), ("sms", "Hello"))
        later = two["contact"][1]["id"]
        moved = self.client.messages.reschedule("whatsapp", later, "2035-01-31 10:00:00")
        self.assertEqual(moved["schedule_at"], "2035-01-31 10:00:00")
        self.assertEqual(self.client.messages.cancel("whatsapp", later)["status"], "cancelled")

    def test_decides_only_what_is_unknown(self) -> None:
        one = self.client.sms.send(CONTACT)
        with self.assertRaises(TrunklineError) as known:
            self.client.messages.resolve("sms", one["contact"][0]["id"], "mark_sent")
        self.assertEqual((known.exception.status, known.exception.code), (409, "not_unknown"))

    def test_files_arrive_and_the_same_send_is_done_once(self) -> None:
        mail: EmailContact = {"email": "delivered@example.com", "subject": "Files", "message": "<p>See</p>"}
        pdf = b"%PDF-1.7\n" + bytes(range(256)) * 100
        files = [("Rechnung 1 – Zoë.pdf", pdf)]
        first, second = (self.client.email.send(mail, files=files, idempotency_key="mail 1") for _ in range(2))
        self.assertEqual(first, second)
        record = self.client.messages.get("email", first["contact"][0]["id"])
        assert record["channel"] == "email"
        self.assertEqual(
            [(each["filename"], each["size"], each["content_type"]) for each in record["attachments"]],
            [("Rechnung 1 – Zoë.pdf", len(pdf), "application/pdf")],
        )

    def test_goes_through_pages(self) -> None:
        texts = [f"page {n}" for n in range(5)]
        self.client.sms.send([{"number": "+15550000001", "message": text} for text in texts])
        listed = [record["message"] for record in self.client.messages.list("sms", page_size=2)]
        self.assertEqual([text for text in listed if text.startswith("page")], texts[::-1])

    def test_reads_what_people_answered(self) -> None:
        self.client.whatsapp.send_list({
            "number": "+15550000007",
            "message": "When?",
            "button": "Choose",
            "sections": [{"rows": [{"id": "morning", "title": "08:00"}]}],
        })
        until = time.monotonic() + 30
        while True:
            replies = list(self.client.messages.received("whatsapp"))
            if replies or time.monotonic() > until:
                break
            time.sleep(0.2)
        reply = replies[0]["reply"]
        assert reply is not None
        self.assertEqual((replies[0]["from"], reply["id"]), ("+15550000007", "morning"))

    def test_errors_say_what_was_wrong(self) -> None:
        with self.assertRaises(TrunklineError) as invalid:
            self.client.sms.send([CONTACT, {"number": "none", "message": ""}])
        self.assertEqual(invalid.exception.status, 422)
        self.assertEqual(set(invalid.exception.errors or {}), {"contact.1.number", "contact.1.message"})
        self.assertRegex(invalid.exception.request_id or "", r"^req_")
        with Trunkline(BASE, KEY + "x") as other, self.assertRaises(TrunklineError) as refused:
            other.sms.send(CONTACT)
        error = refused.exception
        self.assertEqual((error.status, str(error), error.errors), (403, "Invalid Api Key", None))
        self.assertNotIn(KEY, repr(error) + repr(vars(error)) + repr(vars(other)["_options"]))
        for id in ("", "..", "a/b"):
            with self.assertRaises(ValueError):
                self.client.messages.get("sms", id)

    def test_a_lost_answer_sends_nothing_twice(self) -> None:
        transport = Dropping(2)
        pauses: List[float] = []
        with httpx.Client(transport=transport) as http:
            client = Trunkline(BASE, KEY, http=http, sleep=pauses.append)
            sent = client.sms.send({"number": "+15550000001", "message": "only once"})
        self.assertEqual((len(transport.keys), len(set(transport.keys)), len(pauses)), (3, 1, 2))
        same = [record for record in self.client.messages.list("sms") if record["message"] == "only once"]
        self.assertEqual([record["id"] for record in same], [sent["contact"][0]["id"]])

    def test_asyncio(self) -> None:
        async def run() -> List[str]:
            async with AsyncTrunkline(BASE, KEY) as client:
                sent = await client.sms.send({"number": "+15550000001", "message": "async"})
                record = await client.messages.get("sms", sent["contact"][0]["id"])
                async for each in client.messages.list("sms", page_size=1):
                    return [record["id"], each["id"], sent["contact"][0]["id"]]
            return []

        self.assertEqual(len(set(asyncio.run(run()))), 1)

    def test_webhooks_of_the_system_are_verified(self) -> None:
        verified: List[VerifiedWebhook] = []
        delivered = threading.Event()

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                verified.append(verify_webhook(SECRET, self.headers, body))
                self.send_response(204)
                self.end_headers()
                event = verified[-1].event
                if event["type"] == "message.delivered" and event["data"]["channel"] == "sms":
                    if event["data"]["message"] == "to a hook":
                        delivered.set()

            def log_message(self, *_: Any) -> None:
                pass

        server = HTTPServer(("127.0.0.1", HOOK_PORT), Receiver)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.client.sms.send({"number": "+15550000001", "message": "to a hook"})
        self.assertTrue(delivered.wait(60))
        self.assertTrue(all(each.id.startswith("evt_") for each in verified))


Answer = Callable[[httpx.Request], httpx.Response]


def accepted(_: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"success": True, "message": "Queued.", "data": {"request_id": "r", "contact": []}})


def problem(status: int, code: str, headers: Optional[Dict[str, str]] = None) -> Answer:
    return lambda _: httpx.Response(status, json={"success": False, "message": "No.", "code": code}, headers=headers)


def broken(_: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused")


def silent(_: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("silent")


class Scripted(unittest.TestCase):
    """Tries meet `answers` in turn, the last one again and again."""

    def run_send(self, *answers: Answer, **options: Any) -> Tuple[List[httpx.Request], List[float], Optional[TrunklineError]]:
        asked: List[httpx.Request] = []
        pauses: List[float] = []

        def answer(request: httpx.Request) -> httpx.Response:
            asked.append(request)
            return answers[min(len(asked), len(answers)) - 1](request)

        client = Trunkline(
            "https://example.com/trunkline/",
            KEY,
            http=httpx.Client(transport=httpx.MockTransport(answer)),
            sleep=pauses.append,
            **options,
        )
        try:
            client.sms.send(CONTACT)
        except TrunklineError as error:
            return asked, pauses, error
        return asked, pauses, None

    def test_a_send(self) -> None:
        [request], pauses, error = self.run_send(accepted)
        self.assertEqual((str(request.url), pauses, error), ("https://example.com/trunkline/api/sms/send", [], None))
        self.assertEqual(json.loads(request.content), {"contact": [CONTACT]})
        self.assertEqual(request.headers["api-key"], KEY)

    def test_four_tries_with_one_key(self) -> None:
        asked, pauses, error = self.run_send(broken)
        assert error is not None
        self.assertEqual((error.status, error.code, len(asked)), (None, "network", 4))
        self.assertEqual(len({request.headers["idempotency-key"] for request in asked}), 1)
        for at, seconds in enumerate(pauses):
            self.assertTrue(0.25 * 2**at <= seconds <= 0.5 * 2**at, seconds)
        self.assertEqual(len(self.run_send(broken, retries=0)[0]), 1)
        _, _, late = self.run_send(silent)
        assert late is not None
        self.assertEqual(late.code, "timeout")

    def test_the_error_has_the_key_of_the_send(self) -> None:
        page = lambda _: httpx.Response(504, text="<h1>Gateway timeout</h1>")  # noqa: E731
        cut = lambda _: httpx.Response(200, text='{"success": tr')  # noqa: E731
        for answer in (page, cut, broken, silent, problem(503, "commit_unknown"), problem(429, "rate_limited")):
            asked, _, error = self.run_send(answer)
            assert error is not None
            self.assertEqual({request.headers["idempotency-key"] for request in asked}, {error.idempotency_key})
        client = Trunkline("https://example.com", KEY, http=httpx.Client(transport=httpx.MockTransport(problem(404, "x"))))
        with self.assertRaises(TrunklineError) as other:
            client.messages.get("sms", "msg_1")
        self.assertIsNone(other.exception.idempotency_key)

    def test_an_answer_that_drips_ends_with_the_time(self) -> None:
        # Without a deadline the body would take 20 times as long as the call may.
        class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
            pieces = 0

            def __iter__(self) -> Iterator[bytes]:
                for _ in range(200):
                    time.sleep(0.02)
                    self.pieces += 1
                    yield b" "

            async def __aiter__(self) -> AsyncIterator[bytes]:
                for piece in self:
                    yield piece

        async def ask(transport: httpx.MockTransport) -> None:
            async with httpx.AsyncClient(transport=transport) as http:
                await AsyncTrunkline("https://example.com", KEY, http=http, timeout=0.2).messages.get("sms", "msg_1")

        body = Body()
        transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=body))
        client = Trunkline("https://example.com", KEY, http=httpx.Client(transport=transport), timeout=0.2)
        for attempt in (lambda: client.messages.get("sms", "msg_1"), lambda: asyncio.run(ask(transport))):
            body.pieces = 0
            with self.assertRaises(TrunklineError) as late:
                attempt()
            self.assertEqual((late.exception.status, late.exception.code), (None, "timeout"))
            self.assertLess(body.pieces, 200)

    def test_what_is_repeated(self) -> None:
        page = lambda _: httpx.Response(502, text="<h1>Bad gateway</h1>")  # noqa: E731
        for answer in (
            broken,
            silent,
            page,
            problem(429, "rate_limited"),
            problem(500, "server_error"),
            problem(503, "commit_unknown"),
            problem(409, "idempotency_in_progress"),
        ):
            asked, _, error = self.run_send(answer, accepted)
            self.assertEqual((len(asked), error), (2, None))

    def test_what_is_not(self) -> None:
        for status in (301, 400, 402, 403, 404, 408, 409, 410, 413, 415, 422, 431):
            asked, _, error = self.run_send(problem(status, "conflict"))
            assert error is not None
            self.assertEqual((len(asked), error.status), (1, status))
        asked, _, error = self.run_send(lambda _: httpx.Response(200, text="<h1>Welcome</h1>"))
        assert error is not None
        self.assertEqual((len(asked), error.status, error.code), (1, 200, "unreadable"))

    def test_retry_after(self) -> None:
        date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30), usegmt=True)
        asked, pauses, _ = self.run_send(
            problem(503, "unavailable", {"retry-after": "7"}),
            problem(503, "unavailable", {"retry-after": date}),
            problem(503, "unavailable", {"retry-after": "soon"}),
            accepted,
        )
        self.assertEqual((len(asked), pauses[0]), (4, 7.0))
        self.assertTrue(10 < pauses[1] <= 30 and pauses[2] <= 2, pauses)
        asked, pauses, error = self.run_send(problem(429, "rate_limited", {"retry-after": "3600"}))
        self.assertEqual((len(asked), pauses, error and error.code), (1, [], "rate_limited"))

    def test_options(self) -> None:
        for url, key in (
            ("sms.example.com", KEY),
            ("ftp://sms.example.com", KEY),
            ("https://user:sesame@sms.example.com", KEY),
            ("https://sms.example.com", "sesame\n"),
            ("https://sms.example.com", ""),
        ):
            with self.assertRaises(ValueError) as caught:
                Trunkline(url, key)
            self.assertNotIn("sesame", str(caught.exception))


class Webhooks(unittest.TestCase):
    now = 1_767_225_600
    body = '{"type":"webhook.test","timestamp":"x","data":{"webhook_id":"Zoë"}}'
    own = "whsec_" + base64.b64encode(bytes([5]) * 32).decode()
    other = "whsec_" + base64.b64encode(bytes([6]) * 32).decode()

    def headers(self, *secrets: str, seconds: int = now, body: str = body) -> Dict[str, str]:
        def signature(secret: str) -> str:
            signed = f"evt_1.{seconds}.{body}".encode()
            mac = hmac.new(base64.b64decode(secret[6:]), signed, hashlib.sha256)
            return "v1," + base64.b64encode(mac.digest()).decode()

        signatures = " ".join(signature(secret) for secret in secrets)
        return {"Webhook-Id": "evt_1", "webhook-timestamp": str(seconds), "webhook-signature": signatures}

    def test_genuine(self) -> None:
        for secrets in (self.own, [self.other, self.own]):
            for body in (self.body, self.body.encode()):
                for headers in (self.headers(self.own), self.headers(self.other, self.own)):
                    found = verify_webhook(secrets, headers, body, now=self.now)
                    self.assertEqual((found.id, found.event["type"]), ("evt_1", "webhook.test"))

    def test_refused(self) -> None:
        good = self.headers(self.own)
        signature = good["webhook-signature"]
        for reason, headers, body in (
            ("signature", self.headers(self.other), self.body),
            ("signature", good, self.body + " "),
            ("signature", {**good, "Webhook-Id": "evt_2"}, self.body),
            ("signature", {**good, "Webhook-Id": "\udcff"}, self.body),
            ("signature", {**good, "webhook-timestamp": str(self.now + 1)}, self.body),
            ("signature", {**good, "webhook-signature": signature.replace("v1", "v2")}, self.body),
            ("signature", {**good, "webhook-signature": "v1,é v1, v1,\udcff"}, self.body),
            ("signature", {**good, "webhook-signature": "v1,x " * 10 + signature}, self.body),
            ("timestamp", self.headers(self.own, seconds=self.now - 301), self.body),
            ("timestamp", self.headers(self.own, seconds=self.now + 301), self.body),
            ("timestamp", {**good, "webhook-timestamp": "nan"}, self.body),
            ("headers", {}, self.body),
            ("headers", {**good, "webhook-id": "evt_1"}, self.body),
            ("body", self.headers(self.own, body="[]"), "[]"),
            ("body", self.headers(self.own, body="{"), "{"),
            ("body", self.headers(self.own, body="[" * 100_000), "[" * 100_000),
        ):
            with self.assertRaises(WebhookVerificationError) as caught:
                verify_webhook(self.own, headers, body, now=self.now)
            self.assertEqual(caught.exception.reason, reason)
        with self.assertRaises(WebhookVerificationError):
            verify_webhook(self.own, good, self.body, now=self.now, tolerance=float("nan"))

    def test_wrong_use(self) -> None:
        wrong: List[Union[str, List[str]]] = ["", "whsec_", "whsec_!", []]
        for secrets in wrong:
            with self.assertRaises(ValueError):
                verify_webhook(secrets, self.headers(self.own), self.body, now=self.now)
        parsed: Any = json.loads(self.body)
        with self.assertRaises(TypeError):
            verify_webhook(self.own, self.headers(self.own), parsed, now=self.now)


if __name__ == "__main__":
    unittest.main(verbosity=2)
