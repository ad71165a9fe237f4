// GET /metrics: who may see it.

import assert from "node:assert/strict";
import test from "node:test";
import { inject } from "../../../inject.ts";
import { ask, edge, key, metricsOf } from "../../edge.ts";
import { withWire } from "../../wire.ts";

const token = "metrics-token-0123456789";

async function statusFor(
  metricsToken: string | null,
  headers: Record<string, string> = {},
  remoteAddress = "127.0.0.1",
): Promise<number> {
  const { app } = edge({ settings: { metricsToken } });
  const { statusCode } = await inject(app, { url: "/metrics", headers, remoteAddress });
  return statusCode;
}

test("the text of Prometheus, as it is", async () => {
  const { status, headers, text } = await ask(edge(), { method: "GET", url: "/metrics" });
  assert.equal(status, 200);
  assert.equal(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(text, "up 1\n");
});

test("with a token: the token, from anywhere, and nothing else", async () => {
  assert.equal(await statusFor(token, { authorization: `Bearer ${token}` }, "203.0.113.9"), 200);
  assert.equal(await statusFor(token, { authorization: `bearer  ${token}` }), 200);
  const wrong = [
    undefined,
    "",
    token,
    "Bearer ",
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    `Basic ${token}`,
    `Bearer ${key}`,
  ];
  for (const authorization of wrong) {
    assert.equal(
      await statusFor(token, authorization === undefined ? {} : { authorization }),
      403,
      String(authorization),
    );
  }
});

test("without a token: only from the machine itself", async () => {
  const inside = ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"];
  for (const address of inside) assert.equal(await statusFor(null, {}, address), 200, address);
  const outside = ["10.0.0.1", "203.0.113.9", "::ffff:10.0.0.1", "fe80::1", "::2", "1127.0.0.1"];
  for (const address of outside) assert.equal(await statusFor(null, {}, address), 403, address);
});

test("without a token: not through a proxy on the machine", async () => {
  for (const name of [
    "x-forwarded-for",
    "forwarded",
    "via",
    "x-real-ip",
    "x-forwarded-proto",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-original-forwarded-for",
    "x-client-ip",
    "x-cluster-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
    "cf-ray",
    "cdn-loop",
    "fastly-client-ip",
    "fly-client-ip",
    "x-envoy-external-address",
    "x-amzn-trace-id",
    "x-amz-cf-id",
    "x-azure-clientip",
    "x-cloud-trace-context",
    "x-arr-log-id",
    "x-request-start",
    "proxy-connection",
    "client-ip",
  ]) {
    assert.equal(await statusFor(null, { [name]: "127.0.0.1" }), 403, name);
  }
});

test("without a token: only by a name of the machine itself, or a page could have its own name resolve to it", async () => {
  const own = [
    "localhost",
    "LOCALHOST:8080",
    "a.localhost",
    "127.0.0.1:8080",
    "127.8.9.10",
    "[::1]",
    "[::1]:80",
  ];
  for (const host of own) assert.equal(await statusFor(null, { host }), 200, host);
  const others = [
    "evil.example",
    "evil.example:8080",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil-localhost",
    "10.0.0.1",
    "[::2]",
    "127.0.0.1@evil.example",
  ];
  for (const host of others) assert.equal(await statusFor(null, { host }), 403, host);
  // The token is proof enough, with any name.
  assert.equal(await statusFor(token, { host: "evil.example", authorization: `Bearer ${token}` }), 200);
});

test("without a token: not in HTTP/1.0, which nginx speaks to what is behind it", async () => {
  await withWire({}, async ({ open }) => {
    const asked = async (version: string) => {
      const line = await open();
      line.write(`GET /metrics HTTP/${version}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
      return /^HTTP\/1\.1 (\d+)/.exec(await line.until(/\}$|up 1\n/))?.[1];
    };
    assert.equal(await asked("1.1"), "200");
    assert.equal(await asked("1.0"), "403");
  });
});

test("a refusal shows no figure", async () => {
  const to = edge({
    settings: { metricsToken: token },
    core: metricsOf(() => assert.fail("asked")),
  });
  const { json } = await ask(to, { method: "GET", url: "/metrics" });
  assert.deepEqual(json, { success: false, message: "You do not have permission.", code: "forbidden" });
});
