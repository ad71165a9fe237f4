// A conversation keeps going to one member of a tier: what names it, whom it belongs to, and when others take a part.

import assert from "node:assert/strict";
import test from "node:test";
import { ChatCompletionsRequest } from "#ai/apis/chat-completions/chat-completions.ts";
import { createMessagesRequest } from "#ai/apis/messages/messages.ts";
import { createResponsesRequest } from "#ai/apis/responses/responses.ts";
import { MemberHealth } from "#ai/health/health.ts";
import { affinityOf, ranked } from "#ai/pools/affinity.ts";
import { type Candidate, order } from "#ai/pools/pool.ts";
import { seededRandom } from "../../harness.ts";

const prefix = { affinity: "prefix" } as const;
type Body = Record<string, unknown>;

const chat = (body: Body) =>
  affinityOf(
    prefix,
    new ChatCompletionsRequest({ text: JSON.stringify(body), body, includeUsage: false }),
    body,
  )!();
const responses = (body: Body, headers: Record<string, string> = {}) =>
  affinityOf(prefix, createResponsesRequest({ text: JSON.stringify(body), body, headers }, "s", 1), body)!();
const messages = (body: Body, headers: Record<string, string> = {}) =>
  affinityOf(prefix, createMessagesRequest({ text: JSON.stringify(body), body, headers }, "s"), body)!();

const system = { role: "system", content: "You are brief." };
const first = { role: "user", content: "What is a lane?" };
const later = [
  { role: "assistant", content: "A queue." },
  { role: "user", content: "And a fence?" },
];

test("the turns of a conversation have one key, and other conversations have others", () => {
  const key = chat({ messages: [system, first] });
  assert.equal(chat({ messages: [system, first, ...later], temperature: 1 }), key);
  const tools = [{ type: "function", function: { name: "look_up" } }];
  const others = [
    chat({ messages: [system, { role: "user", content: "What is a fence?" }] }),
    chat({ messages: [{ ...system, content: "You are long." }, first] }),
    chat({ messages: [system, first], tools }),
    chat({ messages: [system] }),
    chat({}),
  ];
  assert.equal(new Set([key, ...others]).size, 6);
});

test("each API's instructions, tools and first message count, and the marks of caches do not", () => {
  const spoken = (content: unknown) => ({ system: "Be brief.", messages: [{ role: "user", content }] });
  const marked = [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }];
  assert.equal(messages(spoken(marked)), messages(spoken([{ type: "text", text: "Hi" }])));
  assert.notEqual(messages(spoken("Hi")), messages({ ...spoken("Hi"), system: "Be long." }));
  const asked = { instructions: "Be brief.", input: [first] };
  assert.equal(responses(asked), responses({ ...asked, input: [first, ...later] }));
  assert.notEqual(responses(asked), responses({ ...asked, instructions: "Be long." }));
  assert.notEqual(responses({ input: "Hi" }), responses({ input: "Ho" }));
});

test("a client's own name comes before the text: prompt_cache_key, then the session of an agent", () => {
  const asked = { input: [first] };
  const key = responses({ ...asked, prompt_cache_key: "thread" });
  assert.equal(responses({ input: "else", prompt_cache_key: "thread" }, { "session-id": "s" }), key);
  assert.equal(chat({ messages: [first], prompt_cache_key: "thread" }), key);
  assert.equal(responses(asked, { "session-id": "thread" }), key);
  assert.equal(messages({ messages: later }, { "x-claude-code-session-id": "thread" }), key);
  for (const none of ["", 5, null])
    assert.equal(responses({ ...asked, prompt_cache_key: none }), responses(asked));
});

test("a long prompt is named by its beginning", () => {
  const long = (end: string) =>
    chat({ messages: [{ role: "user", content: `${"x".repeat(70_000)}${end}` }] });
  assert.equal(long("a"), long("b"));
  assert.equal(
    affinityOf(
      { affinity: "none" },
      new ChatCompletionsRequest({ text: "{}", body: {}, includeUsage: false }),
      {},
    ),
    null,
  );
});

const member = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  id: name,
  name,
  priority: 1,
  weight: 1,
  active: true,
  models: ["m"],
  aliases: {},
  health: new MemberHealth(),
  ...more,
});
const choicesOf = (members: readonly Candidate[]) => members.map((one) => ({ member: one, model: "m" }));
const keys = Array.from({ length: 4_000 }, (_, at) => `key ${at}`);
const homes = (members: readonly Candidate[]) =>
  keys.map((key) => ranked(choicesOf(members), key)[0]!.member.name);
const share = (of: readonly string[], name: string) => of.filter((home) => home === name).length / of.length;

test("over many keys, weights of 1 to 3 hold", () => {
  const of = homes([member("a"), member("b", { weight: 3 })]);
  assert.ok(Math.abs(share(of, "b") - 0.75) < 0.03, `${share(of, "b")}`);
});

test("a member that falls out moves its own keys alone, to the others by their weights", () => {
  const [a, b, c] = [member("a"), member("b"), member("c", { weight: 2 })];
  const before = homes([a, b, c]);
  const after = homes([c, a]);
  const moved = after.filter((home, at) => home !== before[at]);
  assert.equal(moved.length, before.filter((home) => home === "b").length);
  assert.ok(Math.abs(share(moved, "c") - 2 / 3) < 0.06, `${share(moved, "c")}`);
});

/** Who is asked first, over some draws. */
function firsts(members: readonly Candidate[], key: string, now = 60_000): Map<string, number> {
  const { random } = seededRandom(5);
  const counts = new Map<string, number>();
  for (let draw = 0; draw < 512; draw++) {
    const { name } = order(choicesOf(members), now, random, "stream", { affinity: () => key })[0]!.member;
    counts.set(name, (counts.get(name) ?? 0) + 1 / 512);
  }
  return counts;
}

function speed({ health }: Candidate, ms: number): void {
  const ticket = health.begin(0);
  health.firstOutput(ticket, ms, ms);
  health.succeeded(ticket, ms);
}

/** A key whose first member is this one. */
const keyOf = (members: readonly Candidate[], name: string) =>
  keys.find((key) => ranked(choicesOf(members), key)[0]!.member.name === name)!;

test("a key goes to one member of its tier, while that is well, and a better tier comes before it", () => {
  const members = [member("a"), member("b"), member("better", { priority: 0 })];
  assert.deepEqual([...firsts(members, keyOf(members, "a"))], [["better", 1]]);
  const equals = members.slice(0, 2);
  for (const name of ["a", "b"]) assert.deepEqual([...firsts(equals, keyOf(equals, name))], [[name, 1]]);
  const [a] = equals;
  for (let turn = 0; turn < 2; turn++)
    a!.health.failed(a!.health.begin(60_000), 60_000, "upstream_error", null);
  assert.deepEqual([...firsts(equals, keyOf(equals, "a"))], [["b", 1]]);
});

test("one that is far slower than another, or far busier, keeps a part of its calls", () => {
  const members = [member("a"), member("b")];
  const key = keyOf(members, "a");
  speed(members[0]!, 1_000);
  assert.deepEqual([...firsts(members, key)], [["a", 1]], "the other one has not answered yet");
  speed(members[1]!, 400);
  assert.deepEqual([...firsts(members, key)], [["a", 1]]);
  const { health } = members[0]!;
  const tickets = [health.begin(1), health.begin(1)];
  const parts = firsts(members, key);
  assert.ok(parts.get("a")! > 0.15 && parts.get("b")! > 0.6, `${[...parts]}`);
  for (const ticket of tickets) health.dropped(ticket);
  assert.deepEqual([...firsts(members, key)], [["a", 1]]);
});
