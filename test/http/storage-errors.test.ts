// Storage that is away, full or broken, as callers of every route see it: 503 with `Retry-After` in the shape of the
// family, whichever question to the database meets the fault; never a 500, and no flood in the log.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { errorShapeOf } from "#ai/apis/apis.ts";
import type { Head } from "#http/call.ts";
import { isStorageOutage } from "#http/storage-errors.ts";
import { StorageError, type StorageFault } from "#store/database.ts";
import { type Harness, harness } from "../harness.ts";
import { type Injected, inject } from "../inject.ts";
import { type Asking, asking, everyRoute, requestFor } from "./every-route.ts";

const faults: StorageFault[] = ["unavailable", "full", "io", "commit_unknown"];
const secretDetail = "connect ECONNREFUSED 10.0.0.1:5432";

/** Routes that ask no database, or tell of its state in an answer of their own. */
const withoutStorage = [
  "getLiveness",
  "getReadiness",
  "openapi",
  "docs",
  "guides",
  "llms",
  "setupPage",
  "openMail",
  "followLink",
];

let it: Harness;
let caller: Asking;
let real: Harness["system"]["database"]["run"];
/** Numbers of the questions of a request that fail; null: none. */
let failing: { fault: StorageFault; from: number; to: number } | null = null;
let asked = 0;

before(async () => {
  it = await harness({ started: false, settings: { metricsToken: null } });
  caller = await asking(it);
  const { database } = it.system;
  real = database.run;
  database.run = (operation, input) => {
    asked += 1;
    const broken = failing !== null && asked >= failing.from && asked <= failing.to;
    return broken ? Promise.reject(new StorageError(failing!.fault, secretDetail)) : real(operation, input);
  };
});
after(async () => {
  it.system.database.run = real;
  await it?.close();
});

/** One request in which the questions `from` to `to` fail. */
async function askFailing(head: Head, fault: StorageFault, from: number, to: number) {
  // Keys and accounts are remembered for a moment; that is over.
  await it.clock.advance(11_000);
  asked = 0;
  failing = { fault, from, to };
  const options = requestFor(head, caller);
  // Metrics are for callers on the machine itself.
  const reply = await inject(
    it.system.app,
    head.name === "getMetrics" ? { ...options, remoteAddress: "127.0.0.1" } : options,
  );
  failing = null;
  return { reply, met: asked >= from };
}

/** A 503 in the shape of the route's family. */
function isAway(head: Head, fault: StorageFault, reply: Injected): void {
  const what = `${head.method} ${head.path} ${fault}: ${reply.statusCode} ${reply.body}`;
  assert.equal(reply.statusCode, 503, what);
  assert.ok(Number(reply.headers["retry-after"]) > 0, what);
  assert.doesNotMatch(reply.body, /10\.0\.0\.1/);
  // Errors of the management API are JSON, also where the reply would have been a text.
  const isCallback = head.family !== "manage" && head.name !== "getMetrics";
  if (isCallback && head.replyType?.startsWith("text/plain")) {
    assert.match(String(reply.headers["content-type"]), /^text\/plain/, what);
    return;
  }
  if (head.tag === "Mail links") {
    assert.match(String(reply.headers["content-type"]), /^text\/html/, what);
    return;
  }
  const body = reply.json();
  if (head.family === "pool" && errorShapeOf(head.path).name === "Anthropic") {
    assert.equal(body.error.type, "overloaded_error", what);
    return;
  }
  if (head.family === "pool" && errorShapeOf(head.path).name === "Gemini") {
    assert.equal(body.error.status, "UNAVAILABLE", what);
    return;
  }
  if (head.family === "pool") {
    assert.deepEqual(Object.keys(body.error).sort(), ["code", "message", "param", "type"], what);
    assert.equal(body.error.code, "unavailable", what);
    return;
  }
  assert.equal(body.success, false, what);
  // Only a route whose change may have been stored says that this is not known.
  assert.match(
    body.code,
    fault === "commit_unknown" ? /^(unavailable|commit_unknown)$/ : /^unavailable$/,
    what,
  );
}

for (const fault of faults) {
  test(`every route, no question of which is answered (${fault})`, async () => {
    for (const head of everyRoute) {
      const { reply, met } = await askFailing(head, fault, 1, Number.POSITIVE_INFINITY);
      if (withoutStorage.includes(head.name)) assert.notEqual(reply.statusCode, 500, head.path);
      else if (met) isAway(head, fault, reply);
      // A token of a mail that is not ours is refused before the storage is asked.
      else assert.equal(head.tag, "Mail links", `${head.path} asks the storage: ${reply.body}`);
    }
  });
}

/** More questions than any request asks. */
const maxQuestions = 30;

for (const fault of ["unavailable", "commit_unknown"] as const) {
  test(`every route, one question of which is not answered (${fault})`, async () => {
    // A stream of events has no last question.
    for (const head of everyRoute.filter(({ replyType }) => replyType !== "text/event-stream")) {
      for (let at = 1; at <= maxQuestions; at++) {
        const { reply, met } = await askFailing(head, fault, at, at);
        if (!met) break;
        const what = `${head.method} ${head.path}, question ${at}: ${reply.statusCode} ${reply.body}`;
        assert.notEqual(reply.statusCode, 500, what);
        assert.notEqual(at, maxQuestions, what);
        // Some faults are survived: a session's last use, the end of an entry of the audit log.
        if (reply.statusCode === 503 && head.name !== "getReadiness") isAway(head, fault, reply);
      }
    }
  });
}

test("a send says that nothing was accepted, another change that it has to be looked for", async () => {
  const head = (name: string) => everyRoute.find((one) => one.name === name)!;
  const body = async (name: string, fault: StorageFault) =>
    (await askFailing(head(name), fault, 1, Number.POSITIVE_INFINITY)).reply.json();
  assert.match((await body("sendSms", "unavailable")).message, /Nothing was accepted/);
  assert.match((await body("cancelMessage", "io")).message, /not known whether this was done/);
  assert.equal((await body("cancelMessage", "commit_unknown")).code, "commit_unknown");
  // Reading changes nothing, so it may simply be repeated.
  assert.equal((await body("getMessage", "commit_unknown")).code, "unavailable");
});

test("a bug is no outage: it stays a 500", () => {
  assert.equal(isStorageOutage(new StorageError("failed", "no such column")), false);
  assert.equal(isStorageOutage(new Error("x")), false);
  for (const fault of faults) assert.equal(isStorageOutage(new StorageError(fault, "x")), true);
});
