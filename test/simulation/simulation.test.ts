// Many short random histories, each checked when it has come to rest; and a control that the checker can see.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Database } from "#store/database.ts";
import { type Ground, ground } from "../harness.ts";
import { share } from "../runner/share.ts";
import { check, type Evidence } from "./checker.ts";
import { World } from "./world.ts";

const allSeeds = 40;
/** More histories are found by adding to these. */
const seeds = share(
  "histories",
  ["src/store/", "src/queue/", "src/messaging/", "test/simulation/"],
  [...Array.from({ length: allSeeds }, (_, index) => index + 1)],
);

let own: Ground;
let database: Database;
let last: Evidence;

before(async () => {
  own = await ground("sqlite");
  database = await own.open();
});
after(async () => {
  await database?.close();
  await own?.remove();
});

test(`${seeds.length} histories with kills, doubts, receipts in any order and storage faults keep every promise`, async () => {
  const totals = { accepted: 0, seen: 0, doubtful: 0, cancelled: 0, unclear: 0 };
  for (const seed of seeds) {
    last = await new World(seed, database).run();
    assert.deepEqual(check(last), [], `seed ${seed}`);
    totals.accepted += last.stored.length;
    totals.seen += last.seen.length;
    totals.doubtful += last.stored.filter(({ message }) => message.status === "unknown").length;
    totals.cancelled += last.cancelled.size;
    totals.unclear += last.requests.filter(({ result }) => result === "unknown").length;
  }
  // Histories in which nothing happens prove nothing.
  assert.ok(totals.accepted > seeds.length * 20, JSON.stringify(totals));
  assert.ok(
    totals.seen > seeds.length * 15 && totals.doubtful > seeds.length && totals.cancelled > seeds.length / 4,
    JSON.stringify(totals),
  );
  // It is rare: a share of the histories may have none.
  if (seeds.length === allSeeds) assert.ok(totals.unclear > 0, JSON.stringify(totals));
});

const plants: [what: string, plant: (evidence: Evidence) => void, seen: RegExp][] = [
  [
    "a message that is gone",
    (it) =>
      void it.stored.splice(
        it.stored.findIndex(({ message }) => message.body === lastAccepted(it)),
        1,
      ),
    /is lost/,
  ],
  ["a message stored twice", (it) => void it.stored.push(it.stored[0]!), /stored 2 times/],
  [
    "a message sent twice",
    (it) =>
      void it.seen.push(
        ...it.seen.filter(({ certainlyNot }) => !certainlyNot).slice(0, 1),
        ...it.seen.filter(({ certainlyNot }) => !certainlyNot).slice(0, 1),
      ),
    /may have been sent/,
  ],
  [
    "a message sent out of nowhere",
    (it) => void it.seen.push({ id: "msg_nowhere", at: 0, certainlyNot: false }),
    /no process accepted it/,
  ],
  [
    "a message sent early",
    (it) => {
      it.seen[0]!.at = 0;
    },
    /before its time/,
  ],
  [
    "a message still waiting",
    (it) => {
      it.stored[0]!.message.status = "queued";
    },
    /still is queued/,
  ],
  [
    "a hole in a timeline",
    (it) => void it.stored.find(({ events }) => events.length > 1)!.events.splice(0, 1),
    /has no event/,
  ],
  [
    "a message that fell",
    (it) => {
      const one = it.stored.find(({ message }) => message.status === "delivered")!;
      one.events.push({ seq: one.events.length + 1, type: "sent" });
    },
    /fell from delivered/,
  ],
  [
    "credit that vanished",
    (it) => {
      it.accounts[0]!.remaining! -= 1;
    },
    /is not the remaining/,
  ],
  [
    "a refused request that is stored",
    (it) => {
      it.requests.find(({ result }) => result === "accepted")!.result = "refused";
    },
    /refused, but stored/,
  ],
  [
    "a cancelled message that was sent",
    (it) => {
      const [id, at] = [...it.cancelled][0] ?? [it.stored[0]!.message.id, 0];
      (it.cancelled as Map<string, number>).set(id, at);
      it.seen.push({ id, at: at + 1, certainlyNot: true });
    },
    /after it was cancelled/,
  ],
];

function lastAccepted(evidence: Evidence): string {
  return evidence.requests.findLast(({ result }) => result === "accepted")!.markers[0]!;
}

for (const [what, plant, seen] of plants) {
  test(`the checker sees ${what}`, () => {
    const copy = structuredClone(last);
    plant(copy);
    assert.ok(
      check(copy).some((line) => seen.test(line)),
      check(copy).join("\n"),
    );
  });
}
