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
