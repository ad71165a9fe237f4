// Nothing of the management API reaches another account's data. The requests are made from the list of endpoints,
// so a route that is added is tested by itself: it fails here until its ids and its body are known below.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test, { after, before } from "node:test";
import type { Head } from "#http/call.ts";
import { endpoints } from "#http/endpoints.ts";
import { type Ground, type Harness, harness } from "../../harness.ts";
import type { Injected } from "../../inject.ts";
import { openCopied } from "../../sqlite.ts";
import { bodies, type Holder, holder, idsOf, namesIn, none, type Params } from "../every-route.ts";
import { type Browser, bearer, manage, signedIn, tokenFor, userFor } from "../managing.ts";

/** Routes that strangers may call. One more of them is a decision, and is written down here. */
const anonymous = ["signIn", "setUp", "checkSetupLink", "setUpUser"];

let it: Harness;
let own: Ground;
let raw: DatabaseSync;
let ours: Holder;
let theirs: Holder;
let member: Record<string, string>;
let browser: Browser;

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-isolation-"));
  const path = join(folder, "trunkline.db");
  own = {
    engine: "sqlite",
    open: () => openCopied(path),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
  it = await harness({ ground: own, started: false });
  raw = new DatabaseSync(path);
  ours = await holder(it, "ours");
  theirs = await holder(it, "theirs");
  member = bearer(await tokenFor(it, ours.id));
  await userFor(it, "member@ours.test", ours.id);
  browser = await signedIn(it, "member@ours.test");
});
after(async () => {
  raw?.close();
  await it?.close();
  await own?.remove();
});

const routes = endpoints.map(({ head }) => head).filter(({ family }) => family === "manage");
const guarded = routes.filter(({ scope }) => scope !== "anonymous");
const titleOf = ({ method, path }: Head) => `${method} ${path.slice("/api/manage/v1".length)}`;

let clients = 0;
/** One request from a client of its own, so that no limit is reached. */
function ask(head: Head, params: Params, headers: Record<string, string>, body?: object) {
  const path = head.path
    .slice("/api/manage/v1".length)
    .replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? none));
  const from = `198.51.${Math.floor(++clients / 250)}.${clients % 250}`;
  return manage(it, head.method, path, { headers, from, ...(body === undefined ? {} : { body }) });
}

/** Everything of an answer that a caller can see, but for what is new in each. */
function seen(reply: Injected): object {
  const { "x-request-id": _id, date: _date, ...headers } = reply.headers;
  return { status: reply.statusCode, headers, body: reply.body };
}

const notFound = { success: false, message: "Not found.", code: "not_found" };

/** All rows, but for the log of what was tried and the notes of who was here. */
function everything(): string {
  const tables = raw.prepare("select name from sqlite_master where type = 'table' order by name").all();
  const kept = tables
    .map(({ name }) => String(name))
    .filter((name) => !/^(audit_|sessions$|sqlite_)/.test(name));
  return kept
    .map((name) => `${name} ${JSON.stringify(raw.prepare(`select * from ${name}`).all())}`)
    .join("\n");
}

test("the list of routes that strangers may call is this one", () => {
  const open = routes.filter(({ scope }) => scope === "anonymous").map(({ name }) => name);
  assert.deepEqual(open.sort(), [...anonymous].sort());
  assert.ok(guarded.length > 20, "there is something to test");
});

test("every route below /api/manage is of its family, and every path with an account says whose it is", () => {
  for (const { head } of endpoints) {
    assert.equal(head.path.startsWith("/api/manage/"), head.family === "manage", head.path);
    if (head.path.includes("{account}"))
      assert.ok(["account", "installation"].includes(head.scope!), head.path);
  }
});

for (const head of guarded) {
  const params = () => ({ account: ours.id, ...idsOf(head)?.of(ours) });

  test(`${titleOf(head)}: no credential, and one of another family, is 401`, async () => {
    const wrong = [
      {},
      bearer(ours.key),
      { "api-key": ours.key },
      bearer(`tlm_${none}`),
      { cookie: "__Host-trunkline=x" },
    ];
    for (const headers of wrong) {
      const reply = await ask(head, params(), headers, bodies[head.name]);
      assert.equal(reply.statusCode, 401, JSON.stringify(headers));
      assert.equal(reply.json().code, "unauthenticated");
    }
  });

  if (head.method !== "GET") {
    test(`${titleOf(head)}: a session without its CSRF token, or from another site, is 403`, async () => {
      const { cookie, headers: right } = browser;
      for (const headers of [
        { cookie },
        { cookie, "sec-fetch-site": "same-origin" },
        { ...right, "sec-fetch-site": "cross-site" },
        { ...right, "x-csrf-token": "x" },
      ]) {
        const reply = await ask(head, params(), headers, bodies[head.name]);
        assert.deepEqual([reply.statusCode, reply.json().code], [403, "forbidden"], JSON.stringify(headers));
      }
    });
  }

  if (head.scope === "installation") {
    test(`${titleOf(head)}: a member is 403`, async () => {
      for (const headers of [member, browser.headers]) {
        const reply = await ask(head, params(), headers, bodies[head.name]);
        assert.deepEqual([reply.statusCode, reply.json().code], [403, "forbidden"]);
      }
    });
  }
}

for (const head of guarded.filter(({ scope }) => scope === "account")) {
  const names = namesIn(head);
  const known = idsOf(head);

  test(`${titleOf(head)}: another's account is the same 404 as one that does not exist`, async () => {
    const before = everything();
    for (const headers of [member, browser.headers]) {
      const missing = await ask(
        head,
        { account: `acc_${none}`, ...known?.missing },
        headers,
        bodies[head.name],
      );
      assert.deepEqual([missing.statusCode, missing.json()], [404, notFound]);
      const foreign = await ask(
        head,
        { account: theirs.id, ...known?.of(theirs) },
        headers,
        bodies[head.name],
      );
      assert.deepEqual(seen(foreign), seen(missing));
    }
    assert.equal(everything(), before);
  });

  if (names.length === 0) continue;
  test(`${titleOf(head)}: another account's ids under our own account are the same 404 as of ids that do not exist`, async () => {
    assert.ok(known, `Say in \`ids\` of this test what {${names.join("}/{")}} of an account is.`);
    const before = everything();
    const [mine, foreign, absent] = [known.of(ours), known.of(theirs), known.missing];
    // All of them foreign, and then each alone beside ids of our own.
    const mixes = [names, ...(names.length > 1 ? names.map((name) => [name]) : [])];
    for (const mix of mixes) {
      const mixed = (of: Params) => ({
        account: ours.id,
        ...mine,
        ...Object.fromEntries(mix.map((name) => [name, of[name]!])),
      });
      // A part that is the same for everybody, such as a channel, makes nothing foreign.
      if (mix.every((name) => foreign[name] === mine[name])) continue;
      const missing = await ask(head, mixed(absent), member, bodies[head.name]);
      const hint = `${missing.body}\nIf it is a 422, say in \`bodies\` what ${head.name} takes.`;
      assert.deepEqual([missing.statusCode, missing.json()], [404, notFound], hint);
      const reply = await ask(head, mixed(foreign), member, bodies[head.name]);
      assert.deepEqual(seen(reply), seen(missing), mix.join());
    }
    assert.equal(everything(), before, "and nothing has changed");
  });
}

// Last, since they change things, and what removes things last of all: without them a route that never finds
// anything would pass everything above.
const rank = (head: Head) =>
  Number(head.method !== "GET") + Number(head.method === "DELETE") * 10 - head.path.length / 1000;
// Streams need a connection of their own: the test of the route opens one.
const aimed = guarded.filter(
  (head) => head.scope === "account" && namesIn(head).length > 0 && head.replyType !== "text/event-stream",
);
for (const head of aimed.sort((a, b) => rank(a) - rank(b))) {
  test(`${titleOf(head)}: the same request for what is one's own finds it`, async () => {
    const known = idsOf(head);
    const headers = bearer(await tokenFor(it, theirs.id));
    const reply = await ask(head, { account: theirs.id, ...known?.of(theirs) }, headers, bodies[head.name]);
    const done = Object.keys(head.replies).map(Number);
    assert.ok([...done, 409].includes(reply.statusCode), `${reply.statusCode} ${reply.body}`);
  });
}
