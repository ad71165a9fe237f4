// Changes that meet: repeated on what is stored then, a bounded number of times.

import assert from "node:assert/strict";
import test from "node:test";
import { changeRow, retryOvertaken } from "#store/revision.ts";

/** A row that others change `times` times, each time between reading and storing. */
function contested(times: number) {
  const row = { revision: 1, value: 0 };
  let left = times;
  return {
    row,
    read: async () => ({ ...row }),
    store: async (read: { revision: number; value: number }) => {
      if (left > 0) {
        left -= 1;
        row.revision += 1;
        row.value += 10;
      }
      if (read.revision !== row.revision) return "overtaken" as const;
      row.revision += 1;
      row.value = read.value + 1;
      return { kind: "saved" as const };
    },
  };
}

test("a change that is overtaken is computed again from what is stored", async () => {
  const { row, read, store } = contested(3);
  assert.deepEqual(await changeRow(undefined, read, store), { kind: "saved" });
  assert.deepEqual(row, { revision: 5, value: 31 });
});

test("with a revision that was seen, it is made on that one alone", async () => {
  const quiet = contested(0);
  assert.deepEqual(await changeRow(1, quiet.read, quiet.store), { kind: "saved" });
  assert.deepEqual(await changeRow(1, quiet.read, quiet.store), { kind: "overtaken" });
  assert.deepEqual(quiet.row, { revision: 2, value: 1 });
  const busy = contested(1);
  assert.deepEqual(await changeRow(1, busy.read, busy.store), { kind: "overtaken" });
  assert.deepEqual(busy.row, { revision: 2, value: 10 }, "the other change stays");
});

test("what is not there is not found", async () => {
  const never = async () => assert.fail("Nothing is there to be changed.");
  assert.deepEqual(await changeRow(undefined, async () => null, never), { kind: "not_found" });
});

test("a change that is overtaken each time ends", async () => {
  let tries = 0;
  const result = await retryOvertaken(async () => {
    tries += 1;
    return "overtaken" as const;
  });
  assert.deepEqual([result, tries], [{ kind: "overtaken" }, 30]);
});
