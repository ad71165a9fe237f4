// The last unknown word of a gateway.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { keepUnknownWord } from "#store/feedback/unknown-words.ts";
import { engines, type Harness, harness } from "../../harness.ts";

for (const engine of engines) {
  describe(`unknown words on ${engine}`, () => {
    let it: Harness;
    before(async () => {
      it = await harness({ engine });
    });
    after(() => it?.close());

    test("one word a gateway is kept, and is news when it is another one or a day has passed", async () => {
      const keep = (word: string, at: number, gateway_id = "gw_1") =>
        it.system.database.run(keepUnknownWord, { gateway_id, word, at });
      assert.equal(await keep("EATEN", 1000), true);
      assert.equal(await keep("EATEN", 86_400_999), false);
      assert.equal(await keep("EATEN", 86_401_000), true);
      assert.equal(await keep("LOST", 86_401_001), true);
      assert.equal(await keep("LOST", 86_401_001, "gw_2"), true);
    });
  });
}
