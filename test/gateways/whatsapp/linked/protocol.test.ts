// What the bridge may say: it handles what strangers send, so another shape, or a name that is not its own, is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBridge } from "#gateways/whatsapp/linked/protocol.ts";

const facts = {
  id: "3A",
  chat: "4915112345678@s.whatsapp.net",
  number: "4915112345678",
  lid: null,
  name: null,
  type: "image",
  text: "",
  reply: null,
  answers: null,
  forwarded: false,
  file: {
    kind: "image",
    path: "/v/t62/1?oh=a&oe=b",
    key: Buffer.alloc(32).toString("base64"),
    contentType: null,
    filename: null,
  },
};
const takes = (message: unknown) => fromBridge.safeParse(message).success;
const received = (change: object = {}, file: object = {}) => ({
  type: "received",
  key: "inbox:chat:3A",
  facts: { ...facts, file: { ...facts.file, ...file } },
  ...change,
});

test("a received message is taken under its own name alone", () => {
  assert.ok(takes(received()));
  assert.ok(!takes(received({ key: "own:link" })));
  assert.ok(!takes(received({ key: "key:session:1" })));
});

test("a file is a path on WhatsApp's server and a key of 32 bytes", () => {
  for (const path of ["", "v/1", "@evil.example/1", "https://evil.example/", "/a b", `/${"a".repeat(1_501)}`])
    assert.ok(!takes(received({}, { path })), path);
  assert.ok(!takes(received({}, { key: "short" })));
});

test("files are uploaded to WhatsApp's servers alone", () => {
  const access = (host: string) => ({ type: "upload_access", n: 1, auth: "a", hosts: [host] });
  assert.ok(takes(access("media-fra3-1.cdn.whatsapp.net")));
  for (const host of ["whatsapp.net.evil.example", "evil.example", "x.whatsapp.net:81", "127.0.0.1"])
    assert.ok(!takes(access(host)), host);
});

test("other words and further fields are refused", () => {
  assert.ok(takes({ type: "done", n: 1, ok: true }));
  assert.ok(!takes({ type: "done", n: 1, ok: true, more: 1 }));
  assert.ok(!takes({ type: "run", n: 1 }));
  assert.ok(!takes(null));
});
