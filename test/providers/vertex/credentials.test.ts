// Files of service accounts: which are taken, and that the reason against one has nothing of it.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import test from "node:test";
import { accountOf, credentialsIssue } from "#providers/vertex/credentials.ts";
import { credentials, keyFile, privateKey } from "./key-file.ts";

const pemOf = (type: "weak" | "curve") =>
  (type === "weak"
    ? generateKeyPairSync("rsa", { modulusLength: 1024 })
    : generateKeyPairSync("ec", { namedCurve: "P-256" })
  ).privateKey
    .export({ type: "pkcs8", format: "pem" })
    .toString();

test("the file as the console hands it out is taken, and one without what nothing needs", () => {
  assert.equal(credentialsIssue(credentials), null);
  const { token_uri: _uri, universe_domain: _domain, private_key_id: _id, ...needed } = keyFile;
  assert.equal(credentialsIssue(JSON.stringify(needed)), null);
  assert.deepEqual(accountOf(credentials), {
    email: keyFile.client_email,
    privateKey,
    keyId: keyFile.private_key_id,
    project: "example-project",
  });
  assert.equal(accountOf(JSON.stringify(needed)).keyId, null);
});

test("another file has a reason, which quotes nothing of it", () => {
  const cases: [object | string, RegExp][] = [
    ["", /JSON file/],
    [privateKey, /JSON file/],
    ["[]", /JSON file/],
    [{ type: "authorized_user" }, /service_account/],
    [{ type: "external_account" }, /service_account/],
    [{ client_email: "canary" }, /client_email/],
    [{ client_email: undefined }, /client_email/],
    [{ token_uri: "https://canary.test/token" }, /token_uri/],
    [{ token_uri: "https://oauth2.googleapis.com/token/" }, /token_uri/],
    [{ token_uri: null }, /token_uri/],
    [{ universe_domain: "canary.test" }, /universe_domain/],
    [{ private_key: "canary" }, /private_key/],
    [{ private_key: "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----" }, /private_key/],
    [{ private_key: pemOf("weak") }, /2048/],
    [{ private_key: pemOf("curve") }, /RSA/],
  ];
  for (const [more, expected] of cases) {
    const text = typeof more === "string" ? more : JSON.stringify({ ...keyFile, ...more });
    const issue = credentialsIssue(text) ?? "none";
    assert.match(issue, expected);
    assert.doesNotMatch(issue, /canary|BEGIN/);
  }
});
