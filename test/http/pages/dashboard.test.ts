// The dashboard's files, as the server gives them out: which paths are pages, under which policy, and for how long.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { dashboardPolicy } from "#http/pages/dashboard.ts";
import { inject } from "../../inject.ts";
import { edge } from "../edge.ts";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "trunkline-test-"));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html>the page");
  writeFileSync(join(folder, "assets/main-1.js"), "script");
  writeFileSync(join(folder, "assets/main-1.js.gz"), gzipSync("script"));
});
after(() => rmSync(folder, { recursive: true }));

const html = { accept: "text/html,*/*" };

test("a path that no route takes is the dashboard's page, under its policy", async () => {
  const { app } = edge({ settings: { dashboardFolder: folder } });
  for (const url of ["/", "/a/acc_1/messages?status=unknown", "/accounts"]) {
    const reply = await inject(app, { url, headers: html });
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.body, "<!doctype html>the page");
    assert.equal(reply.headers["content-security-policy"], dashboardPolicy);
    assert.equal(reply.headers["cache-control"], "no-store");
  }
  assert.ok(!/unsafe-/.test(dashboardPolicy));
});

test("an asset is kept for a year, and compressed for who takes it so", async () => {
  const { app } = edge({ settings: { dashboardFolder: folder } });
  const plain = await inject(app, { url: "/assets/main-1.js" });
  assert.equal(plain.body, "script");
  assert.match(String(plain.headers["cache-control"]), /immutable/);
  const zipped = await inject(app, { url: "/assets/main-1.js", headers: { "accept-encoding": "br, gzip" } });
  assert.equal(zipped.headers["content-encoding"], "gzip");
  assert.equal(gunzipSync(zipped.rawPayload).toString(), "script");
});

test("what is not a page stays what it was", async () => {
  const { app } = edge({ settings: { dashboardFolder: folder } });
  for (const url of ["/api/nothing", "/assets/other.js", "/t/x", "/health/nothing"]) {
    const reply = await inject(app, { url, headers: html });
    assert.equal(reply.statusCode, 404, url);
    assert.match(String(reply.headers["content-type"]), /json/, url);
  }
  assert.equal((await inject(app, { url: "/accounts" })).statusCode, 404, "without Accept");
  assert.equal((await inject(app, { method: "POST", url: "/accounts", headers: html })).statusCode, 404);
});

test("switched off there is no page, and without a build the answer says how to get one", async () => {
  const off = await inject(edge({ settings: { dashboardFolder: null } }).app, { url: "/", headers: html });
  assert.match(String(off.headers["content-type"]), /json/);
  const missing = { settings: { dashboardFolder: join(folder, "nothing") } };
  const unbuilt = await inject(edge(missing).app, { url: "/", headers: html });
  assert.equal(unbuilt.statusCode, 404);
  assert.match(unbuilt.body, /npm run build:ui/);
});
