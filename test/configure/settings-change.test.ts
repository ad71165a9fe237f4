// Settings changed in part: laid over what is stored, masks kept, and no secret carried to another server.

import assert from "node:assert/strict";
import test from "node:test";
import { z } from "zod";
import { maskIssues, mergeSettings, parseSettings } from "#configure/settings-change.ts";

const kind = {
  settings: z.strictObject({
    url: z.string().meta({ url: true }),
    key: z.string().meta({ secret: true }),
    headers: z.record(z.string(), z.string().meta({ secret: true })).optional(),
    note: z.string().optional(),
  }),
  urls: (settings: unknown) => [(settings as { url: string }).url],
};
const outbound = { rejectReason: (url: string) => (url.includes("inside") ? "is inside" : null) };
const stored = { url: "https://one.test/a", key: "stored", headers: { x: "also" }, note: "hi" };
const change = (input: Record<string, unknown>, from: Record<string, unknown> | null = stored) => {
  const merged = mergeSettings(from, input);
  const change = from === null ? null : { owner: "member", stored: from, changes: input };
  const parsed = merged.issues.length > 0 ? merged : parseSettings(kind, outbound, merged.settings, change);
  const issues = parsed.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return issues.length > 0 ? issues : merged.settings;
};

test("what is given replaces, null removes, a mask keeps", () => {
  assert.deepEqual(change({}), stored);
  assert.deepEqual(change({ note: null, key: "••••" }), {
    url: stored.url,
    key: "stored",
    headers: { x: "also" },
  });
  assert.deepEqual(change({ headers: { x: "••••", y: "new" } }), {
    ...stored,
    headers: { x: "also", y: "new" },
  });
  assert.deepEqual(change({ url: "https://one.test/b" }), { ...stored, url: "https://one.test/b" });
});

test("with another origin every secret is given again, whether it was kept by a mask or by silence", () => {
  const words = "must be given again, since the member's address changes";
  const url = "https://two.test/a";
  assert.deepEqual(change({ url }), [`settings.key: ${words}`, `settings.headers.x: ${words}`]);
  assert.deepEqual(change({ url, key: "••••", headers: null }), [`settings.key: ${words}`]);
  assert.deepEqual(change({ url, key: "new", headers: null }), { url, key: "new", note: "hi" });
  assert.equal(Array.isArray(change({ url: "http://one.test/a" })), true, "another scheme is another origin");
});

test("of two addresses each keeps its own server: a secret for the one never goes to the other's", () => {
  const two = {
    settings: z.strictObject({
      base_url: z.string().meta({ url: true }),
      token_url: z.string().meta({ url: true }),
      key: z.string().meta({ secret: true }),
    }),
    urls: (settings: unknown) => {
      const { base_url, token_url } = settings as { base_url: string; token_url: string };
      return [base_url, token_url];
    },
  };
  const stored = { base_url: "https://api.test/", token_url: "https://login.test/token", key: "stored" };
  const issuesOf = (changes: Record<string, string>) =>
    parseSettings(two, outbound, { ...stored, ...changes }, { owner: "member", stored, changes }).issues.map(
      ({ path }) => path.join("."),
    );
  assert.deepEqual(issuesOf({ token_url: "https://login.test/other", base_url: "https://api.test/v2" }), []);
  assert.deepEqual(issuesOf({ token_url: "https://api.test/token" }), ["settings.key"]);
  const swapped = { base_url: stored.token_url, token_url: stored.base_url };
  assert.deepEqual(issuesOf(swapped), ["settings.key"]);
  assert.deepEqual(issuesOf({ token_url: "https://inside.test/", key: "new" }), ["settings.token_url"]);
});

test("a mask that stands for nothing is a fault", () => {
  const words = "is a mask, and nothing is stored that it could stand for";
  assert.deepEqual(change({ headers: { y: "••••" } }), [`settings.headers.y: ${words}`]);
  assert.deepEqual(change({ key: "••••" }, null), [`settings.key: ${words}`]);
  assert.deepEqual(change({ url: "https://two.test", key: "new" }, null), {
    url: "https://two.test",
    key: "new",
  });
  assert.deepEqual(maskIssues({ a: { b: "••••" } }), [{ path: ["settings", "a", "b"], message: words }]);
  assert.deepEqual(maskIssues({ a: "text" }), []);
});

test("what the schema or the outbound guard refuses is reported with its path", () => {
  const wrong = change({ url: 7, other: 1 });
  assert.deepEqual(wrong, ["settings.url: must be a text", "settings.other: is not a field"]);
  const { settings } = mergeSettings({}, { any: 1 });
  assert.deepEqual(settings, { any: 1 });
  const inside = { url: "https://inside.test", key: "new" };
  assert.deepEqual(change(inside, null), ["settings.url: is inside"]);
  assert.deepEqual(parseSettings(kind, outbound, { ...inside, url: "https://one.test" }, null), {
    parsed: { ...inside, url: "https://one.test" },
    issues: [],
  });
});
