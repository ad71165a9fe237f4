// The `webhooks` of the document: every event, with headers, a named body and an example.

import assert from "node:assert/strict";
import { test } from "node:test";
import { eventTypes } from "#contract/messages/events.ts";
import { bodyFault } from "../../posted-event.ts";
import { document, webhooks } from "./reading.ts";

test("every type of event is a webhook with a body of its own, and its example is that body", () => {
  assert.deepEqual(
    webhooks.map(({ type }) => type),
    [...eventTypes, "webhook.test"],
  );
  const names = new Set<string>();
  for (const { type, operation } of webhooks) {
    const { schema, example } = operation.requestBody!.content["application/json"]!;
    const name = String((schema as { $ref: string }).$ref.split("/").at(-1));
    names.add(name);
    const body = document.components.schemas![name] as {
      required: string[];
      properties: { type: { const: string }; data: { $ref: string } };
    };
    assert.deepEqual(body.required, ["type", "timestamp", "data"]);
    assert.equal(body.properties.type.const, type);
    assert.match(body.properties.data.$ref, /EventData$/);
    assert.equal((example as { type: string }).type, type);
    assert.equal(bodyFault(JSON.stringify(example)), null);
    assert.ok(document.tags.some((tag) => operation.tags.includes(tag.name)));
  }
  assert.equal(names.size, webhooks.length);
  assert.ok(names.has("MessageDeliveredEvent") && names.has("PoolMemberDownEvent"));
});

test("a post has the headers of Standard Webhooks, and what may be answered is said", () => {
  for (const { type, operation } of webhooks) {
    assert.deepEqual(
      operation.parameters?.map(({ name, in: place, required }) => [name, place, required]),
      ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, "header", true]),
      type,
    );
    assert.deepEqual(Object.keys(operation.responses).sort(), ["2XX", "410"]);
  }
});
