// Messages that a linked device keeps for devices that could not read them.

import assert from "node:assert/strict";
import test from "node:test";
import { SentMessages } from "../../../../bridge/whatsapp/sent-messages.ts";
import { countedValues } from "./counted-values.ts";

test("a message is kept for seven days; then it is forgotten, a bounded number at a time", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  const { stored, writes, values } = countedValues();
  const encode = (message: unknown) => ({ finish: () => Buffer.from(JSON.stringify(message)) });
  const library = { proto: { Message: { encode, decode: (bytes: Buffer) => JSON.parse(bytes.toString()) } } };
  const sent = new SentMessages(library as never, values as never);
  for (let i = 0; i < 2_100; i++) await sent.keep(`old${i}`, `msg_${i}`, { conversation: "Hello" });
  await sent.drop("old0");
  assert.equal(sent.find("old0"), null, "it arrived");
  t.mock.timers.tick(7 * 86_400_000);
  await sent.keep("new", "msg_new", { conversation: "Hello" });
  writes.length = 0;
  await sent.sweep();
  assert.deepEqual([writes, sent.find("old1")?.messageId], [[], "msg_1"]);
  assert.deepEqual(sent.decoded("old1"), { conversation: "Hello" });
  t.mock.timers.tick(1);
  for (let sweep = 0; sweep < 3; sweep++) await sent.sweep();
  assert.deepEqual([writes, [...stored.keys()]], [[2_000, 99], ["sent:new"]]);
});
