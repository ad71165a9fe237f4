"""Twilio's package for Python, with the HTTP client of docs/from/twilio.md, against a running Trunkline.

Reads BASE (http://127.0.0.1:PORT) and API_KEY (of an account with a sandbox for SMS and one for WhatsApp) from the environment.
Prints a line for each check and ends with 1 when one failed.
"""

import os
import sys
import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl

from twilio.base.exceptions import TwilioRestException
from twilio.http.http_client import TwilioHttpClient
from twilio.request_validator import RequestValidator
from twilio.rest import Client

BASE = os.environ["BASE"]
http_client = TwilioHttpClient()
send = http_client.request


def request(method, url, *args, **kwargs):
    return send(method, url.replace("https://api.twilio.com", f"{BASE}/api/twilio"), *args, **kwargs)


http_client.request = request
client = Client("AC0", os.environ["API_KEY"], http_client=http_client)
posted = []
arrived = threading.Condition()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        with arrived:
            posted.append((self.path, self.headers["x-twilio-signature"], dict(parse_qsl(body))))
            arrived.notify()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def same(actual, expected):
    assert actual == expected, f"{actual!r} is not {expected!r}"


def sends():
    message = client.messages.create(to="+15550000001", from_="+15005550006", body="Hi")
    same((message.to, message.body, message.status), ("+15550000001", "Hi", "queued"))
    same(isinstance(message.date_created, datetime), True)
    same(client.messages(message.sid).fetch().sid, message.sid)
    file = client.messages.create(to="whatsapp:+15550000001", media_url=["https://cdn.example.com/a.png"])
    same((file.to, file.num_media), ("whatsapp:+15550000001", "1"))


def schedules():
    at = datetime.now(timezone.utc) + timedelta(days=1)
    message = client.messages.create(to="+15550000001", body="Later", schedule_type="fixed", send_at=at)
    same(message.status, "scheduled")
    same(client.messages(message.sid).update(status="canceled").status, "canceled")


def lists():
    for text in ["one", "two", "three"]:
        client.messages.create(to="+15550000091", body=text)
    found = client.messages.list(to="+15550000091", page_size=2)
    same([message.body for message in found], ["three", "two", "one"])


def fails():
    try:
        client.messages.create(to="no-number", body="Hi")
    except TwilioRestException as error:
        same((error.status, error.code), (400, 21211))
        return
    raise AssertionError("It was accepted.")


def checks_callbacks():
    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/status?order=a%20b"
    message = client.messages.create(to="+15550000001", body="Hi", status_callback=url)
    validator = RequestValidator(client.api.v2010.accounts("AC0").fetch().auth_token)
    with arrived:
        arrived.wait_for(lambda: any(form["MessageStatus"] == "delivered" for _, _, form in posted), timeout=20)
    same("delivered" in [form["MessageStatus"] for _, _, form in posted], True)
    for path, signature, form in posted:
        same(form["MessageSid"], message.sid)
        same(validator.validate(url.replace("/status?order=a%20b", path), form, signature), True)
        same(validator.validate(url, {**form, "MessageStatus": "read"}, signature), False)
    server.shutdown()


checks = [sends, schedules, lists, fails, checks_callbacks]
failed = 0
for check in checks:
    try:
        check()
        print(f"✔ twilio: {check.__name__}", flush=True)
    except Exception as error:
        failed += 1
        print(f"✖ twilio: {check.__name__}: {type(error).__name__}: {str(error)[:400]}", flush=True)
print(f"{len(checks) - failed} of {len(checks)} checks of messages hold.")
sys.exit(1 if failed else 0)
