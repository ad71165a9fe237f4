// Answers that the storage has or gets: of the right request alone, of another process, and before the client has them.

import assert from "node:assert/strict";
import test from "node:test";
import type { KeptAnswer } from "#ai/repeats/kept-answer.ts";
import type { Slot } from "#ai/repeats/repeatable.ts";
import type { AnswerStorage, Place } from "#ai/repeats/stored-answers.ts";
import { answer, codeOf, failure, keyed, open, textOf } from "./repeating.ts";

/** A storage in which the name of every slot is that of the request with the text "hello". */
function storageOf(place: (slot: Slot) => Place) {
  let own: string | null = null;
  const opened: string[] = [];
  const storage: Partial<AnswerStorage> = {
    open: async (slot) => {
      // The first call tells which fingerprint is meant.
      own ??= slot.fingerprint;
      opened.push(slot.fingerprint === own ? "own" : "other");
      return slot.fingerprint === own ? place(slot) : { kind: "mismatch" };
    },
  };
  return { storage, opened };
}
const keptFor = ({ fingerprint }: Slot, more: Partial<KeptAnswer> = {}): Place => ({
  kind: "kept",
  kept: {
    fingerprint,
    stream: false,
    text: "stored",
    media: null,
    served: { provider: "one", model: "gpt" },
    leftOut: [],
    expiresAt: Number.MAX_SAFE_INTEGER,
    ...more,
  },
});
const reused = [422, "idempotency_mismatch"];

test("a stored answer serves its own request, before and after another one came under its key", async () => {
  for (const atOnce of [false, true]) {
    const { storage, opened } = storageOf(() => (isLost ? { kind: "mine" } : keptFor(last!)));
    let isLost = true;
    let last: Slot | null = null;
    const { clock, asked, call } = open(
      { cache: null },
      {
        open: async (slot, key) => {
          last = slot;
          return await storage.open!(slot, key);
        },
      },
    );
    void call(keyed);
    await clock.settle();
    asked[0]!.resolve(failure);
    await clock.settle();
    isLost = false;
    const wrong = [call({ ...keyed, text: "another" }), call({ ...keyed, text: "another" })];
    if (!atOnce) for (const { served } of wrong) assert.deepEqual(await codeOf(served), reused);
    const right = [call(keyed), call(keyed)];
    for (const { served } of right) assert.deepEqual(await textOf(served), ["stored", null, true]);
    for (const { served } of wrong) assert.deepEqual(await codeOf(served), reused);
    assert.deepEqual(await codeOf(call({ ...keyed, text: "another" }).served), reused);
    assert.deepEqual(await textOf(call(keyed).served), ["stored", null, true]);
    assert.equal(asked.length, 1);
    // Those who wait for one look into the storage look no more themselves.
    assert.deepEqual(opened, ["own", "other", "own"]);
  }
});

test("the answer under an Idempotency-Key is stored before its client has it; a cache's client waits for no storage", async () => {
  for (const [more, waits] of [
    [{}, false],
    [keyed, true],
  ] as const) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { clock, asked, call } = open(waits ? { cache: null } : {}, { keep: () => promise });
    let text: unknown = null;
    void call(more).served.then(({ completed }) => {
      text = completed.kind === "answer" && completed.text;
    });
    await clock.settle();
    asked[0]!.resolve(answer("A"));
    await clock.settle();
    assert.equal(text, waits ? null : "A");
    resolve();
    await clock.settle();
    assert.equal(text, "A");
  }
});

test("a call in another process is waited for: its answer, its failure, the deadline, a client that leaves", async () => {
  for (const how of ["answers", "fails", "is late", "is left"] as const) {
    let place: ((slot: Slot) => Place) | null = null;
    const gone = new AbortController();
    const released: Slot[] = [];
    const { clock, asked, call, outcomes } = open(
      { cache: null, deadline_ms: 1_000 },
      {
        open: async (slot) => place?.(slot) ?? { kind: "elsewhere" },
        release: (slot) => void released.push(slot),
      },
    );
    const { served } = call({ ...keyed, gone });
    await clock.advance(500);
    // The request is known to be the one under way, so that another one under its key is refused at once.
    assert.deepEqual(await codeOf(call({ ...keyed, text: "another" }).served), reused);
    assert.equal(asked.length, 0);
    if (how === "answers") {
      place = keptFor;
      await clock.advance(250);
      assert.deepEqual(await textOf(served), ["stored", null, true]);
      assert.equal(outcomes.at(-1)?.reused, "idempotency_key");
    } else if (how === "fails") {
      place = () => ({ kind: "mine" });
      await clock.advance(250);
      asked[0]!.resolve(answer("A"));
      assert.deepEqual(await textOf(served), ["A", null, false]);
    } else if (how === "is late") {
      await clock.advance(500);
      assert.deepEqual(await codeOf(served), [504, "upstream_timeout"]);
    } else {
      gone.abort();
      assert.equal(await codeOf(served), "aborted");
      assert.equal(outcomes.at(-1)?.status, 499);
    }
    assert.equal(released.length, how === "is late" || how === "is left" ? 1 : 0, how);
  }
});
