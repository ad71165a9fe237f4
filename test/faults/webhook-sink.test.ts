// The simulator's webhook sink and its people who write back: what is journalled, answered, signed and repeated.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { Webhook } from "standardwebhooks";
import { Agent, request } from "undici";
import { twilio } from "#gateways/sms/twilio/twilio.ts";
import { toolsWith } from "../gateways/conformance-samples.ts";
import { markerIn } from "./marker.ts";
import { type Simulator, startSimulator } from "./simulator.ts";

interface Hooks {
  after(clean: () => void | Promise<void>): void;
}

async function simulatorFor(t: Hooks): Promise<Simulator> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-sink-"));
  const simulator = await startSimulator(folder);
  t.after(async () => {
    await simulator.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return simulator;
}

const secret = `whsec_${Buffer.from("s".repeat(32)).toString("base64")}`;

/** Posts an event as an endpoint's lane does; the answer's status, or null without one. */
function poster(t: Hooks, simulator: Simulator) {
  const agent = new Agent({ headersTimeout: 500, bodyTimeout: 500 });
  t.after(() => agent.destroy());
  return async (id: string, event: object, signedWith = secret): Promise<number | null> => {
    const body = JSON.stringify(event);
    const at = new Date();
    try {
      const answer = await request(`${simulator.url}/hook/acme`, {
        method: "POST",
        headers: {
          "webhook-id": id,
          "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
          "webhook-signature": new Webhook(signedWith).sign(id, at, body),
        },
        body,
        dispatcher: agent,
      });
      await answer.body.dump();
      return answer.statusCode;
    } catch {
      return null;
    }
  };
}

const sent = {
  type: "message.sent",
  timestamp: "2026-01-01T00:00:00.000Z",
  data: { id: "msg_1", status: "sent" },
};

test("a post is journalled as it came, and its reader tells a right signature from a wrong one", async (t) => {
  const simulator = await simulatorFor(t);
  const post = poster(t, simulator);
  assert.equal(await post("evt_1", sent), 204);
  assert.equal(
    await post("evt_1", { ...sent, more: true }, `whsec_${Buffer.from("x").toString("base64")}`),
    204,
  );
  assert.equal(await post("evt_2", { type: "gateway.paused", timestamp: sent.timestamp, data: {} }), 204);
  const posted = simulator.posted(() => secret);
  const { digest, ...first } = posted[0]!;
  assert.deepEqual(first, {
    account: "acme",
    id: "evt_1",
    signed: true,
    type: "message.sent",
    timestamp: sent.timestamp,
    subject: "msg_1",
    status: "sent",
    answer: "ok",
  });
  assert.equal(posted[1]?.signed, false);
  assert.notEqual(posted[1]?.digest, digest);
  assert.deepEqual([posted[2]?.subject, posted[2]?.status, posted[2]?.signed], [null, null, true]);
  assert.ok(
    simulator.posted(() => `whsec_${Buffer.from("other").toString("base64")}`).every((one) => !one.signed),
  );
});

for (const [fault, status] of [
  ["500", 500],
  ["reset", null],
  ["stall", null],
] as const) {
  test(`the fault ${fault} strikes first tries only, so many of them, after they were journalled`, async (t) => {
    const simulator = await simulatorFor(t);
    simulator.configure({ hooks: { faults: { [fault]: 1 }, atMost: 2 } });
    await simulator.stats();
    const post = poster(t, simulator);
    const statuses = [];
    for (const id of ["evt_1", "evt_1", "evt_2", "evt_2", "evt_3"]) statuses.push(await post(id, sent));
    assert.deepEqual(statuses, [status, 204, status, 204, 204]);
    const answers = simulator.posted(() => secret).map(({ answer }) => answer);
    assert.deepEqual(answers, [fault, "ok", fault, "ok", "ok"]);
    const { hooks, hookFaults } = await simulator.stats();
    assert.deepEqual([hooks, hookFaults], [5, { [fault]: 2 }]);
  });
}

test("inbound messages come as Twilio sends them, each until it is taken and some once more", async (t) => {
  const authToken = "auth-token-0123456789";
  const publicUrl = "https://sms.example.test";
  const accountSid = `AC${"0a".repeat(16)}`;
  const own = { account_sid: accountSid, auth_token: authToken, from: "+15005550006" };
  const got = new Map<string, number>();
  let refusals = 5;
  let enough = () => {};
  const twelve = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const received = await twilio.receive(
      {
        method: "POST",
        url: `${publicUrl}${incoming.url}`,
        query: new URLSearchParams(),
        headers: { "x-twilio-signature": String(incoming.headers["x-twilio-signature"]) },
        body: Buffer.concat(chunks),
      },
      own,
      toolsWith(),
    );
    assert.equal(received.kind, "received");
    const message = received.kind === "received" ? received.inbound[0] : undefined;
    refusals -= 1;
    if (refusals >= 0) return void answer.writeHead(503).end();
    const marker = markerIn(message?.message ?? "") ?? "";
    got.set(marker, (got.get(marker) ?? 0) + 1);
    answer.writeHead(200).end("<Response/>");
    if (got.size === 12) enough();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const simulator = await simulatorFor(t);
  const gateways = [
    { account: "acme", gateway: "twilio-acme" },
    { account: "beta", gateway: "twilio-beta" },
  ];
  const inbound = { bases: [base], publicUrl, accountSid, authToken, gateways, everyMs: 5, twice: 0.5 };
  simulator.configure({ seed: 3, inbound });
  await twelve;
  simulator.configure({ inbound: null });
  while ((await simulator.stats()).reporting > 0);
  const handed = simulator.handed();
  assert.deepEqual(new Map(handed.map(({ marker, taken }) => [marker, taken])), got);
  assert.deepEqual(new Set(handed.map(({ taken }) => taken)), new Set([1, 2]));
  assert.deepEqual(new Set(handed.map(({ account, gateway }) => `${account} ${gateway}`)).size, 2);
  assert.equal((await simulator.stats()).inboundLost, 0);
});
