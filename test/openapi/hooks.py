"""Leaves out generated cases that break the schema in a way that the service allows, and mends those that break a rule
that the schema cannot express."""

import datetime

import schemathesis


def is_empty(value):
    """Whether nothing is left of the value in a URL."""
    if isinstance(value, dict):
        return all(is_empty(item) for item in value.values())
    if isinstance(value, list):
        return all(is_empty(item) for item in value)
    return value == "" or value is None


@schemathesis.hook
def filter_case(context, case):
    # An empty query parameter counts as absent.
    return not any(is_empty(value) for value in (case.query or {}).values())


SCHEDULE = "X-Trunkline-Schedule-At"
DELIVER = "X-Trunkline-Deliver"


@schemathesis.hook
def before_call(context, case, kwargs):
    """A time within a year from now, beside the header that it needs; a stream is not deferred."""
    headers = case.headers
    if not headers or not case.meta or not case.meta.generation.mode.is_positive:
        return
    # The coverage phase makes headers of letters and digits alone, so its values do not have the pattern.
    if SCHEDULE in headers:
        tomorrow = datetime.datetime.now() + datetime.timedelta(days=1)
        headers[SCHEDULE] = tomorrow.strftime("%Y-%m-%d %H:%M:%S")
        headers[DELIVER] = "webhook"
    if isinstance(case.body, dict) and case.body.get("stream") is True:
        headers.pop(SCHEDULE, None)
        headers.pop(DELIVER, None)
