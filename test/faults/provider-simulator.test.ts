// The provider simulator: what is journalled, what is answered, what is reported.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { Agent, request } from "undici";
import { faultIn, markedText, markerIn, seeded } from "./marker.ts";
import { type ProviderFault, type Simulator, startSimulator } from "./simulator.ts";

interface Hooks {
  after(clean: () => void | Promise<void>): void;
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "trunkline-simulator-"));
}

async function simulatorFor(t: Hooks): Promise<Simulator> {
  const folder = temporaryFolder();
  const simulator = await startSimulator(folder);
  t.after(async () => {
    await simulator.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return simulator;
}

test("markers and asked faults are found again in escaped bodies", () => {
  const body = JSON.stringify({ text: `"${markedText("abc.12", "429-after")}"` });
  assert.equal(markerIn(body), "abc.12");
  assert.deepEqual(faultIn(body), { name: "429-after", always: false });
  assert.deepEqual(faultIn(markedText("abc.1", "cut always")), { name: "cut", always: true });
  assert.equal(faultIn(markedText("abc.1")), null);
  assert.deepEqual([seeded(7)(), seeded(7)()], [seeded(7)(), seeded(7)()]);
});

/** What the client sees, and whether the provider holds the message. */
const behaviour: Record<ProviderFault, { status: number | null; taken: boolean }> = {
  "reset-early": { status: null, taken: false },
  "silence-early": { status: null, taken: false },
  "500-early": { status: 500, taken: false },
  "400": { status: 400, taken: false },
  "429": { status: 429, taken: false },
  "429-after": { status: 429, taken: false },
  "503": { status: 503, taken: false },
  "reset-late": { status: null, taken: true },
  silence: { status: null, taken: true },
  "500-late": { status: 500, taken: true },
  garbage: { status: 200, taken: true },
  cut: { status: null, taken: true },
};

test("each fault does what its name says, once for each message", async (t) => {
  const simulator = await simulatorFor(t);
  const agent = new Agent({ headersTimeout: 500, bodyTimeout: 500 });
  t.after(() => agent.destroy());
  const send = async (body: string) => {
    try {
      const answer = await request(`${simulator.url}/send/main`, { method: "POST", body, dispatcher: agent });
      const text = await answer.body.text();
      return { status: answer.statusCode, text, after: answer.headers["retry-after"] };
    } catch {
      return { status: null, text: "", after: undefined };
    }
  };
  const faults = Object.keys(behaviour) as ProviderFault[];
  const answers = await Promise.all(faults.map((fault, index) => send(markedText(`r.${index}`, fault))));
  const taken = new Set(simulator.taken().map(({ marker }) => marker));
  faults.forEach((fault, index) => {
    assert.equal(answers[index]?.status, behaviour[fault].status, fault);
    assert.equal(taken.has(`r.${index}`), behaviour[fault].taken, fault);
  });
  assert.equal(answers[faults.indexOf("429-after")]?.after, "1");
  assert.throws(() => JSON.parse(answers[faults.indexOf("garbage")]?.text ?? ""));

  const again = await Promise.all(faults.map((fault, index) => send(markedText(`r.${index}`, fault))));
  const journal = simulator.taken();
  for (const [index, { status, text }] of again.entries()) {
    assert.equal(status, 200);
    const { messages } = JSON.parse(text) as { messages: { id: string }[] };
    const last = journal.findLast(({ marker }) => marker === `r.${index}`);
    assert.deepEqual([messages[0]?.id, last?.gateway, last?.answer], [last?.id, "main", "ok"]);
  }
  const stats = await simulator.stats();
  assert.equal(stats.journalled, journal.length);
  for (const fault of faults) assert.equal(stats.faults[fault], 1, fault);
});

test("reports are posted early, late and twice, and again until the service takes them", async (t) => {
  const posted: { url: string; body: string }[] = [];
  let refusals = 2;
  const sink = createServer(async (incoming, answer) => {
    let body = "";
    for await (const chunk of incoming) body += chunk;
    refusals -= 1;
    if (refusals < 0) posted.push({ url: incoming.url ?? "", body });
    answer.writeHead(refusals < 0 ? 200 : 503).end();
    if (posted.length === 4) allPosted();
  });
  let allPosted = () => {};
  const all = new Promise<void>((resolve) => {
    allPosted = resolve;
  });
  await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
  t.after(() => sink.close());
  const address = sink.address();
  const base = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const simulator = await simulatorFor(t);
  simulator.configure({ callbacks: { bases: [base], token: "t0ken", delayMs: 5, early: 0, twice: 1 } });
  await simulator.stats();
  const agent = new Agent();
  t.after(() => agent.destroy());
  for (const marker of ["r.1", "r.2"]) {
    const answer = await request(`${simulator.url}/send/main`, {
      method: "POST",
      body: markedText(marker),
      dispatcher: agent,
    });
    await answer.body.dump();
  }
  await all;
  const ids = simulator.taken().map(({ id }) => id);
  assert.ok([...simulator.reported()].every((id) => ids.includes(id)));
  assert.deepEqual(
    posted.map(({ body }) => body).sort(),
    [...ids, ...ids].map((id) => JSON.stringify({ id, ours: null, state: "DELIVRD" })).sort(),
  );
  assert.deepEqual(new Set(posted.map(({ url }) => url)), new Set(["/callbacks/main?token=t0ken"]));
});
