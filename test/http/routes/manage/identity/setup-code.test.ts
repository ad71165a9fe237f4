// The code of an operator is made for the command line alone: a session must not become a password.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { openOperatorSocket } from "#http/server/operator-socket.ts";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import type { SocketFile } from "#runtime/net/socket-file.ts";
import { type Harness, harness } from "../../../../harness.ts";
import { bearer, manage, tokenFor } from "../../../managing.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-setup-code-"));
const socketPath = join(folder, "trunkline.sock");
let it: Harness;
let socket: SocketFile;

before(async () => {
  it = await harness({ started: false });
  const opened = await openOperatorSocket(it.system.app.server, socketPath);
  assert.ok("close" in opened);
  socket = opened;
});
after(async () => {
  socket?.close();
  await it?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function codeFor(body: object) {
  const path = "/api/manage/v1/setup/code";
  const answer = await requestApi({ socketPath }, { method: "POST", path, body, silenceMs: 10_000 });
  return { status: answer.status, body: JSON.parse(await textOf(answer.body)) };
}

const setUp = (code: string, email: string) =>
  manage(it, "POST", "/setup", {
    body: { code, email, name: "Ada", password: "correct horse battery" },
  });

test("the command line gets a code, which makes one operator", async () => {
  const { status, body } = await codeFor({});
  assert.equal(status, 201);
  assert.equal(body.data.expires_at, new Date(it.clock.now() + 86_400_000).toISOString());
  assert.equal((await setUp(body.data.code, "ada@trunkline.test")).statusCode, 200);
  assert.equal((await setUp(body.data.code, "eve@trunkline.test")).statusCode, 401);
});

test("with an email address it works for that one alone", async () => {
  const { code } = (await codeFor({ email: "grace@trunkline.test" })).body.data;
  assert.equal((await setUp(code, "eve@trunkline.test")).statusCode, 401);
  assert.equal((await setUp(code, "grace@trunkline.test")).statusCode, 200);
});

test("a management token gets none", async () => {
  const refused = await manage(it, "POST", "/setup/code", {
    headers: bearer(await tokenFor(it, null)),
    body: {},
  });
  assert.equal(refused.statusCode, 403);
});
