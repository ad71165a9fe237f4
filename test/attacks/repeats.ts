// The Idempotency-Key, abused: another account's, odd ones, a hundred at once, another body under a used one.

import { jsonOf, type Reply } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { secrets } from "./installation.ts";
import type { Stage } from "./stage.ts";

const family = "repeats";

function send(stage: Stage, key: string, message: string, repeatKey: string): Promise<Reply> {
  return stage.ask({
    path: "/api/sms/send",
    headers: [
      ["Api-key", key],
      ["Idempotency-Key", repeatKey],
    ],
    body: { contact: [{ number: "+15550000001", message }] },
  });
}

const idOf = (reply: Reply) => jsonOf(reply)?.data?.contact?.[0]?.id as string | undefined;

const abuse: Attack = {
  family,
  name: "Idempotency-Key: others', odd, 100 at once, another body",
  expected: "one set each, 409 while running, 422 for another body",
  short: true,
  engines: ["sqlite", "postgres"],
  async run(stage, size) {
    const it = tally();
    const ids = new Set<string>();
    const count = size === "whole" ? 100 : 40;
    await spread(count, count, async () => {
      const reply = await send(stage, secrets.ourKey, "at once", "race");
      const id = idOf(reply);
      if (id !== undefined) ids.add(id);
      it.add(
        reply.status,
        reply.status !== 200 &&
          reply.status !== 409 &&
          `at once: ${reply.status} ${reply.text.slice(0, 100)}`,
      );
    });
    if (ids.size !== 1) it.fault(`${ids.size} sets under one key`);
    const other = await send(stage, secrets.theirKey, "at once", "race");
    it.add(
      other.status,
      (other.status !== 200 || ids.has(idOf(other) ?? "")) && "another account met our key",
    );
    const mismatch = await send(stage, secrets.ourKey, "another", "race");
    it.add(mismatch.status, mismatch.status !== 422 && `another body: ${mismatch.status}`);
    for (const odd of [
      "x".repeat(256),
      "x".repeat(10_000),
      " ",
      "__proto__",
      "constructor",
      "\u00e9\u00ff",
      "' or 1=1 --",
      "a, b",
    ]) {
      const reply = await send(stage, secrets.ourKey, "odd", odd);
      it.add(
        reply.status,
        ![200, 422].includes(reply.status) && `odd key ${odd.slice(0, 20)}: ${reply.status}`,
      );
    }
    return it;
  },
};

export const repeatAttacks: readonly Attack[] = [abuse];
