// Watching an account: hints of its changes as they come, of no other account's, and an end with the right to see them.

import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { upsertManagementToken } from "#configure/management-token.ts";
import type { TokenScope } from "#contract/manage/keys/token-scopes.ts";
import { bearer, manage, tokenFor } from "../../../managing.ts";
import { type Managed, managed } from "../managed.ts";

let m: Managed;
let ours: { id: string };
let theirs: { id: string };
let url: string;
before(async () => {
  m = await managed();
  theirs = await m.it.account({ name: "theirs" });
  await m.it.gateway({ identifier: "of-theirs", default: true });
  ours = await m.it.account({ name: "ours" });
  await m.it.gateway({ identifier: "of-ours", default: true });
  await m.it.system.app.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(m.it.system.app.server.address() as AddressInfo).port}`;
});
after(() => m.close());

interface Stream {
  status: number;
  type: unknown;
  /** What came since the last look, after half a second. */
  news(): Promise<string>;
  /** Nothing came since the last look. */
  quiet(): boolean;
  over(): Promise<void>;
  isOver(): boolean;
  close(): void;
}

const aMoment = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

/** What is true soon, on a real connection. */
async function soon(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !isTrue(); i++) await aMoment();
  assert.ok(isTrue());
}

async function watch(accountId: string, token: string): Promise<Stream> {
  const asked = get(`${url}/api/manage/v1/accounts/${accountId}/events`, { headers: bearer(token) });
  const [reply] = (await once(asked, "response")) as [IncomingMessage];
  let text = "";
  let isOver = false;
  reply.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  reply.once("close", () => {
    isOver = true;
  });
  return {
    status: reply.statusCode ?? 0,
    type: reply.headers["content-type"],
    news: async () => {
      await m.it.advance(600);
      await soon(() => text !== "");
      const seen = text;
      text = "";
      return seen;
    },
    quiet: () => text === "",
    over: () => soon(() => isOver),
    isOver: () => isOver,
    close: () => reply.destroy(),
  };
}

const topicsIn = (text: string) =>
  [...text.matchAll(/"topics":(\[.*?\])/g)].flatMap(([, topics = ""]) => JSON.parse(topics) as string[]);

test("who watches an account gets its changes by topic, and of no other account's", async () => {
  const own = await watch(ours.id, await tokenFor(m.it, ours.id));
  const other = await watch(theirs.id, await tokenFor(m.it, theirs.id));
  assert.equal(own.status, 200);
  assert.equal(own.type, "text/event-stream; charset=utf-8");
  const hello = await own.news();
  assert.match(hello, /^retry: 3000\n\nevent: hello\ndata: \{"process":"prc_\w+","version":"[\d.]+"\}\n\n/);
  await other.news();
  await m.it.accepted([{ number: "+15550000001", message: "hi" }]);
  const accepted = await own.news();
  assert.deepEqual([...new Set(topicsIn(accepted))], ["messages"]);
  assert.ok(accepted.split("event: changed").length <= 3, "two a second at most");
  assert.doesNotMatch(accepted, /\+1555|msg_/, "hints carry no data");
  const suppress = { channel: "sms", recipients: ["+4915112345678"] };
  await m.operator("POST", `/accounts/${ours.id}/suppressions`, suppress);
  assert.deepEqual(topicsIn(await own.news()), ["suppressions"]);
  await manage(m.it, "POST", `/accounts/${ours.id}/api-keys`, {
    headers: bearer(await tokenFor(m.it, ours.id)),
    body: { name: "shop", scopes: ["read"] },
  });
  assert.deepEqual(topicsIn(await own.news()), ["account"]);
  await m.operator("POST", `/accounts/${ours.id}/gateways/of-ours/pause`);
  assert.deepEqual(topicsIn(await own.news()), ["gateways"]);
  await m.operator("POST", `/accounts/${ours.id}/suppressions`, { channel: "sms" });
  await m.operator("POST", `/accounts/${ours.id}/gateways/of-ours/resume`);
  assert.deepEqual(topicsIn(await own.news()), ["gateways"], "what was refused changed nothing");
  assert.ok(other.quiet());
  own.close();
  other.close();
});

test("a stream ends soon after its token, and after an hour", async () => {
  const reply = await m.operator("POST", "/tokens", {
    name: "watching",
    role: "member",
    account: ours.id,
  });
  assert.equal(reply.statusCode, 201, reply.body);
  const { id, token } = reply.json().data as { id: string; token: string };
  const revoked = await watch(ours.id, token);
  const kept = await watch(ours.id, await tokenFor(m.it, ours.id));
  await m.it.advance(120_000);
  assert.equal(revoked.isOver(), false);
  await m.operator("DELETE", `/tokens/${id}`);
  await m.it.advance(61_000);
  await revoked.over();
  assert.equal(kept.isOver(), false);
  await m.it.advance(60 * 60_000);
  await kept.over();
});

test("a stream ends soon after the provisioning file takes the scope from its token", async () => {
  const token = "tlm_0123456789abcdef0123456789abcdef";
  const bind = (scopes: TokenScope[]) =>
    upsertManagementToken(m.it.system.core, {
      name: "bound",
      token,
      role: "operator",
      scopes,
      expires_at: null,
    });
  assert.equal((await bind(["accounts:read", "audit:read"])).kind, "saved");
  const stream = await watch(ours.id, token);
  await m.it.advance(61_000);
  assert.equal(stream.isOver(), false);
  await bind(["audit:read"]);
  await m.it.advance(61_000);
  await stream.over();
});

test("one token has 20 streams at once", async () => {
  const token = await tokenFor(m.it, ours.id);
  const open: Stream[] = [];
  for (let i = 0; i < 20; i++) open.push(await watch(ours.id, token));
  const path = `/accounts/${ours.id}/events`;
  const refused = await manage(m.it, "GET", path, { headers: bearer(token) });
  assert.deepEqual([refused.statusCode, refused.json().code], [429, "rate_limited"]);
  open[0]?.close();
  let again = await watch(ours.id, token);
  for (let i = 0; i < 100 && again.status === 429; i++) {
    await aMoment();
    again = await watch(ours.id, token);
  }
  assert.equal(again.status, 200);
  for (const stream of [...open, again]) stream.close();
});

test("another account's stream is not there", async () => {
  const headers = bearer(await tokenFor(m.it, ours.id));
  const reply = await manage(m.it, "GET", `/accounts/${theirs.id}/events`, { headers });
  assert.deepEqual([reply.statusCode, reply.json().code], [404, "not_found"]);
});
