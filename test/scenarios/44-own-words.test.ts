// What callers write on messages for themselves comes back in look-ups, events, lists and searches, and reaches no provider.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { OutboundRequest } from "#runtime/runtime.ts";
import { type Harness, someEngines } from "../harness.ts";
import { dataOf, type Managed, managed } from "../http/routes/manage/managed.ts";
import { says } from "./receiver.ts";

const own = { reference: "order-4711 ä", metadata: { customer: "c-17", "colour of it": "teal" } };
const contacts = {
  sms: { number: "+4915123456789", message: "Hi" },
  whatsapp: { number: "+4915123456789", message: "Hi" },
  email: { email: "ada@example.com", subject: "Hi", message: "Hello" },
} as const;
type ChannelName = keyof typeof contacts;

for (const engine of someEngines(import.meta.filename)) {
  const asked: OutboundRequest[] = [];
  let m: Managed;
  let it: Harness;
  let account: { id: string };
  before(async () => {
    m = await managed({
      engine,
      respond: (request) => {
        asked.push(request);
        return says(200, '{"id":"p-1"}');
      },
    });
    it = m.it;
    account = await it.account();
    for (const channel of ["sms", "whatsapp", "email"] as const)
      await it.gateway({ identifier: `own-${channel}`, channel, default: true });
    await it.gateway({
      identifier: "over-http",
      kind: "http-api",
      settings: { url: "https://sms.example.com/send", body: { to: "{{to}}", text: "{{message}}" } },
    });
  });
  after(() => m?.close());

  const send = async (channel: ChannelName, contact: object, headers: Record<string, string> = {}) => {
    const reply = await it.post(
      `/api/${channel}/send`,
      { contact: [{ ...contacts[channel], ...contact }] },
      headers,
    );
    return { status: reply.statusCode, body: reply.json() };
  };
  const idOf = (body: { data: { contact: { id: string }[] } }) => body.data.contact[0]!.id;

  for (const channel of Object.keys(contacts) as ChannelName[])
    test(`on ${channel} they come back in the look-up, the list and a search (${engine})`, async () => {
      const reference = `${own.reference} ${channel}`;
      const id = idOf((await send(channel, { ...own, reference })).body);
      const plain = idOf((await send(channel, {})).body);
      await it.settle();
      const shown = async (one: string) => {
        const { data } = (await it.get(`/api/get/${channel}/${one}`)).json();
        return { reference: data.reference, metadata: data.metadata };
      };
      assert.deepEqual(await shown(id), { ...own, reference });
      assert.deepEqual(await shown(plain), { reference: null, metadata: null });
      const found = dataOf<{ id: string; metadata: object }[]>(
        await m.operator("GET", `/accounts/${account.id}/messages?${new URLSearchParams({ reference })}`),
      );
      assert.deepEqual(
        found.map((record) => [record.id, record.metadata]),
        [[id, own.metadata]],
      );
    });

  test(`another reference is another send under the same key (${engine})`, async () => {
    const key = { "idempotency-key": "own-words" };
    const first = await send("sms", own, key);
    const again = await send("sms", own, key);
    assert.equal(idOf(again.body), idOf(first.body));
    const other = await send("sms", { ...own, reference: "order-4712" }, key);
    assert.deepEqual([other.status, other.body.code], [422, "idempotency_mismatch"]);
  });

  test(`no provider gets them (${engine})`, async () => {
    await send("sms", { ...own, gateway_identifier: "over-http" });
    await it.settle();
    assert.equal(asked.length, 1);
    assert.doesNotMatch(JSON.stringify(asked), /order-4711|c-17|teal/);
  });
}
