// Requests through real proxies: what reaches the server comes from the proxy, and a proxy is judged as any other server.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { readAllowList } from "#runtime/net/address.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { proxyServer } from "#runtime/net/proxy.ts";
import { ProxyServer } from "../../proxy-server.ts";
import { cert, key } from "../certificate.ts";
import { openPeer } from "../peer.ts";

for (const scheme of ["http", "socks5"] as const)
  test(`a request goes through the ${scheme} proxy that it names, and no other does`, async (context) => {
    const ports: number[] = [];
    const server = createServer((request, response) => {
      ports.push(request.socket.remotePort ?? 0);
      response.end(request.headers["proxy-authorization"] ?? "no login");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
    context.after(async () => {
      await outbound.close();
      server.close();
    });
    const proxy = await ProxyServer.open(context);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const ask = (way: string | null) =>
      outbound.request({ method: "GET", url, timeoutMs: 5_000, proxy: way });
    const answers = [await ask(proxy.url(scheme)), await ask(null)];
    assert.deepEqual(
      answers.map((answer) => (answer.kind === "answer" ? String(answer.body) : answer)),
      ["no login", "no login"],
    );
    assert.deepEqual(
      ports.map((port) => proxy.localPorts.has(port)),
      [true, false],
    );
    const refused = await ask(proxy.url(scheme).replace("secret", "guessed"));
    assert.equal(refused.kind, "not_sent");
    assert.doesNotMatch(JSON.stringify(refused), /guessed/);
  });

for (const scheme of ["http", "socks5"] as const)
  test(`TLS is with the server behind the ${scheme} proxy, whose certificate is verified`, async (context) => {
    const peer = await openPeer({ tls: { key, cert } });
    const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
    context.after(async () => {
      await outbound.close();
      await peer.close();
    });
    const proxy = await ProxyServer.open(context);
    const url = `https://127.0.0.1:${peer.port}/`;
    const answer = await outbound.request({ method: "GET", url, timeoutMs: 5_000, proxy: proxy.url(scheme) });
    assert.ok(answer.kind === "not_sent", JSON.stringify(answer));
    assert.match(answer.reason, /: its certificate is self-signed\.$/);
    assert.deepEqual([proxy.targets.length, peer.connections(), peer.paths()], [1, 1, []]);
  });

for (const [name, reply] of [
  ["bytes behind its answer", "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nplanted"],
  ["a refusal", "HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno"],
  ["an answer without an end", "HTTP/1.1 200 OK\r\n"],
  ["another protocol", "SSH-2.0-OpenSSH_9\r\n"],
  ["nothing", ""],
] as const)
  test(`a proxy that answers CONNECT with ${name}: the request is not sent`, async () => {
    const proxy = await openPeer({ onRequest: (socket) => void socket.end(reply) });
    const outbound = createOutbound({ allow: readAllowList("127.0.0.0/8") });
    const answer = await outbound.request({
      method: "POST",
      url: "http://api.test/secret",
      timeoutMs: 5_000,
      proxy: `http://127.0.0.1:${proxy.port}`,
    });
    assert.equal(answer.kind, "not_sent", JSON.stringify(answer));
    assert.doesNotMatch(proxy.received().join(""), /secret/);
    await outbound.close();
    await proxy.close();
  });

test("a proxy on an address that is not allowed is asked nothing", async (context) => {
  const proxy = await ProxyServer.open(context);
  const outbound = createOutbound({ allow: readAllowList("") });
  context.after(() => outbound.close());
  for (const scheme of ["http", "socks5"] as const) {
    const url = "http://example.com/";
    const way = proxy.url(scheme);
    const answer = await outbound.request({ method: "GET", url, timeoutMs: 5_000, proxy: way });
    assert.equal(answer.kind, "not_sent");
  }
  assert.deepEqual(proxy.targets, []);
});

test("a proxy without a port has its scheme's own", () => {
  for (const [url, server] of [
    ["http://a.test", { host: "a.test", port: 80 }],
    ["https://a.test", { host: "a.test", port: 443 }],
    ["socks5://a.test", { host: "a.test", port: 1080 }],
    ["socks5://[2001:db8::1]:9", { host: "2001:db8::1", port: 9 }],
  ] as const)
    assert.deepEqual(proxyServer(new URL(url)), server);
});
