// The bridge with the real library, against a server that speaks WhatsApp's protocol.

import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { agentFor, proxiedFetch } from "../../../../bridge/whatsapp/proxy.ts";
import { ProxyServer } from "../../../proxy-server.ts";
import { acked, ann, BridgedDevice, bridgeFolder, bridgeModule, number, open, real } from "./real-bridge.ts";
import { notInstalled } from "./wa-server.ts";

const withoutProxies =
  notInstalled ||
  (existsSync(new URL("node_modules/socks-proxy-agent/package.json", bridgeFolder))
    ? false
    : "The packages for proxies are not installed: npm run whatsapp:install installs them.");

real("a device is linked by QR code, and a message is sent when the server has answered", async (tools) => {
  const { server, device } = tools;
  const one = device();
  await one.link(server);
  assert.deepEqual(await one.send(number, "Hello"), acked);
  assert.deepEqual(
    server.taken.map(({ text }) => text),
    ["Hello"],
  );
});

real("a person who hides their number is written to by their id, which needs no look-up", async (tools) => {
  const { server, device } = tools;
  const one = device();
  await one.link(server);
  assert.deepEqual(await one.send(`9${ann}@lid`, "Hello"), acked);
  assert.deepEqual(
    server.taken.map(({ to, text }) => [to, text]),
    [[`9${ann}@lid`, "Hello"]],
  );
  assert.deepEqual(await one.send("123456@lid", "Hello"), { kind: "not_sent", why: "no_devices" });
});

for (const scheme of ["http", "socks5"] as const)
  test(`with a ${scheme} proxy nothing goes round it`, {
    skip: withoutProxies,
    timeout: 60_000,
  }, async (context) => {
    const { server, device } = await open(context);
    const proxy = await ProxyServer.open(context);
    const way = { proxy: proxy.url(scheme), only: proxy.address };
    const one = device(new Map(), way);
    await one.link(server);
    assert.deepEqual(await one.send(number, "Hello"), acked);
    // The login after the scan is a second connection.
    assert.ok(server.remotePorts.length >= 2);
    assert.ok(server.remotePorts.every((port) => proxy.localPorts.has(port)));
    proxy.password = "another";
    const two = device(one.values, way);
    await two.next("opened");
    two.tell({ type: "connect", pair: null });
    await two.next("disconnected");
    // A device that forgot its proxy would reach nothing.
    const three = device(new Map(), { only: proxy.address });
    await three.next("opened");
    three.tell({ type: "connect", pair: { method: "qr" } });
    await three.next("disconnected");
    assert.ok(server.remotePorts.every((port) => proxy.localPorts.has(port)));
  });

test("downloads of the library go through the device's proxy", { skip: withoutProxies }, async (context) => {
  const ports: number[] = [];
  const files = createServer((request, response) => {
    ports.push(request.socket.remotePort ?? 0);
    response.writeHead(206, { "content-type": "x/y" }).end(`${request.url} ${request.headers.range}`);
  }).listen(0, "127.0.0.1");
  await once(files, "listening");
  context.after(() => files.close());
  const proxy = await ProxyServer.open(context);
  const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/a`;
  for (const scheme of ["http", "socks5"] as const) {
    const init = { dispatcher: await agentFor(proxy.url(scheme)), headers: { range: "bytes=1-" } };
    const answer = await proxiedFetch(url, init as object);
    assert.deepEqual([answer.status, await answer.text()], [206, "/a bytes=1-"]);
  }
  assert.deepEqual(
    ports.map((port) => proxy.localPorts.has(port)),
    [true, true],
  );
  await assert.rejects(proxiedFetch(url), TypeError);
  await assert.rejects(proxiedFetch(url, { method: "POST" }), TypeError);
  assert.equal(ports.length, 2);
});

test("without the library the bridge says that it is not installed", { timeout: 60_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(bridgeFolder))
    if (/\.ts$|^package\.json$/.test(name)) copyFileSync(new URL(name, bridgeFolder), join(folder, name));
  const one = new BridgedDevice(pathToFileURL(join(folder, "main.ts")), new Map(), {
    folders: [pathToFileURL(`${folder}/`)],
  });
  const { why, reason } = await one.next("failed");
  assert.deepEqual([why, reason], ["not_installed", "The WhatsApp library is not installed."]);
  await one.child.stop();
});

real("a pairing code is given to type in, for the number that asked", async ({ device }) => {
  const one = device();
  await one.next("opened");
  one.tell({ type: "connect", pair: { method: "code", number: "+49 151 00000000" } });
  const { text, forMs } = await one.next("code");
  assert.match(text, /^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
  assert.equal(forMs, 180_000);
  assert.equal(one.values.size, 0);
});

real("a server whose certificate WhatsApp did not sign is refused", async ({ device, server }) => {
  const { module, remove } = bridgeModule({ url: server.url, rootKey: Buffer.alloc(32, 9) });
  const one = new BridgedDevice(module);
  await one.next("opened");
  one.tell({ type: "connect", pair: { method: "qr" } });
  assert.equal((await one.next("disconnected")).code, 400);
  await one.child.stop();
  remove();
  void device;
});

real("a device that was linked before logs in again, and people read what it sends", async (tools) => {
  const { server, device } = tools;
  const one = device();
  await one.link(server);
  assert.deepEqual(await one.send(number, "first"), acked);
  one.child.kill();
  await one.child.ended;
  const two = device(one.values);
  assert.equal((await two.next("opened")).linked?.number, "+4915100000000");
  two.tell({ type: "connect", pair: null });
  await two.next("connected");
  assert.deepEqual(await two.send(number, "second"), acked);
  assert.deepEqual(
    server.taken.map(({ text }) => text),
    ["first", "second"],
  );
  const ciphertexts = server.taken.flatMap(({ counters }) => counters.map(({ ciphertext }) => ciphertext));
  assert.equal(new Set(ciphertexts).size, ciphertexts.length);
});

real("nothing leaves when the keys cannot be stored", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  assert.deepEqual(await one.send(number, "stored"), acked);
  one.storing = false;
  assert.equal((await one.send(number, "not stored")).kind, "not_sent");
  assert.equal(server.taken.length, 1);
  await one.next("disconnected");
});

real("keys of a message are stored before its frame leaves", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  await one.send(number, "one");
  let savedAtFrame = -1;
  const saves = () => one.heard.filter(({ type }) => type === "save").length;
  const before = saves();
  const push = server.taken.push.bind(server.taken);
  server.taken.push = (...values) => {
    savedAtFrame = saves();
    return push(...values);
  };
  await one.send(number, "two");
  // The text for later requests, and the keys of the recipient and of the own phone.
  assert.ok(savedAtFrame - before >= 3, `${savedAtFrame - before} were stored.`);
});

real("a refusal of the server comes with its number; silence is no answer", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  server.answering = { error: "463" };
  assert.deepEqual(await one.send(number, "refused"), { kind: "acked", error: "463" });
  server.answering = "never";
  assert.deepEqual(await one.send(number, "no answer", 300), { kind: "left" });
  server.receipt("3EB0000000000000000002", ann);
  const receipt = await one.next("receipt");
  assert.deepEqual([receipt.messageId, receipt.status], ["msg_2", "delivered"]);
  assert.deepEqual(await one.send("+4915199999999", "no one"), { kind: "not_sent", why: "not_on_whatsapp" });
});

real("what is in flight when the line is cut has left", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  server.answering = "never";
  const sending = one.send(number, "in flight");
  while (server.taken.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  server.drop();
  assert.deepEqual(await sending, { kind: "left" });
  assert.deepEqual(await one.send(number, "later"), { kind: "not_sent", why: "closed" });
});

real(
  "a received text is stored with the keys that decrypted it, and read once",
  async ({ server, device }) => {
    const one = device();
    await one.link(server);
    const id = await server.write(ann, { conversation: "Hi there" });
    const { key, facts } = await one.next("received");
    assert.deepEqual(
      [facts.text, facts.number, facts.name, facts.type, facts.id],
      ["Hi there", ann, "Ann", "text", id],
    );
    const saves = one.heard.filter((message) => message.type === "save");
    const stored = saves.find(({ changes }) => changes.some(([name]) => name === key));
    assert.ok(stored?.changes.some(([name]) => name.startsWith("key:session:")));
    // A process that died before the parent took it announces it again.
    one.child.kill();
    await one.child.ended;
    const two = device(one.values);
    assert.deepEqual((await two.next("received")).facts, facts);
  },
);

real("a file is sent by what WhatsApp keeps of it, and its upload needs an access", async (tools) => {
  const { server, device } = tools;
  const one = device();
  await one.link(server);
  one.tell({ type: "uploads", n: 7 });
  const { auth, hosts } = await one.next("upload_access");
  assert.deepEqual([auth, hosts], ["access", ["mmg.whatsapp.net"]]);
  const bytes = Buffer.alloc(32, 3);
  const file = {
    url: "https://mmg.whatsapp.net/v/t62/1",
    directPath: "/v/t62/1",
    mediaKey: bytes,
    fileSha256: bytes,
    fileEncSha256: bytes,
    fileLength: 12,
    mimetype: "image/jpeg",
    filename: "a.jpg",
  };
  const content = { kind: "file", media: "image", caption: "Look", file } as const;
  assert.deepEqual(await one.sendContent(number, content), acked);
  assert.deepEqual(
    server.taken.map(({ text }) => text),
    ["image/jpeg /v/t62/1 Look"],
  );
});

real("a received picture comes with its key, for the one who asks for it", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  const mediaKey = Buffer.alloc(32, 7);
  const imageMessage = { directPath: "/v/t62/1?oh=a", mediaKey, mimetype: "image/jpeg", caption: "Look" };
  await server.write(ann, { imageMessage });
  const { facts } = await one.next("received");
  const file = { kind: "image", path: "/v/t62/1?oh=a", key: mediaKey.toString("base64") };
  assert.deepEqual([facts.type, facts.text], ["image", "Look"]);
  assert.deepEqual(facts.file, { ...file, contentType: "image/jpeg", filename: null });
});

real("what a person wrote is read after a crash before its keys were stored", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  one.storing = false;
  await server.write(ann, { conversation: "Before the crash" });
  await one.next("disconnected");
  one.child.kill();
  await one.child.ended;
  const two = device(one.values);
  await two.resume();
  server.redeliver();
  assert.equal((await two.next("received")).facts.text, "Before the crash");
  // The keys that decrypted it are used up: another delivery says nothing.
  server.redeliver();
  await server.write(ann, { conversation: "After it" });
  assert.equal((await two.next("received")).facts.text, "After it");
});

real("keys that were stored and never used are skipped, and never used again", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  assert.deepEqual(await one.send(number, "one"), acked);
  const isRatchet = (key: string) => key.startsWith("key:session:");
  one.dyingAt = (keys) => keys.some(isRatchet);
  void one.send(number, "lost");
  await one.child.ended;
  const two = device(one.values);
  await two.resume();
  assert.deepEqual(await two.send(number, "two"), acked);
  assert.deepEqual(
    server.taken.map(({ text }) => text),
    ["one", "two"],
  );
  const ciphertexts = server.taken.flatMap(({ counters }) => counters.map(({ ciphertext }) => ciphertext));
  assert.equal(new Set(ciphertexts).size, ciphertexts.length);
});

real("a dead line is found out, and ends the connection", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  await one.send(number, "known");
  server.blackHole();
  assert.deepEqual(await one.send(number, "into the void", 1_000), { kind: "left" });
  assert.equal((await one.next("disconnected")).code, 428);
});

real("goodbyes come with the library's number", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  const conflict = { tag: "conflict", attrs: { type: "replaced" } };
  server.goodbye({ tag: "stream:error", attrs: {}, content: [conflict] });
  assert.equal((await one.next("disconnected")).code, 440);
  const failures = [
    [{ reason: "401" }, { code: 401, detail: null, forMs: null }],
    [
      { reason: "402", code: "101", expire: "3600" },
      { code: 402, detail: "101", forMs: 3_600_000 },
    ],
    [{ reason: "405" }, { code: 405, detail: null, forMs: null }],
    [{ reason: "503" }, { code: 503, detail: null, forMs: null }],
  ] as const;
  for (const [failure, expected] of failures) {
    server.failure = failure;
    one.tell({ type: "connect", pair: null });
    assert.deepEqual(await one.next("disconnected"), { type: "disconnected", ...expected });
  }
});

real("a device that is logged out is reported to WhatsApp, and keeps no keys", async ({ server, device }) => {
  const one = device();
  await one.link(server);
  one.tell({ type: "log_out", n: 9 });
  assert.deepEqual(await one.next("done"), { type: "done", n: 9, ok: true });
  assert.equal(server.loggedOut.length, 1);
  assert.deepEqual(
    [...one.values.keys()].filter((key) => !key.startsWith("known:")),
    [],
  );
});
