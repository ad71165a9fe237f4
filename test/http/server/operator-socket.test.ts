// The operator's socket: who comes through it is an operator without a token, and no one else is.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { openOperatorSocket } from "#http/server/operator-socket.ts";
import { type ApiTarget, requestApi, textOf } from "#runtime/net/api-request.ts";
import type { SocketFile } from "#runtime/net/socket-file.ts";
import { type Harness, harness } from "../../harness.ts";

const folder = mkdtempSync(join(tmpdir(), "trunkline-operator-"));
const socketPath = join(folder, "trunkline.sock");
let it: Harness;
let socket: SocketFile;
let address: string;

before(async () => {
  it = await harness({ started: false, settings: { trustedProxies: ["127.0.0.1"] } });
  address = await it.system.app.listen({ host: "127.0.0.1", port: 0 });
  const opened = await openOperatorSocket(it.system.app.server, socketPath);
  assert.ok("close" in opened);
  socket = opened;
});
after(async () => {
  socket?.close();
  await it?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(target: ApiTarget, method: string, path: string, headers = {}, body?: object) {
  const answer = await requestApi(target, {
    method,
    path: `/api/manage/v1${path}`,
    headers,
    silenceMs: 10_000,
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, body: JSON.parse(await textOf(answer.body)) };
}

test("a request through the socket is an operator's", async () => {
  const { status, body } = await ask({ socketPath }, "GET", "/session");
  assert.equal(status, 200);
  assert.deepEqual(body.data, {
    kind: "command_line",
    id: "command_line",
    name: "command line",
    role: "operator",
    account: null,
    scopes: null,
    csrf_token: null,
    fresh: false,
  });
});

test("the same request at the port is not, also with an address that it claims", async () => {
  const claims = { "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "localhost" };
  assert.equal((await ask({ url: address }, "GET", "/session", claims)).status, 401);
});

test("a credential that comes along counts, a wrong one is refused", async () => {
  const { status } = await ask({ socketPath }, "GET", "/session", { authorization: "Bearer tlm_wrong" });
  assert.equal(status, 401);
});

test("forwarded addresses are not read, for there is no proxy", async () => {
  const { status } = await ask({ socketPath }, "GET", "/accounts", {
    "x-forwarded-for": "198.51.100.1, unknown",
  });
  assert.equal(status, 200);
});

test("the audit log says that the command line did it", async () => {
  const made = await ask({ socketPath }, "POST", "/accounts", {}, { name: "through-the-socket" });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { body } = await ask({ socketPath }, "GET", "/audit");
  const [entry] = body.data;
  assert.equal(entry.action, "createAccount");
  assert.deepEqual(entry.actor, { kind: "command_line", id: null, name: "command line" });
});
