// A key that verifiers call too weak never signs, and what is in DNS is what verifiers read.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { publishedKey, readPrivateKey } from "#gateways/email/mime/dkim-key.ts";

const pem = (type: "pkcs8" | "pkcs1" = "pkcs8") => ({ type, format: "pem" }) as const;
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

test("RSA of 2048 bits in both forms, and Ed25519, are read", () => {
  const edwards = generateKeyPairSync("ed25519").privateKey;
  assert.equal(readPrivateKey(rsa.export(pem()).toString())?.algorithm, "rsa-sha256");
  assert.equal(readPrivateKey(rsa.export(pem("pkcs1")).toString())?.algorithm, "rsa-sha256");
  assert.equal(readPrivateKey(`\n${edwards.export(pem())}\n`)?.algorithm, "ed25519-sha256");
});

test("anything else is not", () => {
  const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(pem()).toString();
  const sealed = rsa
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
    .toString();
  const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pem()).toString();
  const other = generateKeyPairSync("ed448").privateKey.export(pem()).toString();
  const exchange = generateKeyPairSync("x25519").privateKey.export(pem()).toString();
  const pss = generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).privateKey.export(pem()).toString();
  const good = rsa.export(pem()).toString();
  const cut = `${good.slice(0, 800)}\n-----END PRIVATE KEY-----\n`;
  for (const text of ["", "key", weak, sealed, elliptic, other, exchange, pss, cut]) {
    assert.equal(readPrivateKey(text), null, text.slice(0, 60));
  }
});

test("the published form is the one of the RFCs", () => {
  // RFC 8463, A.2: the example key, whose seed is given there in base64.
  const seed = Buffer.from("nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=", "base64");
  const structure = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const text = `-----BEGIN PRIVATE KEY-----\n${structure.toString("base64")}\n-----END PRIVATE KEY-----\n`;
  assert.equal(publishedKey(readPrivateKey(text)!), "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
  // An SPKI structure of RSA begins so, with every key.
  assert.match(
    publishedKey(readPrivateKey(rsa.export(pem()).toString())!),
    /^MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA.{340,350}IDAQAB$/,
  );
});
