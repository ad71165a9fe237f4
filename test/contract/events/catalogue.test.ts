// The catalogue has every event, and says of each what a run of the whole system posts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventCatalogue } from "#contract/events/catalogue.ts";
import { eventTypes } from "#contract/messages/events.ts";
import { bodyFault } from "../../posted-event.ts";
import { everyEvent } from "./every-event.ts";

test("every type that an endpoint can ask for is there, and the test event", () => {
  assert.deepEqual(
    eventCatalogue.map(({ type }) => type),
    [...eventTypes, "webhook.test"],
  );
  assert.equal(new Set(eventCatalogue.map(({ title }) => title)).size, eventCatalogue.length);
  for (const { type, title, description, example } of eventCatalogue) {
    assert.match(title, /^[A-Z][^.]+$/);
    assert.match(description, /^[A-Z].*\.$/);
    assert.equal(example.type, type);
    assert.equal(bodyFault(JSON.stringify(example)), null);
  }
});

/** An event without what a run need not repeat: ids are drawn, and a sweep may come a moment later. */
const repeated = (event: object): unknown =>
  JSON.parse(
    JSON.stringify(event)
      .replaceAll(/(?<=[a-z]_)[0-9a-z]{26}(?=")/g, "…")
      .replaceAll(/(?<=")\d{4}-\d\d-\d\dT[\d:.]+Z(?=")|(?<="until":)\d+/g, "0"),
  );

test("a run posts every kind of event, as the catalogue says, and each example is one of them", async () => {
  const posted = await everyEvent();
  for (const { type, example } of eventCatalogue) {
    const ofType = posted.filter((event) => event.type === type).map(repeated);
    assert.ok(ofType.length > 0, `${type} did not happen`);
    const recorded = repeated(example);
    if (!ofType.some((event) => JSON.stringify(event) === JSON.stringify(recorded)))
      assert.deepEqual(ofType[0], recorded, `the example of ${type} is not what was posted`);
  }
});

test("what the catalogue does not describe is a fault", () => {
  const data = { webhook_id: "whe_1" };
  const timestamp = "2026-01-01T00:00:00.000Z";
  const fault = (event: object) =>
    bodyFault(JSON.stringify({ type: "webhook.test", timestamp, data, ...event }));
  assert.equal(fault({}), null);
  assert.match(fault({ type: "webhook.other" }) ?? "", /no event webhook\.other/);
  assert.match(fault({ type: "toString" }) ?? "", /no event toString/);
  assert.match(fault({ data: {} }) ?? "", /not as the catalogue says/);
  assert.match(fault({ data: { ...data, more: 1 } }) ?? "", /fields that the catalogue lacks/);
  assert.match(fault({ id: "evt_1" }) ?? "", /another envelope/);
  assert.match(fault({ timestamp: "2026-01-01" }) ?? "", /another envelope/);
});
