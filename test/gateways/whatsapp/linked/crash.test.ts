// `kill -9` of the service and of its bridge, at points of a message's way: real processes, the real library, and a server
// that speaks WhatsApp's protocol. Nothing is lost or sent twice, doubt is where it has to be, and no key is in the open.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { freePort, type Server, startServer } from "../../../faults/server.ts";
import { bridgeModule } from "./real-bridge.ts";
import { notInstalled, WaServer } from "./wa-server.ts";

const ann = "4915112345678";
const apiKey = `tl_${"a".repeat(32)}`;
const token = `tlm_${"o".repeat(40)}`;
const maxWaitMs = 30_000;
const provision = {
  management_tokens: [{ name: "test", token, role: "operator" }],
  accounts: [
    {
      name: "acme",
      api_key: apiKey,
      gateways: [
        {
          identifier: "phone",
          channel: "whatsapp",
          kind: "whatsapp-linked",
          default: true,
          settings: { accept_risk: true, timeout_ms: 120_000 },
          pace: { per_second: 100, jitter_ms: 1 },
        },
      ],
    },
  ],
};

interface Link {
  state: string;
  qr: { text: string } | null;
}

class Service {
  readonly folder = mkdtempSync(join(tmpdir(), "trunkline-linked-"));
  readonly #module: string;
  #server: Server | null = null;
  #account = "";

  constructor(module: string) {
    this.#module = module;
    mkdirSync(join(this.folder, "data"), { mode: 0o700 });
    writeFileSync(join(this.folder, "provision.json"), JSON.stringify(provision));
  }

  async start(): Promise<void> {
    this.#server = await startServer({
      port: await freePort(),
      logFile: join(this.folder, "service.log"),
      entry: fileURLToPath(new URL("./service.ts", import.meta.url)),
      env: {
        TRUNKLINE_DATA_DIR: join(this.folder, "data"),
        TRUNKLINE_PROVISION: join(this.folder, "provision.json"),
        TRUNKLINE_TAKEOVER_MS: "1500",
        WA_BRIDGE: this.#module,
      },
    });
    const [account] = await this.manage<{ id: string }[]>("GET", "/accounts");
    this.#account = account?.id ?? "";
  }

  killBridge(): void {
    this.#server?.signal("SIGUSR2");
  }

  async kill(): Promise<void> {
    await this.#server?.kill();
  }

  async manage<Data>(method: string, path: string, body?: object): Promise<Data> {
    return await this.#ask(method, `/api/manage/v1${path}`, { authorization: `Bearer ${token}` }, body);
  }

  async link(method = "GET", body?: object): Promise<Link> {
    return await this.manage<Link>(method, `/accounts/${this.#account}/gateways/phone/link`, body);
  }

  async send(message: string): Promise<string> {
    const body = { contact: [{ number: `+${ann}`, message }] };
    const sent = await this.api<{ contact: { id: string }[] }>("POST", "/api/whatsapp/send", body);
    return sent.contact[0]?.id ?? "";
  }

  async api<Data>(method: string, path: string, body?: object): Promise<Data> {
    return await this.#ask(method, path, { "api-key": apiKey }, body);
  }

  async untilLink(state: string): Promise<void> {
    await until(async () => (await this.link()).state === state, state);
  }

  async untilMessage(id: string, status: string): Promise<void> {
    const path = `/api/get/whatsapp/${id}`;
    await until(async () => (await this.api<{ status: string }>("GET", path)).status === status, status);
  }

  async #ask<Data>(method: string, path: string, headers: object, body?: object): Promise<Data> {
    const reply = await fetch(`${this.#server?.base}${path}`, {
      method,
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text).data;
  }
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + maxWaitMs;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `It never was: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("killed at any point, nothing is lost, repeated or in the open", {
  skip: notInstalled,
  timeout: 180_000,
}, async (context) => {
  const server = await WaServer.open();
  server.person(ann);
  const { module, remove } = bridgeModule(server);
  const service = new Service(module.href);
  context.after(async () => {
    await service.kill();
    await server.close();
    remove();
    rmSync(service.folder, { recursive: true, force: true });
  });
  await service.start();
  await service.link("POST", { method: "qr" });
  await until(async () => (await service.link()).qr !== null, "a code");
  const { qr } = await service.link();
  assert.ok(qr);
  server.scan(qr.text);
  await service.untilLink("open");
  await service.untilMessage(await service.send("one"), "sent");

  // The service, after the frame left and before an answer.
  server.answering = "never";
  const two = await service.send("two");
  await until(() => server.taken.length === 2, "taken");
  await service.kill();
  await until(() => server.connections() === 0, "the bridge ended with the service");
  const before = server.logins.length;
  await service.start();
  await service.untilMessage(two, "unknown");
  // The state that the killed one stored says `open`, too.
  await until(() => server.logins.length > before, "logged in again");
  await service.untilLink("open");
  server.receipt(server.taken[1]?.id ?? "", ann);
  await service.untilMessage(two, "delivered");

  // The bridge alone, likewise.
  const three = await service.send("three");
  await until(() => server.taken.length === 3, "taken");
  const logins = server.logins.length;
  service.killBridge();
  await service.untilMessage(three, "unknown");
  await until(() => server.logins.length > logins, "logged in again");
  await service.untilLink("open");

  // The service, with a message that waits for a connection.
  server.answering = "ack";
  server.failure = { reason: "503" };
  server.drop();
  await until(async () => (await service.link()).state === "reconnecting", "reconnecting");
  const four = await service.send("four");
  await service.kill();
  server.failure = null;
  await service.start();
  await service.untilMessage(four, "sent");

  // The service, as soon as what a person wrote is acknowledged.
  const receipts = server.receipts.length;
  await server.write(ann, { conversation: "Hello" });
  await until(() => server.receipts.length > receipts, "acknowledged");
  await service.kill();
  await service.start();
  await service.untilLink("open");
  server.redeliver();
  const received = async () => await service.api<{ message: string }[]>("GET", "/api/received/whatsapp");
  await until(async () => (await received()).length > 0, "received");
  await service.untilMessage(await service.send("five"), "sent");
  assert.deepEqual(
    (await received()).map(({ message }) => message),
    ["Hello"],
  );

  assert.deepEqual(
    server.taken.map(({ text }) => text),
    ["one", "two", "three", "four", "five"],
  );
  const ciphertexts = server.taken.flatMap(({ counters }) => counters.map(({ ciphertext }) => ciphertext));
  assert.equal(new Set(ciphertexts).size, ciphertexts.length);

  const [, , , linkSecret = ""] = (qr.text.split("#")[1] ?? "").split(",");
  assert.ok(linkSecret.length > 20);
  const secrets = [linkSecret, "noiseKey", "signedIdentityKey", "privKey", "rootKey", "currentRatchet"];
  await service.kill();
  for (const file of ["service.log", "data/trunkline.db", "data/trunkline.db-wal"]) {
    const text = readFileSync(join(service.folder, file), "latin1");
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in ${file}.`);
  }
});
