// The statement of a service account, as its verifier reads it, and the form of an application's secret.

import assert from "node:assert/strict";
import { verify } from "node:crypto";
import test from "node:test";
import { secretOf, tokenRequest } from "#providers/token-grant.ts";
import { privateKey, publicKey } from "./vertex/key-file.ts";

const audience = "https://oauth2.googleapis.com/token";
const proof = { email: "caller@example.test", privateKey, keyId: "key-1", audience };
const grant = { url: "https://proxy.test/token", issuer: "Google", scope: "a b", proof };
const now = Date.UTC(2026, 10, 20, 12) + 999;

function statementOf(own: Partial<typeof proof> | { keyId: null } = {}) {
  const request = tokenRequest({ ...grant, proof: { ...proof, ...own } }, now);
  const form = new URLSearchParams(request.body);
  const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as object;
  const signed = Buffer.from(`${head}.${claims}`);
  const isSigned = verify("RSA-SHA256", signed, publicKey, Buffer.from(signature, "base64url"));
  return { request, form, head: read(head), claims: read(claims), isSigned };
}

test("the statement is signed by the key, for an hour, for the endpoint of its audience", () => {
  const { request, form, head, claims, isSigned } = statementOf();
  assert.ok(isSigned);
  assert.deepEqual(head, { alg: "RS256", typ: "JWT", kid: "key-1" });
  const iat = now / 1000 - 0.999;
  assert.deepEqual(claims, { iss: "caller@example.test", scope: "a b", aud: audience, iat, exp: iat + 3600 });
  assert.equal(form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  assert.deepEqual([...form.keys()], ["grant_type", "assertion"]);
  assert.deepEqual([request.method, request.url], ["POST", "https://proxy.test/token"]);
  assert.equal(request.headers["content-type"], "application/x-www-form-urlencoded");
});

test("a file without the key's id is signed without it, and the key is in no request", () => {
  const { head, request } = statementOf({ keyId: null });
  assert.deepEqual(head, { alg: "RS256", typ: "JWT" });
  const line = privateKey.split("\n")[1] ?? "";
  assert.ok(line.length > 40 && !JSON.stringify(request).includes(line));
});

test("an application's secret goes in the form, and is what is masked elsewhere", () => {
  const application = { ...grant, proof: { clientId: "id-1", clientSecret: "s~e.c-r=e&t" } };
  const { body, url, headers } = tokenRequest(application, now);
  assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
    grant_type: "client_credentials",
    client_id: "id-1",
    client_secret: "s~e.c-r=e&t",
    scope: "a b",
  });
  assert.ok(!`${url} ${JSON.stringify(headers)}`.includes("s~e"));
  assert.deepEqual([secretOf(application), secretOf(grant)], ["s~e.c-r=e&t", privateKey]);
});
