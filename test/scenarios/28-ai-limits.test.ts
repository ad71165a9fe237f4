// A pool key's limits, budgets and usage, end to end: exactly as many as there is room for, with one process and
// with two on one database; a place is free again however a call ended; and a database that is away is no reason
// for calls to fail, nor for usage to be lost or counted twice.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { describe, test } from "node:test";
import { revokeKey } from "#configure/pool-key.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { type Database, StorageError } from "#store/database.ts";
import { listPoolKeys } from "#store/pools/keys.ts";
import { ask, callsOf, keyText, makePool, outcomeOf, type PoolOf, sumsOf } from "../ai/pooled.ts";
import { type EngineName, type Ground, ground, type Harness, harness, someEngines } from "../harness.ts";

type Key = { limits?: object; budget?: object; models?: string[]; expires_at?: string };

/** One process, or more of them on one database and by one clock. */
async function story(
  options: { engine: EngineName; processes?: number; key?: Key; on?: (own: Ground) => Ground },
  tell: (processes: Harness[], of: PoolOf, clock: MovableClock) => Promise<void>,
): Promise<void> {
  const own = await ground(options.engine);
  const clock = movableClock();
  const processes: Harness[] = [];
  try {
    for (let i = 0; i < (options.processes ?? 1); i++)
      processes.push(await harness({ ground: options.on?.(own) ?? own, clock }));
    const of = await makePool(processes[0]!, { keys: [{ name: "app", key: keyText, ...options.key }] });
    await tell(processes, of, clock);
  } finally {
    for (const process of processes) await process.close();
    await own.remove();
  }
}

const counted = (outcomes: string[]) => {
  const counts: Record<string, number> = {};
  for (const one of outcomes) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
};

/** A database that can be taken away, reads and writes. */
function removable(own: Ground): { ground: Ground; away(is: boolean): void } {
  let away = false;
  const open = async (): Promise<Database> => {
    const database = await own.open();
    return {
      ...database,
      run: (operation, input) =>
        away
          ? Promise.reject(new StorageError("unavailable", `${operation.name}: away`))
          : database.run(operation, input),
    };
  };
  return {
    ground: { ...own, open },
    away: (is) => {
      away = is;
    },
  };
}

const setups = [
  { engine: "sqlite", processes: 1 },
  { engine: "postgres", processes: 1 },
  { engine: "postgres", processes: 2 },
] as const;

for (const setup of setups) {
  const key = { limits: { requests_per_minute: 40 } };
  test(`100 at once at a limit of 40: exactly 40, by ${setup.processes} on ${setup.engine}; a refusal takes nothing`, () =>
    story({ ...setup, key }, async (processes, of, clock) => {
      const burst = async (count: number) =>
        counted(
          (
            await Promise.all(Array.from({ length: count }, (_, i) => ask(processes[i % processes.length]!)))
          ).map(outcomeOf),
        );
      assert.deepEqual(await burst(100), { 200: 40, "429 rate_limit_exceeded": 60 });
      const refused = await ask(processes[0]!);
      assert.deepEqual(
        [
          refused.headers["retry-after"],
          refused.headers["retry-after-ms"],
          refused.headers["x-ratelimit-limit-requests"],
          refused.headers["x-ratelimit-remaining-requests"],
          refused.headers["x-ratelimit-reset-requests"],
        ],
        ["2", "1500", "40", "0", "1m0s"],
      );
      await clock.advance(15_000);
      assert.deepEqual(await burst(100), { 200: 10, "429 rate_limit_exceeded": 90 });
      await clock.advance(2_000);
      // One usage total, of all members.
      const [sum, ...more] = await sumsOf(processes[0]!, of);
      assert.deepEqual([sum?.requests, sum?.errors, more], [50, 0, []]);
      assert.equal((await callsOf(processes[0]!, of)).length, 50);
    }));
}

/** A call over a real socket, so that its caller can leave. */
async function dial(
  it: Harness,
  body: object,
): Promise<{ asked: ClientRequest; reply: Promise<IncomingMessage> }> {
  const { app } = it.system;
  if (!app.server.listening) await app.listen({ port: 0, host: "127.0.0.1" });
  const address = app.server.address();
  assert.ok(typeof address === "object" && address !== null);
  const asked = request({
    port: address.port,
    host: "127.0.0.1",
    method: "POST",
    path: "/api/ai/v1/chat/completions",
    headers: { authorization: `Bearer ${keyText}`, "content-type": "application/json" },
    agent: false,
  });
  asked.on("error", () => {});
  asked.end(JSON.stringify({ model: "echo", messages: [{ role: "user", content: "a b c d" }], ...body }));
  const reply = once(asked, "response").then(([response]) => response as IncomingMessage);
  reply.catch(() => {});
  return { asked, reply };
}

/** Lets real sockets have their turns until it is so. */
async function until(clock: MovableClock, so: () => Promise<boolean> | boolean): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) {
    await clock.settle();
    if (await so()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail("it never came about");
}

/** A whole stream, its time passing on the clock. */
async function streamed(it: Harness, clock: MovableClock, body: object): Promise<string> {
  const { reply } = await dial(it, { ...body, stream: true });
  let text = "";
  let ended = false;
  reply.then((response) => {
    response.on("data", (bytes) => {
      text += String(bytes);
    });
    response.on("end", () => {
      ended = true;
    });
  });
  await until(clock, async () => {
    await clock.advance(5);
    return ended;
  });
  return text;
}

for (const engine of someEngines(import.meta.filename)) {
  describe(engine, () => {
    const one = { limits: { concurrency: 1 } };
    const free = async (it: Harness) => outcomeOf(await ask(it));
    const busy = "429 concurrency_limit_exceeded";

    test("a place is free after success, after an error, and after a stream", () =>
      story({ engine, key: one }, async ([it], of, clock) => {
        const slow = ask(it!, { model: "slow" });
        await clock.settle();
        assert.equal(await free(it!), busy);
        await clock.advance(3_000);
        assert.equal(outcomeOf(await slow), "200");
        assert.equal(await free(it!), "200");
        const failing = ask(it!, { model: "failing" });
        await clock.advance(60_000);
        assert.equal((await failing).statusCode, 503);
        await clock.advance(600_000);
        assert.match(await streamed(it!, clock, {}), /\[DONE\]/);
        assert.equal(await free(it!), "200");
        await clock.advance(1_000);
        const calls = await callsOf(it!, of);
        assert.deepEqual(calls.map(({ status }) => status).toReversed(), [200, 200, 503, 200, 200]);
        assert.deepEqual(
          [await sumsOf(it!, of)].flat().map(({ requests, errors }) => [requests, errors]),
          [[5, 1]],
        );
      }));

    test("a caller who leaves, before the answer or in the middle of a stream, leaves a place and a record of 499", () =>
      story({ engine, key: one }, async ([it], of, clock) => {
        for (const body of [{ model: "slow" }, { stream: true }]) {
          const { asked, reply } = await dial(it!, body);
          if (body.stream) {
            const response = await reply;
            await once(response, "data");
          } else await until(clock, async () => (await free(it!)) === busy);
          asked.destroy();
          await until(clock, async () => (await free(it!)) === "200");
        }
        await clock.advance(2_000);
        const left = (await callsOf(it!, of)).filter(({ status }) => status === 499);
        assert.equal(left.length, 2);
        assert.equal(left[0]!.member, "main");
        assert.ok(left[0]!.prompt_tokens > 0 && left[0]!.estimated === 1, JSON.stringify(left[0]));
        const [sum] = await sumsOf(it!, of, "day");
        assert.equal(sum?.errors, 0);
      }));

    test("a record says who was asked, how it went and what it took; the prompt and the answer are nowhere", () =>
      story({ engine }, async ([it], of, clock) => {
        const canary = "xyzzycanary";
        const prompt = [{ role: "user", content: canary }];
        assert.match((await ask(it!, { messages: prompt })).body, new RegExp(canary));
        assert.match(await streamed(it!, clock, { messages: prompt }), new RegExp(canary));
        await clock.advance(1_000);
        const [second, whole] = await callsOf(it!, of);
        const { attempts, member, model, status, estimated, stream: isStream } = whole!;
        assert.deepEqual([member, model, status, estimated, isStream], ["main", "echo", 200, 0, 0]);
        assert.deepEqual(
          (JSON.parse(attempts) as { ms: number }[]).map(({ ms: _, ...rest }) => rest),
          [{ member: "main", model: "echo", started_ms: 0, outcome: "ok", status: 200 }],
        );
        assert.ok(whole!.prompt_tokens > 0 && whole!.completion_tokens > 0);
        assert.deepEqual([second!.stream, second!.estimated], [1, 0]);
        const rows = JSON.stringify([await callsOf(it!, of), await sumsOf(it!, of, "member")]);
        assert.ok(!rows.includes(canary) && !it!.log.text().includes(canary));
      }));

    test("tokens are set aside by estimate and settled to what was used, once for a call", () =>
      story({ engine, key: { limits: { tokens_per_minute: 1_000 } } }, async ([it], _of, clock) => {
        const first = await ask(it!, { max_tokens: 900 });
        assert.equal(first.statusCode, 200);
        await clock.settle();
        const { total_tokens: used } = first.json().usage;
        const refused = outcomeOf(await ask(it!, { max_tokens: 990 }));
        assert.equal(refused, "429 rate_limit_exceeded");
        const next = await ask(it!, { max_tokens: 1 });
        const left = Number(next.headers["x-ratelimit-remaining-tokens"]);
        const reckoned = 1_000 - used - left;
        assert.ok(reckoned > 1 && reckoned < 60, `${reckoned}`);
      }));

    test("one charge a call, however many members were tried; a call that brought nothing costs no tokens", () =>
      story(
        { engine, key: { limits: { requests_per_minute: 3, tokens_per_minute: 1_000 } } },
        async ([it], of) => {
          const box = { kind: "sandbox", priority: 1 };
          const members = [
            { ...box, name: "main", models: ["failing"] },
            { ...box, name: "second", models: ["failing"], priority: 2 },
            { ...box, name: "third", models: ["echo"], priority: 3 },
          ];
          await makePool(it!, { members, keys: [], strict_models: true }, of.accountId);
          const leftOf = (reply: Awaited<ReturnType<typeof ask>>) =>
            ["requests", "tokens"].map((of) => Number(reply.headers[`x-ratelimit-remaining-${of}`]));
          const any = { model: "default", max_tokens: 10 };
          const first = await ask(it!, any);
          assert.equal(first.headers["x-service-pool-attempts"], "3");
          assert.equal(leftOf(first)[0], 2);
          await it!.settle();
          const nothing = await ask(it!, { model: "failing", max_tokens: 500 });
          assert.equal(nothing.statusCode, 503);
          await it!.settle();
          const [requests, tokens] = leftOf(await ask(it!, any));
          assert.equal(requests, 0);
          const { total_tokens: used } = first.json().usage;
          assert.ok(tokens! > 1_000 - used - 60, `${tokens}`);
          assert.equal(await free(it!), "429 rate_limit_exceeded");
        },
      ));

    test("a budget of a day is over, and is there again after local midnight; no member is asked meanwhile", () =>
      story({ engine, key: { budget: { tokens_per_day: 1 } } }, async ([it], of, clock) => {
        assert.equal(await free(it!), "200");
        assert.equal(await free(it!), "429 insufficient_quota");
        await clock.advance(10_000);
        const refused = await ask(it!);
        assert.equal(outcomeOf(refused), "429 insufficient_quota");
        assert.equal(refused.headers["x-should-retry"], "false");
        const waitMs = Number(refused.headers["retry-after-ms"]);
        await clock.advance(waitMs - 1);
        assert.equal(await free(it!), "429 insufficient_quota");
        await clock.advance(1);
        assert.equal(await free(it!), "200");
        await clock.advance(1_000);
        assert.equal((await callsOf(it!, of)).length, 2);
      }));

    test("the database is away for a minute: calls go on within their limits, and their usage is written once", async () => {
      let take: (is: boolean) => void = () => {};
      const on = (own: Ground) => {
        const { ground: wrapped, away } = removable(own);
        take = away;
        return wrapped;
      };
      await story({ engine, key: { limits: { requests_per_minute: 60 } }, on }, async ([it], of, clock) => {
        assert.equal(await free(it!), "200");
        await clock.advance(60_000);
        take(true);
        const during: string[] = [];
        for (let i = 0; i < 100; i++) during.push(await free(it!));
        assert.deepEqual(counted(during), { 200: 60, "429 rate_limit_exceeded": 40 });
        await clock.advance(60_000);
        assert.equal(await free(it!), "200");
        // Who is not known is not let in, and told that it may be tried again.
        assert.equal(outcomeOf(await ask(it!, {}, `${keyText}0`)), "503 unavailable");
        take(false);
        await clock.advance(60_000);
        const [sum] = await sumsOf(it!, of);
        assert.equal(sum?.requests, 62);
        assert.equal((await callsOf(it!, of)).length, 62);
        take(true);
        await clock.advance(600_001);
        assert.equal(await free(it!), "503 unavailable");
        take(false);
        assert.equal(await free(it!), "200");
      });
    });

    test("keys: an allow-list, an end, and 2,000 wrong ones that reach no member", () =>
      story(
        { engine, key: { models: ["echo"], expires_at: "2026-01-01T01:00:00Z" } },
        async ([it], of, clock) => {
          assert.equal(await free(it!), "200");
          assert.equal(outcomeOf(await ask(it!, { model: "slow" })), "404 model_not_found");
          // All at once would wait longer for PostgreSQL's few connections than a call does when the machine is busy.
          for (let wave = 0; wave < 10; wave++) {
            const wrong = await Promise.all(
              Array.from({ length: 200 }, (_, i) => ask(it!, {}, `wrong_${wave}_${i}`)),
            );
            assert.deepEqual(counted(wrong.map(outcomeOf)), { "401 invalid_api_key": 200 });
          }
          await clock.advance(3_600_000 - 1);
          assert.equal(await free(it!), "200");
          await clock.advance(1);
          assert.equal(await free(it!), "401 invalid_api_key");
          await clock.advance(1_000);
          const statuses = (await callsOf(it!, of)).map(({ status }) => status);
          assert.deepEqual(statuses.toReversed(), [200, 404, 200]);
        },
      ));
  });
}

test("who asks one after the other at a limit of one is never refused, however slowly ends are reported", () => {
  const slow = (own: Ground): Ground => ({
    ...own,
    open: async () => {
      const database = await own.open();
      const run: Database["run"] = async (operation, input) => {
        for (let turn = 0; turn < 20 && operation.name === "endCalls"; turn++)
          await new Promise((resolve) => setImmediate(resolve));
        return await database.run(operation, input);
      };
      return { ...database, run };
    },
  });
  return story(
    { engine: "postgres", key: { limits: { concurrency: 1 } }, on: slow },
    async ([it], _of, clock) => {
      for (let call = 0; call < 10; call++) assert.equal(outcomeOf(await ask(it!)), "200");
      const busy = ask(it!, { model: "slow" });
      await clock.settle();
      assert.equal(outcomeOf(await ask(it!)), "429 concurrency_limit_exceeded");
      await clock.advance(3_000);
      assert.equal(outcomeOf(await busy), "200");
    },
  );
});

test("a process that dies in the middle of a stream: its place is free when its lease ends, 45 s later", () =>
  story(
    { engine: "postgres", processes: 2, key: { limits: { concurrency: 1 } } },
    async ([first, second], _of, clock) => {
      const { asked, reply } = await dial(first!, { stream: true });
      await once(await reply, "data");
      assert.equal(outcomeOf(await ask(second!)), "429 concurrency_limit_exceeded");
      const killed = first!.kill();
      asked.destroy();
      await killed;
      await clock.advance(44_000);
      assert.equal(outcomeOf(await ask(second!)), "429 concurrency_limit_exceeded");
      await clock.advance(1_000);
      assert.equal(outcomeOf(await ask(second!)), "200");
    },
  ));

test("a revoked key is refused at once where it was revoked, and within 5 s everywhere", () =>
  story({ engine: "postgres", processes: 2 }, async ([first, second], of, clock) => {
    for (const it of [first!, second!]) assert.equal(outcomeOf(await ask(it)), "200");
    const [key] = await first!.system.database.run(listPoolKeys, { ...of, before: null, limit: 1 });
    await revokeKey(first!.system.core, of, key!.id);
    assert.equal(outcomeOf(await ask(first!)), "401 invalid_api_key");
    await clock.advance(5_000);
    assert.equal(outcomeOf(await ask(second!)), "401 invalid_api_key");
  }));
