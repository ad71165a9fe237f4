"""Sends an SMS so that a repeat is safe, then waits for its final status.

    TRUNKLINE_API_KEY=... python3 examples/send.py +15550000001 "Hello"
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid

BASE = os.environ.get("BASE_URL", "http://127.0.0.1:8080")
PENDING = {"queued", "scheduled", "sending", "sent"}


def call(path, body=None, headers=None):
    """The status and the parsed body of an answer; a refused request is an answer too."""
    request = urllib.request.Request(BASE + path, headers={"Api-key": os.environ["TRUNKLINE_API_KEY"], **(headers or {})})
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def send(number, message):
    """Repeats what may be repeated: no answer, 429 and 5xx. The key makes sure that all tries together send once."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    for attempt in range(1, 6):
        try:
            status, answer = call("/api/sms/send", {"contact": [{"number": number, "message": message}]}, key)
        except (urllib.error.URLError, TimeoutError) as error:
            status, answer = 503, {"message": str(error)}
        if status == 200:
            return answer["data"]["contact"][0]
        if status != 429 and status < 500:
            break
        time.sleep(2**attempt)
    sys.exit(f"{status}: {answer}")


def main():
    if len(sys.argv) != 3 or "TRUNKLINE_API_KEY" not in os.environ:
        sys.exit('usage: TRUNKLINE_API_KEY=... python3 examples/send.py NUMBER "TEXT"')
    sent = send(sys.argv[1], sys.argv[2])
    print(sent["id"], sent["status"], flush=True)
    for _ in range(60):
        _, answer = call(f"/api/get/sms/{sent['id']}")
        status = answer["data"]["status"]
        if status not in PENDING:
            print(sent["id"], status)
            sys.exit(0 if status == "delivered" else 1)
        time.sleep(1)
    print(sent["id"], "has no final status yet. Webhooks tell it when it comes.")


main()
