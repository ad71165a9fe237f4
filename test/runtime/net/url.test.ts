// Server-side request forgery by literals, in every spelling, with a real listener on loopback that must not
// see a connection. Names are in connect.test.ts, redirects in outbound.test.ts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { targetReader } from "#runtime/net/url.ts";
import type { Outbound } from "#runtime/runtime.ts";
import { forbiddenHosts, spellings } from "../forbidden-hosts.ts";
import { answer, openPeer, type Peer } from "../peer.ts";

const none = readAllowList("");
const timeoutMs = 5000;
const get = (outbound: Outbound, url: string) => outbound.request({ method: "GET", url, timeoutMs });

describe("literals and loopback names", () => {
  let inside: Peer;
  before(async () => {
    inside = await openPeer({ onRequest: (socket) => socket.write(answer("inside")) });
  });
  after(() => inside.close());

  test(`${forbiddenHosts.length} hosts are refused before a socket is opened`, async () => {
    assert.ok(forbiddenHosts.length >= 600);
    const outbound = createOutbound({ allow: none });
    for (const host of forbiddenHosts) {
      for (const url of [`http://${host}:${inside.port}/?q=1`, `https://${host}:${inside.port}/`]) {
        assert.notEqual(outbound.rejectReason(url), null, url);
        const result = await get(outbound, url);
        assert.ok(
          result.kind === "not_sent" && result.code === "url_not_allowed",
          `${url} ${JSON.stringify(result)}`,
        );
      }
    }
    await outbound.close();
    assert.equal(inside.connections(), 0);
  });

  test("other ways to write a URL around the same host", async () => {
    const outbound = createOutbound({ allow: none });
    const at = `127.0.0.1:${inside.port}`;
    const urls = [
      `http://user@${at}/`,
      `http://:secret@${at}/`,
      `http://1.1.1.1@${at}/`,
      `http://1.1.1.1:80@${at}/`,
      `http://1.1.1.1%20@${at}/`,
      `http:\\\\${at}\\`,
      `http:/${at}/`,
      `http:${at}/`,
      `HTTP://${at}/`,
      ` http://${at}/ `,
      `http://127.0.\n0.1:${inside.port}/`,
      `\thttp://${at}/`,
      `http://${at}#@1.1.1.1/`,
      `http://${at}?@1.1.1.1/`,
      "ftp://1.1.1.1/",
      "file:///etc/passwd",
      "gopher://1.1.1.1/",
      "data:text/plain,x",
      "javascript:1",
      "blob:http://1.1.1.1/x",
      "ws://1.1.1.1/",
      "unix:/run/docker.sock",
      "http+unix://%2Frun%2Fdocker.sock/",
      "about:blank",
      "http://",
      "//127.0.0.1/",
      "127.0.0.1",
      "",
      "http://user:pass@example.test/",
      "http://a b/",
    ];
    for (const url of urls) {
      assert.notEqual(outbound.rejectReason(url), null, url);
      const result = await get(outbound, url);
      assert.ok(
        result.kind === "not_sent" && result.code === "url_not_allowed",
        `${url} ${JSON.stringify(result)}`,
      );
      assert.ok(!/secret|:pass/.test(result.reason), result.reason);
    }
    await outbound.close();
    assert.equal(inside.connections(), 0);
  });

  test("control: with the block allowed, the same spellings of 127.0.0.1 do reach the listener", async () => {
    const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
    const reaching = spellings("127.0.0.1").filter((form) => !form.startsWith("["));
    const before = inside.connections();
    for (const host of [...reaching, "localhost", "a.localhost."]) {
      assert.equal(outbound.rejectReason(`http://${host}:${inside.port}/`), null, host);
      const result = await get(outbound, `http://${host}:${inside.port}/`);
      assert.ok(
        result.kind === "answer" && result.body.toString() === "inside",
        `${host} ${JSON.stringify(result)}`,
      );
    }
    await outbound.close();
    assert.ok(inside.connections() > before);
  });

  test("public addresses, names and odd ports may be saved; the reason for the rest names the way out", () => {
    const outbound = createOutbound({ allow: none });
    for (const url of [
      "https://api.example.test/v1?x=1",
      "http://8.8.8.8:9100/",
      "https://[2606:4700::1]:8443/",
      "http://example.test.:25/",
      "https://bücher.test/",
      "http://10.example.test/",
    ]) {
      assert.equal(outbound.rejectReason(url), null, url);
    }
    assert.equal(
      outbound.rejectReason("http://10.0.0.8:9100/"),
      "10.0.0.8 is a private address; TRUNKLINE_OUTBOUND_ALLOW can let it through",
    );
    assert.equal(
      outbound.rejectReason("http://localhost/"),
      "localhost is a loopback name; TRUNKLINE_OUTBOUND_ALLOW can let it through",
    );
    assert.equal(outbound.rejectReason("ftp://x.test/"), "only http and https URLs are allowed");
  });
});

test("targets that were read are kept, a bounded number of them, and long ones not", () => {
  const targetOf = targetReader(none);
  const target = targetOf("https://api.example.test:8443/v1?x=1");
  assert.deepEqual(target, {
    origin: "https://api.example.test:8443",
    host: "api.example.test:8443",
    path: "/v1?x=1",
    refused: null,
  });
  assert.equal(targetOf("https://api.example.test:8443/v1?x=1"), target);
  const long = `https://api.example.test/${"x".repeat(2_000)}`;
  assert.notEqual(targetOf(long), targetOf(long));
  for (let at = 0; at < 1_000; at++) targetOf(`https://api.example.test/${at}`);
  assert.notEqual(targetOf("https://api.example.test:8443/v1?x=1"), target);
  assert.equal(targetOf("no URL").refused, "it is not a valid URL");
});
