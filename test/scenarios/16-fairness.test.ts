// Ten thousand messages of a campaign, and a one-time code behind them on the same lane.

import assert from "node:assert/strict";
import { test } from "node:test";
import { harness } from "../harness.ts";
import { asked, provider, takes } from "./provider.ts";

const campaign = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ number: `+4915${1_000_000 + i}`, message: "Sale" }));

test("the code overtakes the campaign, and the campaign keeps its fifth", async () => {
  const it = await harness({ respond: takes });
  await it.account();
  await it.gateway({ identifier: "main", ...provider, pace: { per_second: 100, concurrency: 10 } });
  await it.accepted(campaign(10_000));
  await it.advance(2000);
  const before = it.requests.length;
  assert.ok(before > 150 && before < 250, `${before}`);

  const [code] = await it.accepted([{ number: "+4915999", message: "Your code is 4711." }]);
  await it.advance(100);
  const place = asked(it).findIndex(({ id }) => id === code);
  assert.ok(place >= before && place - before <= 2, `at place ${place - before} after it was accepted`);

  // A hundred codes at once do not stop the campaign either.
  const from = it.requests.length;
  for (let i = 0; i < 10; i++)
    await it.accepted(
      Array.from({ length: 10 }, (_, j) => ({ number: `+49159${100 + i * 10 + j}`, message: "code" })),
    );
  await it.advance(1000);
  const next = asked(it).slice(from, from + 100);
  const large = next.filter(({ text }) => text === "Sale").length;
  assert.ok(large >= 19 && large <= 22, `${large} of 100 places for the campaign`);
  await it.close();
});
