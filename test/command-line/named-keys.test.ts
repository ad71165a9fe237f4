// Keys with a name from the command line.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import { commands } from "./commands.ts";
import { serveHere } from "./serve-here.ts";

const { folder, call, run } = commands();
const data = "service";
const service = serveHere(folder, data);
const socket = { socketPath: join(folder, data, "trunkline.sock") };

const key = (...words: string[]) => call(data, "key", ...words);

async function statusOf(apiKey: string): Promise<number> {
  const asked = { method: "GET", path: "/api/account", silenceMs: 20_000, headers: { "api-key": apiKey } };
  const answer = await requestApi(service, asked);
  await textOf(answer.body);
  return answer.status;
}

test("a key is created, listed and revoked; without --scope, or with a fault, nothing is made", async () => {
  const asked = [
    "--scope",
    "read",
    "--scope",
    "send:sms",
    "--gateway",
    "sandbox-sms",
    "--expires",
    "2099-01-01",
  ];
  const made = await run(data, "key", "create", "shop", ...asked);
  assert.equal(made.code, 0, made.error);
  const text = /^New API key shop of account default \(shown once\): (tl_\S+)\n$/.exec(made.out)?.[1] ?? "";
  assert.equal(await statusOf(text), 200);

  const listed = await run(data, "key", "list");
  const [, line = ""] = listed.out.trimEnd().split("\n");
  const shown = `shop  ${text.slice(0, 4)}…${text.slice(-4)}  read send:sms  sandbox-sms`;
  assert.ok(line.startsWith(shown), line);
  assert.ok(line.endsWith("2099-01-01T00:00:00.000Z"), line);
  assert.ok(!listed.out.includes(text));

  assert.equal((await key("create", "bare")).code, 2);
  for (const [words, says] of [
    [["--scope", "send:fax"], /scopes\.0/],
    [["--scope", "read", "--gateway", "nowhere"], /is no gateway of the account: nowhere/],
    [["--scope", "read", "--expires", "soon"], /soon is no date/],
    [["--scope", "read", "--expires", "2027-01-01T12:00:00"], /is no date/],
    [["--scope", "read", "--account", "acme"], /There is no account called acme/],
  ] as [string[], RegExp][]) {
    const refused = await key("create", "faulty", ...words);
    assert.equal(refused.code, 1, words.join(" "));
    assert.match(refused.error, says);
  }
  const other = JSON.parse((await key("create", "other", "--scope", "read", "--json")).out);
  assert.deepEqual([other.name, other.gateways, other.expires_at], ["other", null, null]);

  const revoked = await run(data, "key", "revoke", "shop");
  assert.equal(revoked.out, "API key shop of account default stops working within 5 seconds.\n");
  assert.equal(await statusOf(text), 403);
  assert.equal(await statusOf(other.key), 200);
  const again = await key("revoke", "shop");
  assert.deepEqual(
    [again.code, again.error],
    [1, "trunkline: Account default has no API key called shop that works.\n"],
  );
  const { out } = await key("list", "--json");
  assert.deepEqual(
    JSON.parse(out).map((row: { name: string; revoked_at: string | null }) => [
      row.name,
      row.revoked_at !== null,
    ]),
    [
      ["other", false],
      ["shop", true],
    ],
  );
});

test("management tokens are listed with their last use and their end", async () => {
  const made = await requestApi(socket, {
    method: "POST",
    path: "/api/manage/v1/tokens",
    silenceMs: 20_000,
    body: { name: "deploy", role: "operator", expires_at: "2099-01-01T00:00:00Z" },
  });
  assert.equal(made.status, 201);
  const { token } = JSON.parse(await textOf(made.body)).data;
  const listed = await run(data, "tokens");
  const [head, line] = listed.out.trimEnd().split("\n");
  assert.match(head ?? "", /^token +role +scopes +last used +ends$/);
  assert.match(line ?? "", /^deploy +tlm_…\S{4} +operator +all +never +2099-01-01T00:00:00\.000Z$/);
  assert.ok(!listed.out.includes(token));
});
