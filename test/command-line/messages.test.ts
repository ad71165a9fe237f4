// The commands of a person who sends and asks: on the machine itself, and at an address with a key or token.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { after, before } from "node:test";
import { requestApi, textOf } from "#runtime/net/api-request.ts";
import { commands } from "./commands.ts";

const { folder, run, runWith, follow, serve } = commands();
const data = "service";
let service: Awaited<ReturnType<typeof serve>>;
let key = "";
let poolKey = "";

before(async () => {
  service = await serve(data);
  const keys = JSON.parse((await run(data, "key", "default", "--json")).out);
  key = keys.api_key;
  poolKey = /^ {4}(tlp_\S+)/m.exec(service.printed())?.[1] ?? "";
});
after(async () => await service?.stop("SIGTERM"));

/** Asks until the message has ended. */
async function ended(id: string): Promise<string> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const { out, error } = await run(data, "get", id, "--json");
    assert.notEqual(out, "", error);
    const { status } = JSON.parse(out);
    if (!["queued", "sending", "sent"].includes(status)) return status;
    assert.ok(performance.now() < deadline, `still ${status}`);
  }
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
  const sent = await runWith(there, "elsewhere", "send", "sms", "+15550000003", "Hello", "--json");
  assert.equal(sent.code, 0, sent.error);
  const { id } = JSON.parse(sent.out);
  assert.equal(await ended(id), "failed");
  const { out } = await runWith(there, "elsewhere", "get", id);
  assert.match(out, /\(sandbox_refused: /);

  const without = await runWith(there, "elsewhere", "gateways");
  assert.deepEqual(
    [without.code, without.error],
    [1, "trunkline: Put a management token of that installation into TRUNKLINE_TOKEN.\n"],
  );
  const socketPath = `${folder}/${data}/trunkline.sock`;
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
  const refused = await run(data, "send", "sms", "abc", "Hello");
  assert.equal(refused.code, 1);
  assert.match(refused.error, /contact\.0\.number: .*must be a valid phone number/);
  assert.match((await run(data, "send", "fax", "1", "x")).error, /one of sms, whatsapp, email, not fax/);
  assert.match((await run(data, "get", "msg_none")).error, /There is no message msg_none/);
  assert.match((await run(data, "gateways", "--account", "acme")).error, /There are: default\./);
  const coloured = await run(data, "gateways", "--account", "\u001b[31macme");
  assert.match(coloured.error, /There is no account called \\u001b\[31macme\./);
  assert.match((await run("elsewhere", "gateways")).error, /No service runs with the data folder/);
  const gone = await runWith({ TRUNKLINE_TOKEN: "x" }, data, "pools", "--url", "http://127.0.0.1:1");
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
  const { out } = await runWith({ TRUNKLINE_API_KEY: "k" }, data, "send", "sms", "+1", "x", "--url", address);
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
  assert.equal((await runWith(there, "elsewhere", "ask", "And there?")).out, "And there?\n");
  assert.match(
    (await run(data, "ask", "x", "--pool", "none")).error,
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
  const sending = (async () => {
    while (printed === "") await run(data, "send", "sms", "+15550000001", "Hello");
  })();
  await sending;
  const { id } = JSON.parse((await run(data, "send", "sms", "+15550000003", "Hello", "--json")).out);
  await seen(id, "failed");
  const ended = once(tail, "close");
  await service.stop("SIGTERM");
  const [code] = await ended;
  assert.equal(code, 1);
});
