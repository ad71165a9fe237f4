// The greeting of a SOCKS 5 proxy, byte for byte, with proxies that refuse, stop and babble.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { askSocks } from "#runtime/net/socks.ts";
import { turn } from "../asking.ts";
import { openPeer } from "../peer.ts";

const bytes = (...all: number[]) => Uint8Array.from(all);
const noLogin = { name: "", password: "" };
const login = { name: "user", password: "secret" };
const target = { host: "a.test", port: 443 };
const connected = bytes(5, 0, 0, 1, 0, 0, 0, 0, 0, 0);

/** Plays the replies, one after each message of the client, and returns what became of it and what the proxy was sent. */
async function ask(
  replies: readonly (Uint8Array | null)[],
  who = noLogin,
  to = target,
  timeoutMs = 5_000,
): Promise<{ result: string; sent: string[] }> {
  const sent: string[] = [];
  const peer = await openPeer({
    onConnect: (socket) =>
      void socket.on("data", async (message: Buffer) => {
        sent.push(message.toString("hex"));
        const reply = replies[sent.length - 1];
        if (reply === null) socket.end();
        // A byte at a time: a reply may come in any pieces.
        for (const byte of reply ?? []) {
          socket.write(bytes(byte));
          await turn();
        }
      }),
  });
  const socket = connect({ port: peer.port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  const result = await new Promise<string>((resolve) =>
    askSocks(socket, who, to, timeoutMs, (error: Error | null, open: Socket | null) =>
      resolve(error?.message ?? (open === socket ? "connected" : "?")),
    ),
  );
  assert.equal(socket.destroyed, result !== "connected");
  socket.destroy();
  await peer.close();
  return { result, sent };
}

const named = `0501000306${Buffer.from("a.test").toString("hex")}01bb`;

test("without a login, with one, and with one that the proxy does not ask for", async () => {
  assert.deepEqual(await ask([bytes(5, 0), connected]), { result: "connected", sent: ["050100", named] });
  assert.deepEqual(await ask([bytes(5, 2), bytes(1, 0), connected], login), {
    result: "connected",
    sent: [
      "05020200",
      `0104${Buffer.from("user").toString("hex")}06${Buffer.from("secret").toString("hex")}`,
      named,
    ],
  });
  assert.deepEqual(await ask([bytes(5, 0), connected], login), {
    result: "connected",
    sent: ["05020200", named],
  });
});

test("addresses are sent as addresses, and every form of the proxy's own is read", async () => {
  const toV4 = await ask([bytes(5, 0), connected], noLogin, { host: "192.0.2.1", port: 80 });
  assert.equal(toV4.sent[1], "05010001c00002010050");
  const toV6 = await ask([bytes(5, 0), connected], noLogin, { host: "2001:db8::1", port: 80 });
  assert.equal(toV6.sent[1], "0501000420010db80000000000000000000000010050");
  for (const bound of [bytes(5, 0, 0, 3, 2, 97, 98, 0, 1), bytes(5, 0, 0, 4, ...Array(18).fill(0))])
    assert.equal((await ask([bytes(5, 0), bound])).result, "connected");
});

test("a refusal, another protocol, a long name and silence are errors, and the socket is closed", async () => {
  const table: [replies: (Uint8Array | null)[], error: string, who?: typeof login, host?: string][] = [
    [[bytes(5, 255)], "the proxy accepts no login"],
    [[bytes(5, 2)], "the proxy accepts no login"],
    [[bytes(72, 84)], "the proxy does not speak SOCKS 5"],
    [[bytes(5, 2), bytes(1, 1)], "the proxy refused the login", login],
    [[bytes(5, 0), bytes(5, 5, 0, 1, 0, 0, 0, 0, 0, 0)], "the proxy could not connect"],
    [[bytes(5, 0), bytes(4, 0, 0, 1, 0, 0, 0, 0, 0, 0)], "the proxy's reply is not valid"],
    [[bytes(5, 0), bytes(5, 0, 0, 7, 0)], "the proxy's reply is not valid"],
    [[bytes(5, 2)], "the login is too long", { name: "u", password: "x".repeat(256) }],
    [[bytes(5, 0)], "the name is too long", noLogin, "x".repeat(256)],
    [[null], "the proxy closed the connection"],
    [[bytes(5, 0), null], "the proxy closed the connection"],
  ];
  for (const [replies, error, who = noLogin, host = "a.test"] of table)
    assert.equal((await ask(replies, who, { host, port: 1 })).result, error);
  assert.equal((await ask([bytes(5)], noLogin, target, 20)).result, "the proxy gave no answer");
});
