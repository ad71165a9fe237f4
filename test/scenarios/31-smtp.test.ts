// Email through a mail server that fails, at each of the nine steps of a hand-over and in six ways: the message ends as
// documented, and the server has it once, but where no side could know: there twice, under one Message-ID.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { EmailRecord } from "#contract/messages/record.ts";
import { afterDotMs } from "#gateways/email/smtp/connection.ts";
import { cert } from "../gateways/email/certificate.ts";
import {
  openScriptedSmtp,
  type ScriptedSmtp,
  type SmtpStage,
  stages,
} from "../gateways/email/scripted-smtp.ts";
import { type Harness, harness } from "../harness.ts";

const faults = {
  reset: "reset",
  silence: "silence",
  "421": "421 4.3.2 Closing",
  "451": "451 4.3.0 Later",
  "550": "550 5.0.0 No",
  junk: "HTTP/1.1 400 Bad Request",
} as const;
type FaultName = keyof typeof faults;

const timeoutMs = 30_000;
const mail = { email: "Ada@example.net", subject: "Grüße", message: "<p>Hello</p>\n.\n<p>Ada</p>" };

async function installation(context: TestContext): Promise<Harness> {
  const it = await harness({ allow: "127.0.0.0/8" });
  context.after(() => it.close());
  await it.account();
  return it;
}

async function serverOf(it: Harness, context: TestContext, identifier: string): Promise<ScriptedSmtp> {
  const server = await openScriptedSmtp({ security: "starttls" });
  context.after(() => server.close());
  await it.gateway({
    identifier,
    channel: "email",
    kind: "smtp",
    settings: {
      host: "localhost",
      port: server.port,
      ca: cert,
      username: "ada",
      password: "kernel-panic-42",
      from: "news@example.com",
      timeout_ms: timeoutMs,
    },
  });
  return server;
}

async function accepted(it: Harness, identifier: string): Promise<string> {
  const reply = await it.post("/api/email/send", { contact: [{ ...mail, gateway_identifier: identifier }] });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json().data.contact[0].id;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass only where nothing is on the wire, or where `silence` says that nothing will come back: for so long, ms. */
async function ended(it: Harness, id: string, silence: () => number | null): Promise<EmailRecord> {
  for (let looks = 0; looks < 2000; looks += 1) {
    await it.settle();
    const reply = await it.get(`/api/get/email/${id}`);
    const record: EmailRecord = reply.json().data;
    if (record.status === "sending") {
      const waitMs = silence();
      // Our side may still be busy with what the server has already seen.
      for (let turns = 0; turns < 50; turns += 1) await turn();
      if (waitMs !== null) await it.advance(waitMs);
    } else if (record.status === "queued") await it.advance(1000);
    else return record;
  }
  throw new Error("It came to no end.");
}

const messageIds = (server: ScriptedSmtp) =>
  new Set(server.handed.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw.toString("latin1"))?.[1]));

/** A fault on the first connection only, or on all of them. */
async function story(it: Harness, context: TestContext, stage: SmtpStage, name: FaultName, always = false) {
  const identifier = `${stage}-${name}${always ? "-always" : ""}`.toLowerCase();
  const server = await serverOf(it, context, identifier);
  let silences = 0;
  server.script((at) => {
    if (at !== stage || (!always && server.connections() > 1)) return null;
    if (name === "silence") silences += 1;
    return faults[name];
  });
  const id = await accepted(it, identifier);
  const record = await ended(it, id, () => {
    if (silences === 0) return null;
    silences -= 1;
    return stage === "dot" ? afterDotMs : timeoutMs;
  });
  const taken = server.handed.filter((one) => one.taken).length;
  for (const { from, to } of server.handed) {
    assert.equal(from, "news@example.com");
    assert.deepEqual(to, ["Ada@example.net"]);
  }
  assert.ok(messageIds(server).size <= 1);
  return { record, id, handed: server.handed.length, taken, server };
}

const inDoubt = new Set<FaultName>(["reset", "silence", "junk"]);

for (const stage of stages) {
  test(`a fault at ${stage}, and then all is well`, async (context) => {
    const it = await installation(context);
    for (const name of Object.keys(faults) as FaultName[]) {
      const { record, id, handed, taken, server } = await story(it, context, stage, name);
      const label = `${name} at ${stage}: ${JSON.stringify(record.error)}`;
      if (name === "550" && (stage === "RCPT" || stage === "dot")) {
        assert.equal(record.status, "failed", label);
        assert.equal(record.error?.code, "5.0.0");
        assert.equal(taken, 0, label);
        continue;
      }
      assert.equal(record.status, "sent", label);
      assert.equal(record.provider_reference, `${id}@example.com`);
      assert.equal(taken, 1, label);
      assert.equal(handed, stage === "dot" ? 2 : 1, label);
      if (stage === "dot") assert.deepEqual([...messageIds(server)], [`<${id}@example.com>`]);
    }
  });
}

test("a server that never says whether it took the mail gets it twice, and no more", async (context) => {
  const it = await installation(context);
  for (const name of inDoubt) {
    const { record, handed } = await story(it, context, "dot", name, true);
    assert.equal(record.status, "unknown", name);
    assert.equal(handed, 2, name);
  }
});
