// One request for several people: each is reported, each goes its own way.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sendReply } from "#contract/replies.ts";
import { type Harness, harness, someEngines } from "../harness.ts";

for (const engine of someEngines(import.meta.filename)) {
  describe(`a bulk of contacts on ${engine}`, () => {
    let it: Harness;
    before(async () => {
      it = await harness({ engine });
      await it.account({ country: "DE" });
      await it.gateway({ identifier: "box", default: true });
    });
    after(() => it?.close());

    test("is answered with one entry per contact, in the order of the request, as given", async () => {
      const reply = await it.send([
        { number: "+15550000001", message: "one" },
        { number: "0151 555 0002", message: "two" },
        { number: "+15550000003", message: "three", schedule_at: "2026-01-02 00:00:00" },
        { number: "+15550000001", message: "the same person again" },
      ]);
      assert.equal(reply.statusCode, 200);
      assert.match(String(reply.headers["content-type"]), /^application\/json/);
      const { data, success, message } = sendReply.parse(reply.json());
      assert.equal(success, true);
      assert.equal(message, "SMS messages have been queued.");
      assert.equal(reply.headers["x-request-id"], data.request_id);
      assert.match(data.request_id, /^req_/);
      assert.deepEqual(
        data.contact.map(({ number, status }) => [number, status]),
        [
          ["+15550000001", "queued"],
          ["0151 555 0002", "queued"],
          ["+15550000003", "scheduled"],
          ["+15550000001", "queued"],
        ],
      );
      const ids = data.contact.map(({ id }) => id);
      assert.equal(new Set(ids).size, 4);
      assert.deepEqual(ids, [...ids].sort(), "ids sort by their place");

      await it.advance(86_400_000);
      const records = await Promise.all(ids.map((id) => it.message(id)));
      assert.deepEqual(
        records.map(({ status }) => status),
        ["delivered", "undelivered", "failed", "delivered"],
      );
      assert.deepEqual(
        records.map((record) => record.message),
        ["one", "two", "three", "the same person again"],
      );
      for (const record of records) assert.equal(record.request_id, data.request_id);
      const [, second] = records;
      assert.equal(second?.channel === "sms" && second.recipient, "+491515550002");
    });

    test("of ten thousand is accepted whole, and no recipient is lost or doubled", async () => {
      await it.account({ name: "campaign" });
      await it.gateway({ identifier: "campaign-box", default: true, pace: { concurrency: 1000 } });
      const contacts = Array.from({ length: 10_000 }, (_, i) => ({
        number: `+1555${1_000_000 + i * 10}`,
        message: "Sale",
      }));
      const reply = await it.send(contacts);
      assert.equal(reply.statusCode, 200);
      assert.equal(reply.json().data.contact.length, 10_000);
      await it.settle();
      const seen = new Set<string>();
      let cursor: string | null = null;
      do {
        const url = `/api/get/sms?limit=200&status=delivered${cursor === null ? "" : `&cursor=${cursor}`}`;
        const page: { data: { number: string }[]; next_cursor: string | null } = (await it.get(url)).json();
        for (const { number } of page.data) seen.add(number);
        cursor = page.next_cursor;
      } while (cursor !== null);
      assert.equal(seen.size, 10_000);
    });
  });
}
