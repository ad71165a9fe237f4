// What messages wait for is read once for each gateway of a page, and not at all if none of them waits.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { readWaiting } from "#messaging/waiting.ts";
import type { Database } from "#store/database.ts";
import { findMessage, type MessageRow } from "#store/messages/lookup.ts";
import { type Harness, harness } from "../harness.ts";

let it: Harness;
let accountId: string;
before(async () => {
  it = await harness({ started: false });
  accountId = (await it.account()).id;
  await it.gateway({ identifier: "one", default: true });
  await it.gateway({ identifier: "owner", kind: "android" });
  await it.gateway({ identifier: "line", kind: "android", settings: { phone: "owner" } });
});
after(() => it?.close());

async function idOf(identifier: string): Promise<string> {
  return (await row(identifier)).gateway_id;
}

async function row(gateway_identifier: string): Promise<MessageRow> {
  const [id = ""] = await it.accepted([{ number: "+4915123456789", message: "Hi", gateway_identifier }]);
  return (await it.system.database.run(findMessage, { accountId, channel: null, id }))!.message;
}

/** The reasons of the rows, and which gateways were read for them, read by read. */
async function waitingOf(rows: readonly MessageRow[]) {
  const reads: unknown[] = [];
  const { core } = it.system;
  const database: Pick<Database, "run"> = {
    run: (operation, input) => {
      reads.push(input);
      return core.database.run(operation, input);
    },
  };
  const waiting = await readWaiting({ ...core, database: database as Database }, rows);
  return { reads, reasons: rows.map((one) => waiting(one)?.reason) };
}

test("each gateway of a page is read once, and none if no message waits", async () => {
  const rows = [await row("one"), await row("one"), await row("owner"), await row("one")];
  const [one, , owner] = rows.map(({ gateway_id }) => gateway_id);
  assert.deepEqual(await waitingOf(rows), {
    reads: [[one, owner]],
    reasons: ["turn", "turn", "not_linked", "turn"],
  });
  const sent = rows.map((message) => ({ ...message, status: "sent" as const }));
  assert.deepEqual((await waitingOf(sent)).reads, []);
  assert.deepEqual((await waitingOf([])).reads, []);
});

test("a second SIM of a phone waits for the link that another gateway owns", async () => {
  const line = await row("line");
  const owner = await idOf("owner");
  const { reads, reasons } = await waitingOf([line]);
  assert.deepEqual(
    [reads, reasons],
    [[[line.gateway_id], { accountId, kind: "android" }, [owner]], ["not_linked"]],
  );
});

test("a gateway that is not there any more", async () => {
  const { reasons } = await waitingOf([{ ...(await row("one")), gateway_id: "gw_gone" }]);
  assert.deepEqual(reasons, ["gateway_missing"]);
});
