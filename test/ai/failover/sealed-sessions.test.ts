// Sessions of a coding agent over members that open nothing but their own sealed reasoning, as two accounts of OpenAI do.

import assert from "node:assert/strict";
import test from "node:test";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { runFailover } from "#ai/failover/failover.ts";
import { SealedOrigins } from "#ai/failover/sealed-origins.ts";
import { affinityOf } from "#ai/pools/affinity.ts";
import type { Member } from "#ai/pools/member.ts";
import { openaiCompatible } from "#providers/openai/openai-compatible.ts";
import { seededRandom } from "../../harness.ts";
import { json, refusal, type Script, script } from "../scripted-members.ts";
import { call } from "./chain-calls.ts";

type Item = Record<string, unknown>;

const isSealed = (item: Item) => item.type === "reasoning" || item.type === "compaction";

interface Vendor {
  it: Script;
  members: Member[];
  /** Names of the members that are down. */
  away: Set<string>;
  /** How often a member was asked, and what of the reasoning it got. */
  log: { member: string; sealed: unknown[]; status: number }[];
}

function vendor(priorities: Readonly<Record<string, number>>): Vendor {
  const it = script();
  const away = new Set<string>();
  const log: Vendor["log"] = [];
  const { open } = it.deps.upstreams;
  let made = 0;
  const answer = (member: string, input: readonly Item[]) => {
    const sealed = input.filter(isSealed).map(({ encrypted_content: content }) => content);
    const isForeign = sealed.some((content) => !String(content).startsWith(`${member} `));
    const status = away.has(member) ? 503 : isForeign ? 400 : 200;
    log.push({ member, sealed, status });
    if (status !== 200)
      return refusal(status, isForeign && status === 400 ? "invalid_encrypted_content" : "overloaded");
    made += 1;
    const output = [
      { type: "reasoning", id: `rs_${made}`, summary: [], encrypted_content: `${member} ${made}` },
      { type: "function_call", id: `fc_${made}`, call_id: `call_${made}`, name: "shell", arguments: "{}" },
    ];
    return json({ id: `resp_${made}`, object: "response", status: "completed", output, usage: null });
  };
  it.deps.upstreams.open = (request) => {
    const name = new URL(request.url).hostname.split(".")[0] ?? "";
    it.member(name, [answer(name, JSON.parse(String(request.body)).input)]);
    return open(request);
  };
  const settings = (name: string) =>
    openaiCompatible.settings.parse({ base_url: `http://${name}.test/v1`, responses: true });
  const members = Object.entries(priorities).map(([name, priority]) =>
    it.member(name, [], { priority, settings: settings(name) }),
  );
  return { it, members, away, log };
}

/** An agent's session, which sends the whole conversation with each turn. */
function session({ it, members }: Vendor, key: string, affinity: "prefix" | "none" = "prefix") {
  const input: Item[] = [{ role: "user", content: "Fix the test." }];
  return async () => {
    const body = { model: "m", input, prompt_cache_key: key, include: ["reasoning.encrypted_content"] };
    const text = JSON.stringify(body);
    const api = createResponsesRequest({ text, body, headers: {} }, "stem", 1);
    const asked = call(members, "chat", { text, body, api, affinity: affinityOf({ affinity }, api, body) });
    const result = await runFailover(it.deps, asked);
    assert.ok(result.kind === "answer", JSON.stringify(result));
    const { output } = JSON.parse(result.text) as { output: Item[] };
    const { call_id: id } = output[1]!;
    input.push(...output, { type: "function_call_output", call_id: id, output: "ok" });
    return result.won.choice.member.name;
  };
}

test("two equal members: each session stays at one, which gets all of its own reasoning", async () => {
  const peer = vendor({ a: 1, b: 1 });
  const homes = new Set<string>();
  for (const key of ["one", "two", "three", "four", "five"]) {
    const turn = session(peer, key);
    const first = await turn();
    for (let at = 0; at < 5; at++) assert.equal(await turn(), first);
    homes.add(first);
  }
  assert.deepEqual([...homes].toSorted(), ["a", "b"]);
  assert.deepEqual(new Set(peer.log.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(
    peer.log.slice(0, 6).map(({ sealed }) => sealed.length),
    [0, 1, 2, 3, 4, 5],
  );
});

test("without affinity, sealed reasoning alone keeps a session at its maker", async () => {
  const peer = vendor({ a: 1, b: 1 });
  const turn = session(peer, "one", "none");
  const first = await turn();
  peer.it.deps.random = seededRandom(3).random;
  for (let at = 0; at < 5; at++) assert.equal(await turn(), first);
  const others = new Set<string>();
  for (let at = 0; at < 8; at++) others.add(await session(peer, "other", "none")());
  assert.equal(others.size, 2);
});

test("a member dies in mid-session: the other goes on without its reasoning, nothing is refused, and it stays there", async () => {
  const peer = vendor({ a: 1, b: 1 });
  const turn = session(peer, "one");
  const first = await turn();
  const second = first === "a" ? "b" : "a";
  await turn();
  peer.away.add(first);
  assert.deepEqual([await turn(), await turn()], [second, second]);
  peer.away.clear();
  await peer.it.clock.advance(120_000);
  assert.deepEqual([await turn(), await turn()], [second, second]);
  assert.deepEqual(
    peer.log.filter(({ status }) => status === 400),
    [],
  );
  const atSecond = peer.log.filter(({ member }) => member === second).map(({ sealed }) => sealed.length);
  assert.deepEqual(atSecond, [0, 1, 2, 3]);
});

test("a better member that is back gets the session again, with its own reasoning and without the other's", async () => {
  const peer = vendor({ best: 1, spare: 2 });
  const turn = session(peer, "one");
  assert.deepEqual([await turn(), await turn()], ["best", "best"]);
  peer.away.add("best");
  assert.deepEqual([await turn(), await turn()], ["spare", "spare"]);
  peer.away.clear();
  await peer.it.clock.advance(120_000);
  assert.deepEqual([await turn(), await turn()], ["best", "best"]);
  assert.deepEqual(
    peer.log.slice(-2).map(({ sealed }) => sealed),
    [
      ["best 1", "best 2"],
      ["best 1", "best 2", "best 5"],
    ],
  );
  assert.ok(peer.log.every(({ status }) => status !== 400));
});

test("a process that knows nothing of the session learns by one refusal, and does not pay for it again", async () => {
  const peer = vendor({ best: 1, spare: 2 });
  const turn = session(peer, "one");
  peer.away.add("best");
  assert.deepEqual([await turn(), await turn()], ["spare", "spare"]);
  peer.away.clear();
  peer.it.deps.origins = new SealedOrigins();
  await peer.it.clock.advance(120_000);
  peer.log.length = 0;
  assert.deepEqual([await turn(), await turn(), await turn()], ["best", "best", "best"]);
  assert.deepEqual(
    peer.log.map(({ status, sealed }) => [status, sealed.length]),
    [
      [400, 2],
      [200, 0],
      [200, 1],
      [200, 2],
    ],
  );
});
