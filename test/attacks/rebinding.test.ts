// DNS rebinding with a real name server, and real listeners that count: the outgoing clients ask it over UDP,
// and reach what may be reached and nothing else. The whole service in a network of its own: `npm run test:attacks`.

import assert from "node:assert/strict";
import { Resolver } from "node:dns/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import test, { after, before } from "node:test";
import { LightAbortController } from "#runtime/light-abort-controller.ts";
import { readAllowList } from "#runtime/net/address.ts";
import type { Lookup } from "#runtime/net/connect.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import { createStreamingClient } from "#runtime/net/streaming-client.ts";
import { type NameServer, openNameServer, rebindingTricks } from "./name-server.ts";

const open = "127.0.0.1";
/** Listened on where the machine has them (Linux), and asked for everywhere. */
const inside = ["127.0.0.2", "127.8.8.8", "0.0.0.0"];
const inside6 = ["::1", "::ffff:127.0.0.2", "fd00::5", "64:ff9b::7f00:2"];

let names: NameServer;
let listeners: Server[];
let port: number;
/** Connections by the address that they reached. */
const reached = new Map<string, number>();

async function listen(host: string, on: number): Promise<Server | null> {
  const server = createServer((socket) => {
    const address = (socket.localAddress ?? "").replace(/^::ffff:/, "");
    reached.set(address, (reached.get(address) ?? 0) + 1);
    socket.on("error", () => {});
    socket.on("data", () =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"),
    );
  });
  return await new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen({ host, port: on, ipv6Only: host === "::" }, () => resolve(server));
  });
}

before(async () => {
  names = await openNameServer();
  const first = (await listen("0.0.0.0", 0))!;
  port = (first.address() as AddressInfo).port;
  listeners = [first, await listen("::", port)].filter((server) => server !== null);
  for (const [name, answers] of Object.entries(rebindingTricks({ open, inside, inside6 })))
    names.zone.set(`${name}.rebind.test`, answers);
});
after(async () => {
  for (const server of listeners) server.close();
  await names.close();
});

/** What getaddrinfo does, asking the name server of this file. */
function lookupThere(): Lookup {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  resolver.setServers([`127.0.0.1:${names.port}`]);
  return async (hostname) => {
    const [four, six] = await Promise.all([
      resolver.resolve4(hostname).catch(() => []),
      resolver.resolve6(hostname).catch(() => []),
    ]);
    return [
      ...four.map((address) => ({ address, family: 4 })),
      ...six.map((address) => ({ address, family: 6 })),
    ];
  };
}

const allow = readAllowList(`${open}/32`);
/** Even ones and odd ones, twice. */
const asks = 4;

const ways: Record<string, () => Promise<{ ask(host: string): Promise<string>; close(): Promise<void> }>> = {
  "a request (webhooks, gateways)": async () => {
    const outbound = createOutbound({ allow, lookup: lookupThere() });
    return {
      ask: async (host) =>
        (
          await outbound.request({
            method: "POST",
            url: `http://${host}:${port}/`,
            body: "{}",
            timeoutMs: 5_000,
          })
        ).kind,
      close: () => outbound.close(),
    };
  },
  "a dialled connection (mail servers)": async () => {
    const outbound = createOutbound({ allow, lookup: lookupThere() });
    return {
      ask: async (host) => {
        const dialled = await outbound.dial({ host, port, timeoutMs: 5_000 });
        if (dialled.kind === "connected") dialled.socket.destroy();
        return dialled.kind;
      },
      close: () => outbound.close(),
    };
  },
  "an AI provider": async () => {
    const upstreams = createStreamingClient({ allow, lookup: lookupThere() });
    return {
      ask: async (host) => {
        const result = await upstreams.open({
          method: "POST",
          url: `http://${host}:${port}/`,
          headers: {},
          body: "{}",
          connectMs: 5_000,
          headersMs: 5_000,
          signal: new LightAbortController(),
        });
        if (result.kind === "answer") while (Buffer.isBuffer(await result.body.read(5_000)));
        return result.kind;
      },
      close: () => upstreams.close(),
    };
  },
};

for (const [title, openClient] of Object.entries(ways)) {
  test(`${title}: names that change, mix and lead on reach nothing inside`, async () => {
    const client = await openClient();
    reached.clear();
    names.answered.clear();
    const outcomes = new Map<string, string[]>();
    for (const name of Object.keys(rebindingTricks({ open, inside, inside6 }))) {
      const seen: string[] = [];
      for (let at = 0; at < asks; at += 1) seen.push(await client.ask(`${name}.rebind.test`));
      outcomes.set(name, seen);
    }
    await client.close();
    const insideReached = [...reached.keys()].filter((address) => address !== open);
    assert.deepEqual(insideReached, [], "connections inside");
    // What may be reached was reached, so the names did resolve, and the listeners do count.
    const good = outcomes.get("control")![0]!;
    assert.deepEqual(outcomes.get("control"), Array(asks).fill(good));
    assert.ok((reached.get(open) ?? 0) >= asks, "the control was not reached");
    assert.ok(outcomes.get("flips-to-127-0-0-2")!.includes(good), "the open half of a flip was not reached");
    for (const name of [
      "mixed-127-0-0-2",
      "always-127-0-0-2",
      "alias-127-0-0-2",
      "six-always-0",
      "six-mixed-0",
      "many",
    ])
      assert.ok(!outcomes.get(name)!.includes(good), `${name} was let through`);
    // And each name did offer what is inside.
    for (const [name, addresses] of names.answered)
      if (!/^(control|alias)/.test(name))
        assert.ok(
          addresses.some((each) => each !== open),
          `${name} set no trap`,
        );
  });
}

test("the trap works: who asks twice is led inside", async () => {
  reached.clear();
  const lookup = lookupThere();
  const [host, port_] = ["flips-to-127-0-0-2.rebind.test", port];
  // Judged by one answer, connected to by the next.
  let judged = (await lookup(host))[0]!.address;
  if (judged !== open) judged = (await lookup(host))[0]!.address;
  assert.equal(judged, open);
  const [next] = await lookup(host);
  assert.equal(next!.address, "127.0.0.2");
  if (process.platform !== "linux") return;
  await new Promise<void>((resolve) => {
    const socket = connect(port_, next!.address, () => socket.end());
    socket.on("close", () => resolve()).on("error", () => resolve());
  });
  assert.equal(reached.get("127.0.0.2"), 1);
});
