// The inside of `rebinding.ts`: runs in a mount and network namespace of its own, makes the network there, starts the
// service, and asks every outgoing connection for names that change between look-ups. Exit code 0: nothing was reached.

import { spawnSync } from "node:child_process";
import { lookup } from "node:dns/promises";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "../faults/server.ts";
import { askAt, jsonOf } from "./ask.ts";
import { bearer, secrets } from "./installation.ts";
import { openNameServer, rebindingTricks } from "./name-server.ts";

const open = "8.8.4.4";
const inside = ["127.0.0.1", "169.254.169.254", "10.0.0.5", "192.168.1.1"];
const inside6 = ["::1", "::ffff:127.0.0.1", "fd00::5", "fe80::1", "64:ff9b::7f00:1"];
const nameServerAddress = "127.0.0.53";
const port = 8001;

function must(...command: [string, ...string[]]): void {
  const [program, ...args] = command;
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}

const folder = mkdtempSync(join(tmpdir(), "trunkline-rebinding-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Addresses on the loopback interface, and a resolver that asks us, of this namespace alone. */
function makeNetwork(): void {
  must("ip", "link", "set", "lo", "up");
  for (const address of [open, ...inside.slice(1)]) must("ip", "addr", "add", `${address}/32`, "dev", "lo");
  must("ip", "addr", "add", "fd00::5/128", "dev", "lo");
  const files = {
    "/etc/resolv.conf": `nameserver ${nameServerAddress}\noptions timeout:1 attempts:2\n`,
    "/etc/nsswitch.conf": "hosts: files dns\n",
  };
  for (const [path, text] of Object.entries(files)) {
    const own = join(folder, path.replaceAll("/", "_"));
    writeFileSync(own, text);
    must("mount", "--bind", own, path);
  }
}

const reached = new Map<string, number>();

/** Speaks enough HTTP for a webhook, an SMS API and a completion, and enough SMTP to be a mail server. */
function serve(socket: Socket, smtp: boolean): void {
  const address = (socket.localAddress ?? "").replace(/^::ffff:/, "");
  reached.set(address, (reached.get(address) ?? 0) + 1);
  socket.on("error", () => {});
  if (smtp) {
    socket.end("421 4.3.2 Counted\r\n");
    return;
  }
  const choice = { index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" };
  const body = JSON.stringify({ id: "1", sid: "SM1", model: "m", choices: [choice] });
  socket.once("data", () =>
    socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    ),
  );
}

async function listen(on: number, smtp: boolean): Promise<void> {
  for (const host of ["0.0.0.0", "::"])
    await new Promise<void>((resolve, reject) => {
      const server = createServer((socket) => serve(socket, smtp));
      server.once("error", reject);
      server.listen({ host, port: on, ipv6Only: host === "::" }, () => resolve());
    });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const total = (of: ReadonlyMap<string, number>, at: (address: string) => boolean) =>
  [...of].filter(([address]) => at(address)).reduce((sum, [, count]) => sum + count, 0);

/** What a service without a guard does: judges one look-up, connects by another. Shows that the traps work. */
async function naive(): Promise<number> {
  for (const name of ["naive-1.rebind.test", "naive-2.rebind.test"]) {
    const [judged] = await lookup(name, { all: true });
    if (judged?.address !== open) continue;
    await new Promise<void>((resolve) => {
      const socket = connect({ host: name, port }, () => socket.end());
      socket.on("close", () => resolve()).on("error", () => resolve());
    });
  }
  return total(reached, (address) => address !== open);
}

async function main(): Promise<number> {
  makeNetwork();
  const names = await openNameServer(nameServerAddress, 53);
  await listen(port, false);
  await listen(port + 1, true);
  const tricks = rebindingTricks({ open, inside, inside6 });
  /** Of each trick a name for each outlet, so that their look-ups do not mix. */
  const outlets = ["webhook", "http-api", "twilio", "smtp", "provider"] as const;
  for (const [name, answers] of Object.entries(tricks)) {
    names.zone.set(`${name}.rebind.test`, answers);
    for (const outlet of outlets) names.zone.set(`${name}.${outlet}.test`, answers);
  }
  for (const name of ["naive-1", "naive-2"])
    names.zone.set(`${name}.rebind.test`, (at) => [at % 2 === 0 ? open : "169.254.169.254"]);
  const trapped = await naive();
  console.log(`DNS rebinding in a private network, name server on ${nameServerAddress}:53, TTL 0`);
  console.log(
    `  control: a client that judges one look-up and connects by the next: ${trapped} connections inside`,
  );
  reached.clear();

  mkdirSync(join(folder, "data"), { mode: 0o700 });
  const provision = join(folder, "provision.json");
  writeFileSync(provision, JSON.stringify(provisioning(Object.keys(tricks))));
  const server = await startServer({
    port: 18_080,
    logFile: join(folder, "server.log"),
    env: { TRUNKLINE_DATA_DIR: join(folder, "data"), TRUNKLINE_PROVISION: provision },
  });
  let held = trapped > 0;
  try {
    for (const outlet of outlets) {
      reached.clear();
      names.answered.clear();
      await askAll(server.base, outlet, Object.keys(tricks));
      const ofOutlet = [...names.answered].filter(([name]) => name.endsWith(`.${outlet}.test`));
      const traps = ofOutlet.flatMap(([, values]) => values).filter((value) => value !== open).length;
      const openCount = reached.get(open) ?? 0;
      const insideCount = total(reached, (address) => address !== open);
      const good = insideCount === 0 && openCount > 0 && traps > 0;
      held &&= good;
      console.log(
        `  ${outlet}: ${ofOutlet.length} names looked up, ${traps} inner answers or aliases given, ${openCount} connections to ${open}, ${insideCount} inside: ${good ? "held" : `BROKE ${JSON.stringify([...reached])}`}`,
      );
    }
  } finally {
    await server.kill();
    await names.close();
  }
  return held ? 0 : 1;
}

const idOf = (kind: string, trick: string) => `${kind}-${trick}`.slice(0, 100);

/** A gateway of each kind, a pool and a webhook for each trick. */
function provisioning(tricks: readonly string[]): object {
  const account = (name: string, more: object) => ({ name, country: "DE", ...more });
  const gateways = tricks.flatMap((trick) => {
    const at = (outlet: string, on = port) => `http://${trick}.${outlet}.test:${on}`;
    const own = (kind: string, channel: string, settings: object) => ({
      identifier: idOf(kind, trick),
      channel,
      kind,
      settings: { ...settings, timeout_ms: 3000 },
    });
    return [
      own("http-api", "sms", { url: `${at("http-api")}/`, body: { to: "{{to}}", text: "{{message}}" } }),
      own("twilio", "sms", {
        account_sid: `AC${"0".repeat(32)}`,
        auth_token: "x".repeat(32),
        from: "+15005550006",
        base_url: at("twilio"),
      }),
      own("smtp", "email", {
        host: `${trick}.smtp.test`,
        port: port + 1,
        security: "none",
        from: "a@ours.test",
      }),
    ];
  });
  const pool = (trick: string) => ({
    name: trick,
    members: [
      {
        name: "only",
        kind: "openai-compatible",
        models: ["m"],
        settings: { base_url: `http://${trick}.provider.test:${port}/v1` },
        timeouts: { connect_ms: 2000, headers_ms: 2000, first_token_ms: 2000 },
      },
    ],
    keys: [{ name: "app", key: poolKey(trick) }],
  });
  return {
    management_tokens: [{ name: "operator", token: secrets.operator, role: "operator" }],
    accounts: [
      account("ours", { api_key: secrets.ourKey, gateways }),
      // An account has twenty pools at most, and fifty endpoints.
      ...chunks(tricks, 10).map((some, at) =>
        account(`tricks-${at}`, {
          pools: some.map(pool),
          webhooks: some.map((trick) => ({ url: `http://${trick}.webhook.test:${port}/`, events: ["*"] })),
        }),
      ),
    ],
  };
}

const poolKey = (trick: string) => `tlp_${trick}_`.padEnd(40, "p");
function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}

const rounds = 4;

/** Asks an outlet for every name, so often that each answer of a name is met. */
async function askAll(base: string, outlet: string, tricks: readonly string[]): Promise<void> {
  const operator = bearer(secrets.operator);
  const ask = (path: string, body?: object, headers = operator as readonly (readonly [string, string])[]) =>
    askAt(base, { path, headers, ...(body === undefined ? {} : { body }), timeoutMs: 20_000 });
  const manage = "/api/manage/v1/accounts";
  const accounts = jsonOf(await ask(manage)).data as { id: string; name: string }[];
  const ours = accounts.find(({ name }) => name === "ours")!.id;
  const hooks: { account: string; id: string }[] = [];
  if (outlet === "webhook")
    for (const { id } of accounts)
      for (const hook of jsonOf(await ask(`${manage}/${id}/webhooks`)).data)
        hooks.push({ account: id, id: hook.id });
  for (let round = 0; round < rounds; round += 1) {
    if (outlet === "webhook")
      for (const { account, id } of hooks)
        await askAt(base, {
          method: "POST",
          path: `${manage}/${account}/webhooks/${id}/test`,
          headers: operator,
        });
    else if (outlet === "provider")
      await Promise.all(
        tricks.map((trick) =>
          ask(
            "/api/ai/v1/chat/completions",
            { messages: [{ role: "user", content: "Hi" }] },
            bearer(poolKey(trick)),
          ),
        ),
      );
    else {
      const contact = (trick: string) => ({
        ...(outlet === "smtp" ? { email: "a@example.com", subject: "x" } : { number: "+15550000001" }),
        message: "x",
        gateway_identifier: idOf(outlet, trick),
      });
      const path = `/api/${outlet === "smtp" ? "email" : "sms"}/send`;
      const { status, text } = await ask(path, { contact: tricks.map(contact) }, [
        ["Api-key", secrets.ourKey],
      ]);
      if (status !== 200) throw new Error(`${outlet}: ${status} ${text.slice(0, 300)}`);
      await pause(1_000);
      // A refused address pauses a gateway; its next try is ours to ask for.
      for (const trick of tricks)
        await askAt(base, {
          method: "POST",
          path: `${manage}/${ours}/gateways/${idOf(outlet, trick)}/resume`,
          headers: operator,
        });
    }
    await pause(1_000);
  }
}

process.exit(await main());
