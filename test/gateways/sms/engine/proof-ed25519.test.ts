// Ed25519 signatures of callbacks, with the key of RFC 8032, 7.1, test 1.

import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { test } from "node:test";
import { ed25519 } from "#gateways/sms/engine/proof-ed25519.ts";
import { callbackUrl, now, toolsWith } from "../../conformance-samples.ts";

const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
const privateKey = createPrivateKey({
  key: Buffer.from(`302e020100300506032b657004220420${seed}`, "hex"),
  format: "der",
  type: "pkcs8",
});
const publicKey = Buffer.from(
  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  "hex",
).toString("base64");
const proof = ed25519<{ key?: string }>({
  key: ({ key }) => key,
  named: "public key",
  header: "x-signature",
  timeHeader: "x-time",
  separator: "|",
});

async function kindOf(
  time: string,
  signed: string,
  settings: { key?: string } = { key: publicKey },
  body = "{}",
) {
  const signature = sign(null, Buffer.from(signed), privateKey).toString("base64");
  const headers = { "x-signature": signature, "x-time": time };
  const call = {
    method: "POST",
    url: callbackUrl,
    query: new URLSearchParams(),
    headers,
    body: Buffer.from(body),
  };
  return (await proof(call, settings, toolsWith())).kind;
}

test("a signature over time and body proves both", async () => {
  const time = String(now / 1000);
  assert.equal(await kindOf(time, `${time}|{}`), "proved");
  assert.equal(await kindOf(time, `${time}|{}`, { key: publicKey }, "{ }"), "forbidden");
  assert.equal(await kindOf(String(now / 1000 + 1), `${time}|{}`), "forbidden");
});

test("a call that is old, and a gateway without a key, prove nothing", async () => {
  const old = String(now / 1000 - 301);
  assert.equal(await kindOf(old, `${old}|{}`), "forbidden");
  const time = String(now / 1000);
  for (const key of [undefined, "", "c2hvcnQ="])
    assert.equal(await kindOf(time, `${time}|{}`, key === undefined ? {} : { key }), "not_configured");
});
