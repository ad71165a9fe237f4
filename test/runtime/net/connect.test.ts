// Server-side request forgery by DNS: private answers, mixed ones, answers that change, and a socket that
// ends up elsewhere than the lookup said.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { readAllowList } from "#runtime/net/address.ts";
import { AddressRefusedError, guardedConnector, guardedLookup, type Lookup } from "#runtime/net/connect.ts";
import { createOutbound } from "#runtime/net/outbound.ts";
import type { Outbound, OutboundResult } from "#runtime/runtime.ts";
import { memoryLog } from "../../log.ts";
import { answer, openPeer, type Peer } from "../peer.ts";

const none = readAllowList("");
const timeoutMs = 5000;
const get = (outbound: Outbound, url: string) => outbound.request({ method: "GET", url, timeoutMs });

/** A resolver that only knows these names. */
function names(table: Record<string, string[]>): Lookup {
  return async (hostname) => {
    const found = table[hostname];
    if (found === undefined) throw Object.assign(new Error(`ENOTFOUND ${hostname}`), { code: "ENOTFOUND" });
    return found.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
}

describe("names", () => {
  let inside: Peer;
  before(async () => {
    inside = await openPeer({
      onRequest: (socket) => socket.end(answer("inside", "200 OK", "connection: close")),
    });
  });
  after(() => inside.close());

  const forbidden = [
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "fd00::1",
    "64:ff9b::7f00:1",
    "0.0.0.0",
    "fe80::1%eth0",
    "not an address",
  ];
  for (const address of forbidden) {
    for (const [how, answers] of [
      ["alone", [address]],
      ["after a public one", ["93.184.215.14", address]],
      ["before a public one", [address, "2606:4700::1"]],
    ] as const) {
      test(`${address} ${how}: the whole name is refused`, async () => {
        const log = memoryLog();
        const outbound = createOutbound({ allow: none, log, lookup: names({ "mixed.test": [...answers] }) });
        const result = await get(outbound, `http://mixed.test:${inside.port}/?key=secret`);
        assert.ok(result.kind === "not_sent" && result.code === "url_not_allowed", JSON.stringify(result));
        // No client reads internal DNS through the reason; the operator reads it in the log.
        assert.ok(!result.reason.includes(address), result.reason);
        assert.match(result.reason, /^mixed\.test resolves to .*\.$/);
        assert.equal(log.lines()[0]!.address, address);
        await outbound.close();
        assert.equal(inside.connections(), 0);
      });
    }
  }

  test("a name that changes its answer between two connections is judged again", async () => {
    const answers = ["127.0.0.1", "127.0.0.2", "127.0.0.1"];
    let asked = 0;
    const lookup: Lookup = async () => [{ address: answers[asked++]!, family: 4 }];
    const outbound = createOutbound({ allow: readAllowList("127.0.0.1"), lookup });
    const kinds: string[] = [];
    for (let i = 0; i < 3; i++) kinds.push((await get(outbound, `http://turning.test:${inside.port}/`)).kind);
    assert.deepEqual([kinds, asked], [["answer", "not_sent", "answer"], 3]);
    await outbound.close();
  });

  test("an answer that changes after it was judged is not the one that is used", async () => {
    let reads = 0;
    const shifty = {
      family: 4,
      get address() {
        return reads++ === 0 ? "93.184.215.14" : "127.0.0.1";
      },
    };
    const found = await guardedLookup(none, async () => [shifty])("x.test");
    assert.deepEqual(found, [{ address: "93.184.215.14", family: 4 }]);
  });

  test("localhost means this machine, with any answer of DNS; no answers and failing DNS are unreachable", async () => {
    const lookup = names({ "empty.test": [], localhost: ["93.184.215.14"] });
    const guarded = guardedLookup(readAllowList("127.0.0.1"), lookup);
    assert.deepEqual(await guarded("x.localhost."), [{ address: "127.0.0.1", family: 4 }]);
    await assert.rejects(guardedLookup(none, lookup)("localhost"), AddressRefusedError);
    const outbound = createOutbound({ allow: none, lookup });
    for (const host of ["empty.test", "unknown.test"]) {
      assert.deepEqual(await get(outbound, `http://${host}:${inside.port}/`), {
        kind: "not_sent",
        code: "unreachable",
        reason: `Could not reach ${host}:${inside.port}: the name does not resolve.`,
      } satisfies OutboundResult);
    }
    await outbound.close();
  });

  test("concurrent questions for one name share an answer, later ones ask again", async () => {
    let asked = 0;
    const guarded = guardedLookup(none, async () => {
      asked += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return [{ address: "93.184.215.14", family: 4 }];
    });
    await Promise.all(Array.from({ length: 50 }, () => guarded("x.test")));
    assert.equal(asked, 1);
    await guarded("x.test");
    assert.equal(asked, 2);
  });
});

describe("the peer that was reached", () => {
  for (const protocol of ["http:", "https:"]) {
    test(`${protocol} a lookup that was fooled: the socket is closed before a byte goes out, the TLS greeting included`, async () => {
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      const inside = await openPeer({ onConnect: (socket) => socket.on("close", () => resolve()) });
      // Not guarded: as if the address that was judged led elsewhere.
      const connector = guardedConnector(none, names({ "fooled.test": ["127.0.0.1"] }));
      const error = await new Promise<Error | null>((done) => {
        connector.connect({ hostname: "fooled.test", protocol, port: String(inside.port) }, (...[failure]) =>
          done(failure),
        );
      });
      assert.ok(error instanceof AddressRefusedError, String(error));
      assert.equal(error.address, "127.0.0.1");
      await gone;
      assert.deepEqual([inside.connections(), inside.received()], [1, [""]]);
      await inside.close();
    });
  }

  test("control: the peer does see bytes when the guard lets them pass", async () => {
    const inside = await openPeer();
    const socket = connect(inside.port, "127.0.0.1");
    socket.end("x");
    await new Promise((resolve) => socket.on("close", resolve));
    assert.deepEqual(inside.received(), ["x"]);
    await inside.close();
  });
});
