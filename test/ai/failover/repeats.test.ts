// When a member is asked again before the next one is: after a quick failure, and after a short wait that the pool allows.
// And what the log says of going on.

import assert from "node:assert/strict";
import test from "node:test";
import { answered, json, type Reply, refusal, script } from "../scripted-members.ts";
import { call, failureOf, run } from "./chain-calls.ts";

test("a quick failure of a vendor is tried once more at the same member, at once, alone or not", async () => {
  const once = { pool: { repeat: 1 } };
  for (const { name, reply, isRepeated } of [
    ...[500, 502, 503].map((status) => ({
      name: String(status),
      reply: refusal(status, "server_error"),
      isRepeated: true,
    })),
    { name: "reset", reply: { failed: "cut" } as const, isRepeated: true },
    { name: "503 later", reply: refusal(503, "overloaded", { "retry-after": "9" }), isRepeated: false },
    { name: "529", reply: refusal(529, "overloaded"), isRepeated: false },
    { name: "unreachable", reply: { failed: "unreachable" } as const, isRepeated: false },
    {
      name: "empty",
      reply: json({ choices: [{ message: { role: "assistant", content: "" } }] }),
      isRepeated: false,
    },
    { name: "silent", reply: { failed: "headers_timeout" } as const, isRepeated: false },
  ]) {
    const it = script();
    const members = [it.member("first", [reply]), it.member("second", [answered()])];
    const result = await run(it, call(members, "chat", once));
    assert.equal(result.kind === "answer" && result.won.memberCount, 2, name);
    assert.deepEqual(it.names(), isRepeated ? ["first", "first", "second"] : ["first", "second"], name);
    assert.equal(it.clock.monotonic(), 0, name);
    assert.equal(members[0]!.health.isOpen, false, "a repeat is no second failure in a row");
  }
  const it = script();
  const result = await run(it, call([it.member("only", [refusal(503, "busy"), answered()])], "chat", once));
  assert.equal(result.kind === "answer" && result.won.memberCount, 1, "a repeat is no other member");
  assert.deepEqual(
    it.asked.map(({ at }) => at),
    [0, 0],
  );
  const never = script();
  failureOf(await run(never, call([never.member("only", [refusal(500, "server_error")])])));
  assert.equal(never.asked.length, 1);
});

test("a slow failure is not repeated beside another member", async () => {
  const it = script();
  const slow: Reply = { afterMs: 1_500, reply: refusal(500, "server_error") };
  const members = [it.member("first", [slow]), it.member("second", [answered()])];
  await run(it, call(members, "chat", { pool: { repeat: 1 } }));
  assert.deepEqual(it.names(), ["first", "second"]);
});

test("where the pool allows it, a short `Retry-After` is waited for at the same member, once", async () => {
  for (const status of [429, 503]) {
    const it = script();
    const busy = refusal(status, "busy", { "retry-after": "3" });
    const members = [it.member("first", [busy, answered()]), it.member("second", [answered()])];
    const result = await run(it, call(members, "chat", { pool: { wait_ms: 3_000 } }));
    assert.equal(result.kind === "answer" && result.won.choice.member.name, "first");
    assert.deepEqual(
      it.asked.map(({ member, at }) => [member, at]),
      [
        ["first", 0],
        ["first", 3_000],
      ],
    );
  }
  const it = script();
  const busy = refusal(429, "busy", { "retry-after": "3" });
  const members = [it.member("first", [busy]), it.member("second", [answered()])];
  await run(it, call(members, "chat", { pool: { wait_ms: 3_000 } }));
  assert.deepEqual(it.names(), ["first", "first", "second"]);
  const short = script();
  const limited = [short.member("first", [busy]), short.member("second", [answered()])];
  await run(short, call(limited, "chat", { pool: { wait_ms: 2_999 } }));
  assert.deepEqual(short.names(), ["first", "second"]);
});

test("each failover and each exhausted pool is reported once, a caller's own fault is not", async () => {
  const it = script();
  const failing = [it.member("first", [refusal(500, "oops")]), it.member("second", [refusal(503, "oops")])];
  failureOf(await run(it, call(failing, "chat", { pool: { repeat: 1 } })));
  assert.deepEqual(it.logged, ["first → second: upstream_error 1", "first: upstream_error 2"]);
  const fault = script();
  await run(fault, call([fault.member("first", [refusal(422, "wrong")]), fault.member("second", [])]));
  assert.deepEqual(fault.logged, []);
});

test("a form of messages that a server refuses is learned, and the member is asked again in the one that it takes", async () => {
  const it = script();
  const message =
    "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`";
  const only = it.member("only", [json({ error: { message } }, 400), answered()]);
  const body = {
    messages: [
      { role: "developer", content: "Be brief." },
      { role: "user", content: "hello" },
    ],
  };
  const asked = call([only], "chat", { body, text: JSON.stringify(body) });
  for (let turn = 0; turn < 2; turn++) assert.equal((await run(it, asked)).kind, "answer");
  const roles = it.asked.map(({ request }) => JSON.parse(String(request.body)).messages[0].role);
  assert.deepEqual(roles, ["developer", "system", "system"]);
});
