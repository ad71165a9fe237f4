// The Idempotency-Key, abused: another account's, odd ones, a hundred at once, another body under a used one.

import { jsonOf, type Said } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { secrets } from "./installation.ts";
import type { Stage } from "./stage.ts";

const family = "repeats";

function send(stage: Stage, key: string, message: string, repeatKey: string): Promise<Said> {
  return stage.ask({
    path: "/api/sms/send",
    headers: [
      ["Api-key", key],
      ["Idempotency-Key", repeatKey],
    ],
    body: { contact: [{ number: "+15550000001", message }] },
  });
}

const idOf = (said: Said) => jsonOf(said)?.data?.contact?.[0]?.id as string | undefined;

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
      const said = await send(stage, secrets.ourKey, "at once", "race");
      const id = idOf(said);
      if (id !== undefined) ids.add(id);
      it.add(
        said.status,
        said.status !== 200 && said.status !== 409 && `at once: ${said.status} ${said.text.slice(0, 100)}`,
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
      const said = await send(stage, secrets.ourKey, "odd", odd);
      it.add(said.status, ![200, 422].includes(said.status) && `odd key ${odd.slice(0, 20)}: ${said.status}`);
    }
    return it;
  },
};

export const repeatAttacks: readonly Attack[] = [abuse];
