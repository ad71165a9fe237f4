// URLs of the Graph API, and what must not be shown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { appSecretProof, graphUrl, secretsOf } from "#gateways/whatsapp/cloud/settings.ts";
import { token } from "../graph-simulator.ts";
import { appSecret } from "../meta-callbacks.ts";
import { parsedSettings } from "./cloud-example.ts";

// printf %s TOKEN | openssl dgst -sha256 -hmac SECRET
const proof = "7553be0ad12572e5fb66962efdce21de96d97b62662647cf3abf0b1b4a2c8f07";

test("the version is in front of the path, and the proof in the query", () => {
  assert.equal(graphUrl(parsedSettings(), "/1/messages"), "https://graph.facebook.com/v26.0/1/messages");
  const proven = parsedSettings({ app_secret: appSecret, prove_app_secret: true });
  assert.equal(appSecretProof(proven), proof);
  const root = "https://graph.facebook.com/v26.0";
  assert.equal(graphUrl(proven, "/1/messages"), `${root}/1/messages?appsecret_proof=${proof}`);
  assert.equal(graphUrl(proven, "/1?fields=a"), `${root}/1?fields=a&appsecret_proof=${proof}`);
});

test("the proof is sent only where it is asked for, and is a secret like the others", () => {
  assert.equal(appSecretProof(parsedSettings({ app_secret: appSecret })), null);
  assert.deepEqual(secretsOf(parsedSettings({ app_secret: undefined, verify_token: undefined })), [token]);
  const all = parsedSettings({ app_secret: appSecret, prove_app_secret: true, verify_token: "word" });
  assert.deepEqual(secretsOf(all), [token, appSecret, "word", proof]);
});
