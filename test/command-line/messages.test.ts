// The commands of a person who sends and asks: on the machine itself, and at an address with a key or token.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { chosenAccount } from "#command-line/access.ts";
import { Api } from "#command-line/api.ts";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import { commands } from "./commands.ts";

const { folder, call, callWith, run, runWith, follow, serve } = commands();
const data = "service";
const socketPath = join(folder, data, "trunkline.sock");
let service: Awaited<ReturnType<typeof serve>>;
let key = "";
let poolKey = "";

before(async () => {
  service = await serve(data);
  const keys = JSON.parse((await call(data, "key", "default", "--json")).out);
  key = keys.api_key;
  poolKey = /^ {4}(tlp_\S+)/m.exec(service.printed())?.[1] ?? "";
});
after(async () => await service?.stop("SIGTERM"));

/** Sends an SMS and returns its id. */
const sentTo = async (number: string): Promise<string> =>
  JSON.parse((await call(data, "send", "sms", number, "Hello", "--json")).out).id;

/** Looks at the message after each change until it has ended, and returns its last status. */
async function ended(id: string): Promise<string> {
  const api = new Api({ socketPath });
  const { id: account } = await chosenAccount(api, {});
  const path = `/api/manage/v1/accounts/${account}/events`;
  let last = "";
  for await (const _ of api.events("GET", path, undefined, 20_000)) {
    const { out, error } = await call(data, "get", id, "--json");
    assert.notEqual(out, "", error);
    last = JSON.parse(out).status;
    if (!["queued", "sending", "sent"].includes(last)) return last;
  }
  throw new Error(`still ${last}`);
}

test("a message is sent and looked up without a key on the machine itself", async () => {
  const sent = await run(data, "send", "email", "ada@example.com", "Hello", "--subject", "Hi", "--json");
  assert.equal(sent.code, 0, sent.error);
  const { id } = JSON.parse(sent.out);
  assert.equal(await ended(id), "delivered");
  const { out } = await run(data, "get", id);
  const [first = "", ...events] = out.trimEnd().split("\n");
  assert.match(
    first,
    new RegExp(`^\\S+Z {2}${id} {2}email {2}ada@example.com {2}delivered {2}by sandbox-email$`),
  );
  assert.deepEqual(
    events.map((line) => line.trim().split(/ {2,}/)[1]),
    ["queued", "sending", "sent", "delivered"],
  );
});

test("at an address an account's key sends, and a management token lists", async () => {
  const there = { TRUNKLINE_URL: service.base, TRUNKLINE_API_KEY: key };
  // Another data folder, where no service runs.
  const sent = await callWith(there, "elsewhere", "send", "sms", "+15550000003", "Hello", "--json");
  assert.equal(sent.code, 0, sent.error);
  const { id } = JSON.parse(sent.out);
  assert.equal(await ended(id), "failed");
  const { out } = await callWith(there, "elsewhere", "get", id);
  assert.match(out, /\(sandbox_refused: /);

  const without = await callWith(there, "elsewhere", "gateways");
  assert.deepEqual(
    [without.code, without.error],
    [1, "trunkline: Put a management token of that installation into TRUNKLINE_TOKEN.\n"],
  );
  const made = await requestApi(
    { socketPath },
    {
      method: "POST",
      path: "/api/manage/v1/tokens",
      body: { name: "script", role: "operator" },
      silenceMs: 10_000,
    },
  );
  const { token } = JSON.parse(await textOf(made.body)).data;
  const listed = await runWith(
    { TRUNKLINE_URL: `${service.base}/`, TRUNKLINE_TOKEN: token },
    "elsewhere",
    "gateways",
  );
  assert.equal(listed.code, 0, listed.error);
  assert.match(listed.out, /^sandbox-sms +sms +sandbox +default +active +0$/m);
});

test("a refusal is printed in the installation's words, and ends with 1", async () => {
  const refused = await call(data, "send", "sms", "abc", "Hello");
  assert.equal(refused.code, 1);
  assert.match(refused.error, /contact\.0\.number: .*must be a valid phone number/);
  assert.match((await call(data, "send", "fax", "1", "x")).error, /one of sms, whatsapp, email, not fax/);
  assert.match((await call(data, "get", "msg_none")).error, /There is no message msg_none/);
  assert.match((await call(data, "gateways", "--account", "acme")).error, /There are: default\./);
  const coloured = await call(data, "gateways", "--account", "\u001b[31macme");
  assert.match(coloured.error, /There is no account called \\u001b\[31macme\./);
  assert.match((await call("elsewhere", "gateways")).error, /No service runs with the data folder/);
  const gone = await callWith({ TRUNKLINE_TOKEN: "x" }, data, "pools", "--url", "http://127.0.0.1:1");
  assert.match(
    gone.error,
    /The installation at http:\/\/127\.0\.0\.1:1 does not answer: the connection was refused\./,
  );
});

test("a send whose answer is lost is repeated with the same key", async () => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers["idempotency-key"]);
    if (keys.length === 1) request.socket.destroy();
    else if (keys.length === 2)
      response
        .writeHead(409)
        .end(
          JSON.stringify({ success: false, message: "It is under way.", code: "idempotency_in_progress" }),
        );
    else
      response.end(
        JSON.stringify({ data: { request_id: "req_1", contact: [{ id: "msg_1", status: "queued" }] } }),
      );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { out } = await callWith(
    { TRUNKLINE_API_KEY: "k" },
    data,
    "send",
    "sms",
    "+1",
    "x",
    "--url",
    address,
  );
  assert.match(out, /^msg_1 is queued\./);
  assert.equal(keys.length, 3);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
  server.close();
});

test("a pool is asked, and its members are listed", async () => {
  const { code, out, error } = await run(data, "ask", "How are you?");
  assert.equal(code, 0, error);
  assert.equal(out, "How are you?\n");
  assert.match(error, /^sandbox \(echo\), \d+ \+ \d+ tokens, \d+ ms\n$/);
  const there = { TRUNKLINE_URL: service.base, TRUNKLINE_POOL_KEY: poolKey };
  assert.equal((await callWith(there, "elsewhere", "ask", "And there?")).out, "And there?\n");
  assert.match(
    (await call(data, "ask", "x", "--pool", "none")).error,
    /There is no pool none\. Pools: default\./,
  );
  assert.match((await run(data, "pools")).out, /^default +sandbox-backup +up/m);
});

test("tail prints what becomes of messages, and a stop of the service ends it", async () => {
  let printed = "";
  let wake = () => {};
  const tail = follow(data, ["tail", "--json"], (text) => {
    printed += text;
    wake();
  });
  const seen = async (id: string, status: string) => {
    const isThere = () =>
      printed
        .split("\n")
        .filter((line) => line !== "")
        .some((line) => {
          const message = JSON.parse(line);
          return message.id === id && message.status === status;
        });
    while (!isThere()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  // The first messages may come before it watches.
  while (printed === "") await ended(await sentTo("+15550000001"));
  await seen(await sentTo("+15550000003"), "failed");
  const closed = once(tail, "close");
  await service.stop("SIGTERM");
  const [code] = await closed;
  assert.equal(code, 1);
});
