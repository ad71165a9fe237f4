// The stream of events as a phone's HTTP client gets it, from a socket.

import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { maxStreams } from "#phones/streams.ts";
import { managed } from "../http/routes/manage/managed.ts";
import { SimulatedPhone } from "./simulated-phone.ts";

test("the stream answers at once, tells a phone without its configuration to fetch it, and ends with the link", async () => {
  const m = await managed();
  const { id } = await m.it.account();
  await m.it.gateway({ identifier: "phone", kind: "android" });
  const link = `/accounts/${id}/gateways/phone/link`;
  const started = (await m.operator("POST", link, { method: "enrol" })).json().data;
  assert.deepEqual([started.code, started.qr, started.url], [null, null, null]);
  const phone = new SimulatedPhone("phone", () => m.it, []);
  assert.equal(await phone.signUp(started.token), 201);
  await m.it.system.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = m.it.system.app.server.address() as AddressInfo;
  const request = get({
    port,
    path: "/api/mobile/v1/events",
    headers: { authorization: `Bearer ${phone.stored.registration?.token}`, accept: "text/event-stream" },
  });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  assert.match(response.headers["content-type"] ?? "", /^text\/event-stream/);
  assert.equal(response.headers["content-encoding"], undefined);
  let text = "";
  while (!text.includes("SettingsUpdated")) {
    const [chunk] = (await once(response, "data")) as [Buffer];
    text += chunk.toString();
  }
  assert.equal(
    text,
    ": connected\n\nevent: WebhooksUpdated\ndata: null\n\nevent: SettingsUpdated\ndata: null\n\n",
  );
  const ended = once(response, "end");
  response.resume();
  assert.equal((await m.operator("DELETE", link)).statusCode, 202);
  await ended;
  await m.close();
});

test("the fifth stream of a phone ends its oldest, and takes nothing from another phone", async () => {
  const m = await managed();
  const { id } = await m.it.account();
  const { phones } = m.it.system.core;
  const linked = async (identifier: string) => {
    await m.it.gateway({ identifier, kind: "android" });
    const link = `/accounts/${id}/gateways/${identifier}/link`;
    const { token } = (await m.operator("POST", link, { method: "enrol" })).json().data;
    const phone = new SimulatedPhone(identifier, () => m.it, []);
    assert.equal(await phone.signUp(token), 201);
    const found = await phones.authenticate(phone.stored.registration?.token ?? "", undefined);
    assert.ok(found);
    return found;
  };
  const [one, other] = [await linked("one"), await linked("other")];
  const ended = new Set<string>();
  const open = (name: string, phone: typeof one) => {
    const stream = phones.events(phone);
    void (async () => {
      while ((await stream.next()) !== null);
      ended.add(name);
    })();
  };
  open("of the other phone", other);
  for (let i = 1; i <= maxStreams; i += 1) open(`stream ${i}`, one);
  await m.it.advance(0);
  assert.deepEqual([...ended], []);
  open("stream 5", one);
  open("stream 6", one);
  await m.it.advance(0);
  assert.deepEqual([...ended], ["stream 1", "stream 2"]);
  assert.equal(phones.streams.isConnected(one.phone.gateway_id), true);
  await m.close();
});
