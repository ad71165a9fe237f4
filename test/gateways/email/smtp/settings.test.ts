// Settings of an `smtp` gateway: what they come to, and what is refused when they are saved.

import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { configuredDkimKey, smtpSettings, smtpTarget, targetUrl } from "#gateways/email/smtp/settings.ts";
import { masked } from "#settings/secrets.ts";

const minimal = { host: "mail.example.com", from: "news@example.com" };
const parse = (change: object = {}) => smtpSettings.parse({ ...minimal, ...change });

test("by default encrypted, on the port of its kind", () => {
  assert.equal(parse().security, "starttls");
  assert.equal(smtpTarget(parse()).port, 587);
  assert.equal(smtpTarget(parse({ security: "tls" })).port, 465);
  assert.equal(smtpTarget(parse({ security: "none" })).port, 25);
  assert.equal(smtpTarget(parse({ port: 2525 })).port, 2525);
  assert.equal(targetUrl(parse()), "http://mail.example.com:587/");
  assert.equal(targetUrl(parse({ host: "2001:db8::1" })), "http://[2001:db8::1]:587/");
});

test("credentials are all or nothing, and every spelling of them is a secret", () => {
  const target = smtpTarget(parse({ username: "ada", password: "kernel-panic-42" }));
  assert.deepEqual(target.auth, { user: "ada", pass: "kernel-panic-42" });
  assert.ok(target.secrets.includes(Buffer.from("\0ada\0kernel-panic-42").toString("base64")));
  const callback_token = "a token of sixteen or more";
  const odd = smtpTarget(parse({ username: "ada", password: "Geheimnis-é", callback_token }));
  for (const spelling of ["Geheimnis-é", "Geheimnis-Ã©", "R2VoZWltbmlzLcOp", callback_token])
    assert.ok(odd.secrets.includes(spelling), spelling);
  assert.equal(smtpTarget(parse()).auth, null);
  for (const half of [{ username: "ada" }, { password: "x" }]) assert.throws(() => parse(half), /together/);
});

test("a key of its own: read once it is saved, masked wherever it is shown", () => {
  const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }) as string;
  const rsa = pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey);
  const ed = pem(generateKeyPairSync("ed25519").privateKey);
  const dkim = (private_key: string) => ({ dkim: { domain: "example.com", selector: "s1", private_key } });
  assert.equal(configuredDkimKey(parse(dkim(rsa)))?.algorithm, "rsa-sha256");
  assert.equal(configuredDkimKey(parse(dkim(ed)))?.algorithm, "ed25519-sha256");
  assert.equal(configuredDkimKey(parse()), null);
  assert.ok(!JSON.stringify(masked(smtpSettings, parse(dkim(ed)))).includes("PRIVATE KEY"));
  const weak = pem(generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey);
  for (const wrong of [weak, "x"]) assert.throws(() => parse(dkim(wrong)), /RSA of 2048/);
});
