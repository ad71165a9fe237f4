// Lists as polls, with the real library: what the phone shows, and votes as the rows that they choose.

import assert from "node:assert/strict";
import { createCipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import test from "node:test";
import { Polls } from "../../../../bridge/whatsapp/polls.ts";
import { countedValues } from "./counted-values.ts";
import { acked, ann, number, real } from "./real-bridge.ts";
import { ownNumber } from "./wa-server.ts";

const poll = {
  kind: "poll",
  question: "When shall we deliver?",
  options: [
    { id: "am", title: "Morning", text: "Morning – 8 to 12" },
    { id: "pm", title: "Evening", text: "Evening" },
  ],
} as const;
const content = { ...poll, options: [...poll.options] };

const hmac = (key: Uint8Array, ...parts: (string | Uint8Array)[]) =>
  parts.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest();

/** A vote as a phone encrypts it. `creator` and `voter`: ids at WhatsApp. */
function voteOf(secret: Uint8Array, id: string, chosen: string | null, creator: string, voter: string) {
  const hash = chosen === null ? [] : [Buffer.from([0x0a, 32]), createHash("sha256").update(chosen).digest()];
  const key = hmac(hmac(Buffer.alloc(32), secret), id, creator, voter, "Poll Vote", Buffer.from([1]));
  const encIv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, encIv);
  cipher.setAAD(Buffer.from(`${id}\0${voter}`));
  const encPayload = Buffer.concat([cipher.update(Buffer.concat(hash)), cipher.final(), cipher.getAuthTag()]);
  const pollCreationMessageKey = { id, fromMe: false, remoteJid: `${ownNumber}@s.whatsapp.net` };
  return { pollUpdateMessage: { pollCreationMessageKey, vote: { encPayload, encIv }, senderTimestampMs: 1 } };
}

const byNumber = [`${ownNumber}@s.whatsapp.net`, `${ann}@s.whatsapp.net`] as const;
const byLid = [`9${ownNumber}@lid`, `9${ann}@lid`] as const;

real(
  "a list is a poll on the phone, and each vote is the row that it chooses",
  async ({ server, device }) => {
    const one = device();
    await one.link(server);
    assert.deepEqual(await one.sendContent(number, content), acked);
    const [taken] = server.taken;
    const shown = taken?.message as unknown as {
      pollCreationMessageV3: {
        name: string;
        options: { optionName: string }[];
        selectableOptionsCount: number;
      };
      messageContextInfo: { messageSecret: Uint8Array };
    };
    const { name, options, selectableOptionsCount } = shown.pollCreationMessageV3;
    assert.deepEqual(
      [name, options.map(({ optionName }) => optionName), selectableOptionsCount],
      ["When shall we deliver?", ["Morning – 8 to 12", "Evening"], 1],
    );
    const { messageSecret } = shown.messageContextInfo;
    const id = taken?.id ?? "";
    const chosenBy = async (...vote: [chosen: string, creator: string, voter: string]) => {
      await server.write(ann, voteOf(messageSecret, id, ...vote));
      const { type, text, reply, answers } = (await one.next("received")).facts;
      assert.deepEqual([type, answers], ["interactive", id]);
      return [text, reply];
    };
    const morning = { type: "list", id: "am", title: "Morning" };
    assert.deepEqual(await chosenBy("Morning – 8 to 12", ...byNumber), ["Morning", morning]);
    assert.deepEqual(await chosenBy("Evening", ...byLid), [
      "Evening",
      { ...morning, id: "pm", title: "Evening" },
    ]);

    // No vote: taken back, for an option that the poll has not, with another secret, in a poll of another sender.
    await server.write(ann, voteOf(messageSecret, id, null, ...byNumber));
    await server.write(ann, voteOf(messageSecret, id, "Night", ...byNumber));
    await server.write(ann, voteOf(randomBytes(32), id, "Evening", ...byNumber));
    await server.write(ann, voteOf(messageSecret, "3EB0F", "Evening", ...byNumber));
    await server.write(ann, { pollUpdateMessage: {} });
    await server.write(ann, { conversation: "Hello" });
    assert.equal((await one.next("received")).facts.text, "Hello");
  },
);

real("a poll that is sent once more has the secret of the first, also after a restart", async (tools) => {
  const { server, device } = tools;
  const one = device();
  await one.link(server);
  const send = async (over: typeof one) => {
    const id = "3EB0000000000000000001";
    over.tell({ type: "send", n: 1, id, messageId: "msg_1", number, content, timeoutMs: 5_000 });
    assert.deepEqual((await over.next("sent")).result, acked);
  };
  await send(one);
  one.child.kill();
  await one.child.ended;
  const two = device(one.values);
  await two.resume();
  await send(two);
  const secrets = server.taken.map(({ message }) => {
    const { messageSecret } = message.messageContextInfo as { messageSecret: Uint8Array };
    return Buffer.from(messageSecret).toString("hex");
  });
  assert.equal(secrets.length, 2);
  assert.equal(secrets[0], secrets[1]);
  await server.write(
    ann,
    voteOf(Buffer.from(secrets[0] ?? "", "hex"), "3EB0000000000000000001", "Evening", ...byNumber),
  );
  assert.equal((await two.next("received")).facts.reply?.id, "pm");
});

test("a poll counts for seven days; then it is forgotten, a bounded number at a time", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_800_000_000_000 });
  const { stored, writes, values } = countedValues();
  const polls = new Polls({} as never, values as never);
  for (let i = 0; i < 2_100; i++) await polls.keep(`old${i}`, content);
  const secret = await polls.keep("old1", content);
  t.mock.timers.tick(7 * 86_400_000);
  await polls.keep("new", content);
  await polls.sweep();
  assert.equal(stored.size, 2_101, "they count until then");
  assert.deepEqual(await polls.keep("old1", content), secret);
  t.mock.timers.tick(1);
  writes.length = 0;
  await polls.sweep();
  await polls.sweep();
  assert.deepEqual([writes, [...stored.keys()]], [[2_000, 100], ["poll:new"]]);
});
