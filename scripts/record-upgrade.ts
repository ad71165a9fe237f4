// `node scripts/record-upgrade.ts [FILE]`: starts this version on an empty SQLite database, creates one of everything through its APIs,
// stops it, and writes its database to `test/upgrade/VERSION.json.gz`. A release does it (`release.ts`); `test/upgrade/` opens every such
// file with the current sources. Nothing leaves this machine.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Recording, readTables, writeRecording } from "./recording.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const path = process.argv[2] ?? join(root, `test/upgrade/${version}.json.gz`);
const folder = mkdtempSync(join(tmpdir(), "trunkline-record-"));
const secret = (prefix: string) => `${prefix}${randomBytes(24).toString("hex")}`;
const keys = { token: secret("tlm_"), pool: "", api: "", named: "" };
const masterKey = secret("");
const user = { email: "ada@example.com", password: "correct horse battery" };
const waitMs = 60_000;

type Body = Record<string, unknown>;

/** One request. Throws for any answer other than 2xx. */
async function ask(url: string, body: Body | null, headers: Record<string, string>): Promise<Body> {
  const answer = await fetch(url, {
    headers: { ...headers, ...(body === null ? {} : { "content-type": "application/json" }) },
    ...(body === null ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return JSON.parse(text) as Body;
}

/** Starts the service; resolves with its address, the code for its first operator, and a function that stops it. */
async function start(): Promise<{ base: string; code: string; stop(): Promise<void> }> {
  const provision = join(folder, "provision.json");
  const management_tokens = [{ name: "recorder", token: keys.token, role: "operator" }];
  writeFileSync(provision, JSON.stringify({ management_tokens }));
  const child = spawn(process.execPath, [join(root, "src/main.ts")], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TRUNKLINE_PORT: "0",
      TRUNKLINE_DATA_DIR: folder,
      TRUNKLINE_MASTER_KEY: masterKey,
      TRUNKLINE_PROVISION: provision,
      TRUNKLINE_OUTBOUND_ALLOW: "127.0.0.0/8",
      TRUNKLINE_LOG_FORMAT: "json",
      TRUNKLINE_DASHBOARD: "false",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  let base = "";
  const code = await new Promise<string>((resolve, reject) => {
    void ended.then((code) => reject(new Error(`The service ended with ${code}.`)));
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.includes('"process.listening"')) base = (JSON.parse(line) as { address: string }).address;
      // The first start prints the link that creates the first operator.
      const [, found] = /\b(tls_[\w-]+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    base,
    code,
    stop: async () => {
      child.kill("SIGTERM");
      const code = await ended;
      if (code !== 0) throw new Error(`The service ended with ${code}.`);
    },
  };
}

/** A webhook endpoint on this machine that accepts everything. */
async function receiver(): Promise<{ url: string; taken(): number; close(): void }> {
  let taken = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      taken += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    taken: () => taken,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const gateways: Body[] = [
  { identifier: "sms-sandbox", channel: "sms", kind: "sandbox", default: true },
  { identifier: "whatsapp-sandbox", channel: "whatsapp", kind: "sandbox", default: true },
  { identifier: "mail-sandbox", channel: "email", kind: "sandbox", default: true },
  {
    identifier: "sms-http",
    channel: "sms",
    kind: "http-api",
    settings: {
      url: "https://sms.example.com/v1/messages",
      headers: { authorization: "Bearer recorded-sms-token" },
      body: { to: "{{to}}", text: "{{message}}" },
      success: { reference: "$.id" },
    },
  },
  {
    identifier: "mail-postmark",
    channel: "email",
    kind: "postmark",
    settings: { server_token: "recorded-mail-token", from: "news@example.com" },
  },
  {
    identifier: "sms-twilio",
    channel: "sms",
    kind: "twilio",
    active: false,
    settings: { account_sid: "AC0123456789", auth_token: "recorded-twilio-token", from: "+15550100" },
  },
  {
    identifier: "mail-smtp",
    channel: "email",
    kind: "smtp",
    active: false,
    settings: {
      host: "mail.example.com",
      username: "news",
      password: "recorded-smtp-password",
      from: "news@example.com",
    },
  },
];

/** Creates one of everything, and waits until each message has its final status. */
async function makeEverything(
  { base, code }: { base: string; code: string },
  hook: { url: string; taken(): number },
) {
  const manage = async (at: string, body: Body | null = null) =>
    (await ask(`${base}/api/manage/v1${at}`, body, { authorization: `Bearer ${keys.token}` })).data as Body;
  await ask(`${base}/api/manage/v1/setup`, { code, name: "Ada", ...user }, {});
  const account = await manage("/accounts", {
    name: "recorded",
    time_zone: "UTC",
    country: "DE",
    plan: { name: "basic", credit: { sms: 1000, email: 1000 } },
  });
  keys.api = String(account.api_key);
  const of = (at: string, body: Body | null = null) => manage(`/accounts/recorded${at}`, body);
  for (const gateway of gateways) await of("/gateways", gateway);
  for (const paused of ["sms-http", "mail-postmark"]) await of(`/gateways/${paused}/pause`, {});
  await of("/webhooks", { url: hook.url, events: ["message.delivered"] });
  await of("/suppressions", {
    channel: "email",
    recipients: ["gone@example.com"],
    note: "Asked by telephone",
  });
  keys.named = String((await of("/api-keys", { name: "shop", scopes: ["send:sms", "read"] })).key);
  await manage("/tokens", { name: "reader", role: "operator", scopes: ["messages:read"] });
  await of("/credit", { channel: "sms", amount: 5, note: "A gift" });

  const pool = `/pools/${String((await of("/pools", { name: "assistants" })).id)}`;
  await of(`${pool}/members`, { name: "sandbox", kind: "sandbox", models: ["echo"] });
  await of(`${pool}/members`, {
    name: "other",
    kind: "openai-compatible",
    models: ["gpt-5-mini"],
    priority: 2,
    settings: { vendor: "openai", api_key: "recorded-provider-key" },
  });
  keys.pool = String((await of(`${pool}/keys`, { name: "app" })).key);
  const question = { model: "echo", messages: [{ role: "user", content: "Hello" }] };
  await ask(`${base}/api/ai/v1/chat/completions`, question, { authorization: `Bearer ${keys.pool}` });

  const messages: Recording["messages"] = [];
  const send = async (name: string, status: string, channel: string, contact: Body, more: Body = {}) => {
    const { data } = await ask(
      `${base}/api/${channel}/send`,
      { contact: [contact], ...more },
      { "api-key": keys.api },
    );
    const [sent] = (data as { contact: { id: string }[] }).contact;
    if (sent === undefined) throw new Error(`${name} has no message.`);
    messages.push({ id: sent.id, channel, status, name });
  };
  const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 19).replace("T", " ");
  const mail = { email: "delivered@example.com", subject: "Invoice", message: "<p>It is attached.</p>" };
  const attachments = [
    { filename: "invoice.txt", content: Buffer.from("The recorded invoice").toString("base64") },
  ];
  await send("sms", "delivered", "sms", { number: "+4915112340001", message: "Delivered" });
  await send("refused", "failed", "sms", { number: "+4915112340003", message: "Refused" });
  await send("unclear", "unknown", "sms", { number: "+4915112340005", message: "Unclear" });
  await send("pending", "queued", "sms", {
    number: "+4915112340011",
    message: "Pending",
    gateway_identifier: "sms-http",
  });
  await send("scheduled", "scheduled", "sms", {
    number: "+4915112340021",
    message: "Later",
    schedule_at: inTenDays,
  });
  await send("whatsapp", "read", "whatsapp", { number: "+4915112340008", message: "Read" });
  await send("mail", "delivered", "email", mail, { attachments });
  await send(
    "pendingMail",
    "queued",
    "email",
    { ...mail, gateway_identifier: "mail-postmark" },
    { attachments },
  );
  await send("suppressed", "suppressed", "email", { ...mail, email: "gone@example.com" });

  const isSettled = async () => {
    for (const { id, channel, status } of messages) {
      const { data } = await ask(`${base}/api/get/${channel}/${id}`, null, { "api-key": keys.api });
      if ((data as Body).status !== status) return `${id} is ${(data as Body).status}, not ${status}`;
    }
    const calls = (await of(`${pool}/calls`)) as unknown as unknown[];
    return hook.taken() < 2 || calls.length === 0 ? "A webhook or a call is missing" : null;
  };
  for (const until = Date.now() + waitMs; ; ) {
    const missing = await isSettled();
    if (missing === null) break;
    if (Date.now() > until) throw new Error(`${missing} after ${waitMs / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { messages, accountId: String(account.id) };
}

const hook = await receiver();
try {
  const service = await start();
  const made = await makeEverything(service, hook);
  await service.stop();
  const recordedAt = Date.now();
  writeRecording(path, {
    version,
    recordedAt,
    masterKey,
    keys,
    user,
    ...made,
    ...readTables(join(folder, "trunkline.db")),
  });
  console.log(`${path} has the database of ${version}.`);
} catch (error) {
  console.error(`record-upgrade: ${(error as Error).message}`);
  // The service, if it still runs, ends with this process.
  setImmediate(() => process.exit(1));
} finally {
  hook.close();
  rmSync(folder, { recursive: true, force: true });
}
