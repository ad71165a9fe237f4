"""Resend's package for Python, unmodified, against a running Trunkline.

Reads BASE (http://127.0.0.1:PORT) and API_KEY (of an account with a sandbox for mail) from the environment.
Prints a line for each check and ends with 1 when one failed.
"""

import base64
import os
import sys
from datetime import datetime, timedelta, timezone

os.environ["RESEND_API_URL"] = f"{os.environ['BASE']}/api/resend"
os.environ["RESEND_API_KEY"] = os.environ["API_KEY"]

import resend  # noqa: E402 - it reads both variables while it is imported.
from resend.exceptions import ResendError  # noqa: E402

mail = {"from": "Acme <news@acme.example>", "to": ["delivered@example.com"], "subject": "Hi", "html": "<p>Hi</p>"}


def same(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r}, not {expected!r}")


def sends():
    text = b"Hello"
    files = [
        {"filename": "list.txt", "content": list(text)},
        {"filename": "base64.txt", "content": base64.b64encode(text).decode()},
    ]
    tags = [{"name": "campaign", "value": "spring"}]
    sent = resend.Emails.send({**mail, "cc": "cy@example.com", "tags": tags, "attachments": files})
    found = resend.Emails.get(sent["id"])
    same((found["subject"], found["cc"], found["tags"]), ("Hi", ["cy@example.com"], tags))


def sends_a_batch():
    sent = resend.Batch.send([{**mail, "subject": subject} for subject in ["one", "two"]])
    same([resend.Emails.get(each["id"])["subject"] for each in sent["data"]], ["one", "two"])


def schedules():
    at = lambda days: (datetime.now(timezone.utc) + timedelta(days=days)).isoformat()
    sent = resend.Emails.send({**mail, "scheduled_at": at(1)})
    same(resend.Emails.update({"id": sent["id"], "scheduled_at": at(2)})["id"], sent["id"])
    same(resend.Emails.cancel(sent["id"])["id"], sent["id"])
    same(resend.Emails.get(sent["id"])["last_event"], "canceled")


def repeats():
    options = {"idempotency_key": "invoice-1001"}
    same(resend.Emails.send(mail, options)["id"], resend.Emails.send(mail, options)["id"])


def fails():
    try:
        resend.Emails.send({**mail, "to": "ada"})
    except ResendError as error:
        same((error.code, error.error_type), (422, "validation_error"))
        return
    raise AssertionError("It was accepted.")


checks = [sends, sends_a_batch, schedules, repeats, fails]
failed = 0
for check in checks:
    try:
        check()
        print(f"✔ resend: {check.__name__}", flush=True)
    except Exception as error:
        failed += 1
        print(f"✖ resend: {check.__name__}: {type(error).__name__}: {str(error)[:400]}", flush=True)
print(f"{len(checks) - failed} of {len(checks)} checks of mails hold.")
sys.exit(1 if failed else 0)
