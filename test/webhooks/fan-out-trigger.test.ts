// The fan-out is woken for what an endpoint may get, and left alone while no endpoint listens; a hint alone, so
// where it cannot be known an endpoint is assumed to listen.

import assert from "node:assert/strict";
import test from "node:test";
import type { Database } from "#store/database.ts";
import { createFanOutTrigger } from "#webhooks/fan-out-trigger.ts";

function listening() {
  const storage = { endpoints: true, away: false };
  let woken = 0;
  let notify: (topic: string) => void = () => {};
  const database = {
    run: async () => {
      if (storage.away) throw new Error("away");
      return storage.endpoints;
    },
    onNotify: (heard: (topic: string) => void) => {
      notify = heard;
    },
  } as unknown as Database;
  const made = createFanOutTrigger(database, () => {
    woken += 1;
  });
  const wokenBy = async (what: () => unknown) => {
    const before = woken;
    await what();
    await new Promise((resolve) => setImmediate(resolve));
    return woken - before;
  };
  return { made, storage, wokenBy, tell: (topic: string) => notify(topic) };
}

test("before the first look an endpoint is assumed to listen", async () => {
  const { made, wokenBy } = listening();
  assert.equal(await wokenBy(made.eventsRecorded), 1);
});

test("without an endpoint the fan-out is not woken; with the first one, for what happened meanwhile too", async () => {
  const { made, storage, wokenBy, tell } = listening();
  storage.endpoints = false;
  assert.equal(await wokenBy(made.refresh), 0);
  assert.equal(await wokenBy(made.eventsRecorded), 0);
  storage.endpoints = true;
  assert.equal(await wokenBy(() => tell("something else")), 0);
  assert.equal(await wokenBy(() => tell("lanes")), 1);
  assert.equal(await wokenBy(made.eventsRecorded), 1);
});

test("a storage that is away cannot say: an endpoint is assumed to listen", async () => {
  const { made, storage, wokenBy } = listening();
  storage.endpoints = false;
  await made.refresh();
  storage.away = true;
  assert.equal(await wokenBy(made.refresh), 1);
  assert.equal(await wokenBy(made.eventsRecorded), 1);
});
