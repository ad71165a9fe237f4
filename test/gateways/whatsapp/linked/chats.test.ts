// What people see of a linked device beside its messages, with the real library.

import assert from "node:assert/strict";
import { acked, ann, number, real } from "./real-bridge.ts";

real("numbers are looked up once, or never where the settings say so", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  assert.deepEqual(await one.send(number, "Hello"), acked);
  assert.deepEqual(await one.send(number, "Hello again"), acked);
  assert.equal(server.lookUps, 1);
  one.child.kill();
  await one.child.ended;
  for (const key of [...one.values.keys()]) if (key.startsWith("known:")) one.values.delete(key);
  const two = device(one.values, { manners: { checkNumber: false } });
  await two.resume();
  assert.deepEqual(await two.send(number, "Unchecked"), acked);
  assert.deepEqual(await two.send("+4915199999999", "Hello"), { kind: "not_sent", why: "no_devices" });
  assert.equal(server.lookUps, 1);
});

real("people see the device typing before a text, and not before a file", async ({ server, device }) => {
  const one = device(new Map(), { manners: { typing: true } });
  await one.link(server);
  assert.deepEqual(await Promise.all([one.send(number, "A"), one.send(number, "B")]), [acked, acked]);
  const shown = server.chatStates.map(({ attrs, content }) => [
    attrs.to,
    (content as { tag: string }[])[0]!.tag,
  ]);
  const jid = `${ann}@s.whatsapp.net`;
  assert.deepEqual(shown, [
    [jid, "composing"],
    [jid, "paused"],
    [jid, "composing"],
    [jid, "paused"],
  ]);
  assert.deepEqual(
    server.taken.map(({ text }) => text),
    ["A", "B"],
  );
});

for (const [seen, type] of [
  ["all", "read"],
  ["none", "read-self"],
] as const)
  real(`people see that they were read, as the phone's privacy has it (${seen})`, async (tools) => {
    const { server, device } = tools;
    server.readReceipts = seen;
    const one = device(new Map(), { manners: { markRead: true } });
    await one.link(server);
    const id = await server.write(ann, { conversation: "Hi there" });
    const { key } = await one.next("received");
    const ofReading = () => server.receipts.filter(({ attrs }) => attrs.type?.startsWith("read"));
    assert.deepEqual(ofReading(), []);
    one.tell({ type: "taken", key });
    const receipt = await server.receiptLike(({ attrs }) => attrs.type === type);
    assert.equal(receipt.attrs.id, id);
    assert.equal(ofReading().length, 1);
  });

real("a number that WhatsApp knows by another spelling is named so", async ({ server, device }) => {
  server.person("551187650001", "5511987650001");
  const one = device();
  await one.link(server);
  for (let time = 0; time < 2; time += 1)
    assert.deepEqual(await one.send("+5511987650001", "Hello"), { ...acked, knownAs: "+551187650001" });
  assert.deepEqual(await one.send(number, "Hello"), acked);
  assert.equal(server.lookUps, 2);
});
