// What the pages say of a pool member's state: the sentences of every state, and each page that shows it.

import assert from "node:assert/strict";
import test from "node:test";
import type { PoolMemberHealth } from "#ui/api/schema.ts";
import { stateOf } from "#ui/pools/outcomes.ts";
import { missing, settled, setUp, visit } from "./browser.ts";
import { api } from "./pages.ts";

const early = "2027-01-01T00:00:00.000Z";
const late = "2027-01-01T00:00:01.000Z";
const failure = (at: string | null) =>
  at === null ? null : { call: "req_1", at, outcome: "upstream_error", status: 503 };

test("a member is up only if its last request was answered, and every other state stays what it is", () => {
  for (const state of ["half_open", "open", "cooling_down", "unauthorized", "off", "up"] as const)
    for (const answered of [null, early, late])
      for (const failed of [null, early, late])
        for (const first_output_ms of [null, 120]) {
          const shown = stateOf({
            state,
            first_output_ms,
            last_answered_at: answered,
            last_failure: failure(failed),
            recent: { since: early, asked: 0, failed: 0 },
            in_flight: 0,
          });
          const hasFailed = failed !== null && (answered === null || failed > answered);
          const hasAnswered = !hasFailed && (answered !== null || first_output_ms !== null);
          const expected = state !== "up" ? state : hasFailed ? "failed" : hasAnswered ? "up" : "ready";
          assert.equal(shown.state, expected, JSON.stringify([state, answered, failed, first_output_ms]));
          assert.equal(shown.word === "up", state === "up" && hasAnswered);
          assert.equal(shown.serves, state === "up");
        }
});

const soon = "2031-01-01T00:00:00.000Z";
const recent = { since: early, asked: 0, failed: 0 };
const unasked = { state: "up", until: null, first_output_ms: null, last_answered_at: null } as const;
const untried = { ...unasked, last_failure: null, recent, in_flight: 0 };
const failed = { ...untried, last_failure: failure(late), recent: { ...recent, asked: 2, failed: 2 } };

/** A member's health, its word, and its sentence; null if it has none. */
const states: readonly [change: Partial<PoolMemberHealth>, word: string, why: string | null][] = [
  [{ ...untried, last_answered_at: late }, "up", null],
  [untried, "not asked recently", "It takes requests. The pool's last 1,000 calls have no answer from it."],
  // Its first request is under way, or all that it was asked were given up by their callers.
  [{ ...untried, in_flight: 1 }, "no recent answer", "The pool's last 1,000 calls have no answer from it."],
  [
    { ...untried, recent: { ...recent, asked: 3 } },
    "no recent answer",
    "The pool's last 1,000 calls have no answer from it.",
  ],
  [failed, "failed when last asked", "It still takes requests."],
  [{ ...failed, state: "half_open" }, "being tried", "One request is sent to it as a test"],
  [
    { ...failed, state: "open", until: soon },
    "down",
    "asked for a pause. It is asked only if no other member can answer.",
  ],
  [
    { ...failed, state: "cooling_down", until: soon },
    "resting",
    "The provider asked to wait. It is not asked until then.",
  ],
  [{ ...failed, state: "unauthorized", until: soon }, "refused", "The provider refuses the key"],
  [{ ...failed, state: "off" }, "off", "It is switched off and receives no requests."],
];

test("a member's state is the same on its pool's page, in the list and in the playground, and no sentence is false", {
  skip: missing,
}, async (t) => {
  const at = await visit();
  t.after(at.close);
  const { page, url } = at;
  await setUp(at);
  const account = (await api(at, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pool = (await api(at, "GET", `/accounts/${account}/pools`)).body.data[0]?.id ?? "";
  let change: Partial<PoolMemberHealth> = {};
  let isAlone = false;
  await page.route(/\/api\/manage\/.*\/pools\/\w+\/health$/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    Object.assign(json.data[0], change);
    Object.assign(json.data[1], { ...untried, state: isAlone ? "off" : "up" });
    await route.fulfill({ response, json });
  });
  const every: Readonly<Record<PoolMemberHealth["state"], true>> = {
    up: true,
    half_open: true,
    open: true,
    cooling_down: true,
    unauthorized: true,
    off: true,
  };
  assert.deepEqual(new Set(states.map(([{ state }]) => state)), new Set(Object.keys(every)));
  for (const [health, word, why] of states)
    for (const isOff of /down|resting/.test(word) ? [false, true] : [false]) {
      [change, isAlone] = [health, isOff];
      const says = `${word}${isOff ? ", alone" : ""}`;
      await page.goto(`${url}/a/${account}/pools/${pool}`);
      await settled(at);
      const member = page.locator("li.member").first();
      assert.equal((await member.locator(".status").textContent())?.trim(), word, says);
      const text = (await member.textContent()) ?? "";
      if (why !== null) assert.ok(text.includes(why), `${says}: ${text}`);
      // A clock or a failure belongs to the states that have one.
      assert.equal(text.includes("asked again"), health.until === soon, text);
      assert.equal(text.includes("Last failure: no answer"), false, text);
      assert.equal(
        text.includes("Last failure: failed · 503"),
        health.last_failure != null && word !== "off",
        text,
      );
      assert.equal(/not asked recently/.test(text), word === "not asked recently", text);
      if (isOff) assert.doesNotMatch(text, /members? serves?/, says);
      assert.doesNotMatch(text, /null|undefined|NaN/, says);
      const tier = (await page.locator("li.tier h2").first().textContent()) ?? "";
      const serves = stateOf(health as PoolMemberHealth).serves;
      assert.match(tier, serves ? /asked first$/ : /asked first, but none of its members is up$/, says);
      const hint = (await page.locator("ol.tiers + .hint").textContent()) ?? "";
      assert.equal(
        hint.includes("The highlighted tier answered last."),
        health.last_answered_at === late,
        says,
      );
      if (isOff) continue;
      for (const [path, part] of [
        ["pools", page.getByRole("article").first()],
        [`pools/${pool}/playground`, page.getByRole("group", { name: /^Pretend down/ })],
      ] as const) {
        await page.goto(`${url}/a/${account}/${path}`);
        await settled(at);
        assert.equal((await part.locator(".status").first().textContent())?.trim(), word, `${path}, ${says}`);
      }
    }
});
