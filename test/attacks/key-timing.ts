// `node test/attacks/key-timing.ts`: whether the time of an answer tells how much of a secret was guessed right. Each
// secret is asked for in turn, at random, with guesses of which nothing is right and guesses of which all but the last
// six characters are; no guess comes twice. The control is a server that takes 3 µs longer for the second kind: while it
// is found, differences of that size would have been found at the others. Not a test: a timing. Ends by itself.
// Options: --samples 10000 (of each kind).

import { createHmac, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { hashSecret } from "#runtime/secret.ts";
import { isLinux, proxyAddress } from "./addresses.ts";
import { jsonOf } from "./ask.ts";
import { secrets } from "./installation.ts";
import { head, type Line, openLine } from "./line.ts";
import { openStage, type Stage } from "./stage.ts";
import { compare, type Difference, foundAt } from "./statistics.ts";

const { values } = parseArgs({ options: { samples: { type: "string" } } });
const samples = Number(values.samples ?? 10_000);
if (!Number.isInteger(samples) || samples < 100 || samples > 1_000_000) {
  console.error("usage: node test/attacks/key-timing.ts [--samples 10000]");
  process.exit(2);
}
setTimeout(() => process.exit(1), 3_600_000).unref();

const metricsToken = "metrics-".padEnd(40, "t");
/** Of the end of a guess. */
const open = 6;

/** A guess of the secret's length and alphabet; `near`: right but for its last six characters. */
function guess(secret: string, near: boolean): string {
  const letters = randomBytes(secret.length).toString("hex").slice(0, secret.length);
  const end = secret.endsWith(letters.slice(0, open)) ? "zzzzzz" : letters.slice(0, open);
  const text = near ? secret.slice(0, -open) + end : secret.slice(0, secret.indexOf("_") + 1) + letters;
  // Made anew, so that both kinds are strings of one make to V8, and not a slice here and a chain there.
  return Buffer.from(text.slice(0, secret.length), "latin1").toString("latin1");
}

/** Milliseconds until the head of the answer is there. */
async function timed(wire: Line, request: string): Promise<number> {
  wire.clear();
  const started = process.hrtime.bigint();
  void wire.write(request);
  if (!(await wire.until(/\r\n\r\n/, 10_000))) throw new Error("no answer");
  return Number(process.hrtime.bigint() - started) / 1000;
}

/** Interleaves both kinds on one connection; `request` makes one of a guess. */
async function overTheWire(
  base: string,
  secret: string,
  request: (guess: string, client: string) => string,
): Promise<Difference> {
  const times: [number[], number[]] = [[], []];
  let wire = await openLine(base, isLinux ? proxyAddress : undefined);
  if (wire === null) throw new Error("no connection");
  const ask = async (near: boolean, number: number): Promise<number> => {
    // Wrong credentials are counted by client, so the proxy names another one every 40 of them.
    const client = `198.18.${Math.floor(number / 10_000)}.${Math.floor(number / 40) % 250}`;
    const text = request(guess(secret, near), client);
    if (wire?.socket.destroyed !== false) wire = (await openLine(base, isLinux ? proxyAddress : undefined))!;
    return await timed(wire, text);
  };
  for (let at = 0; at < 1_000; at += 1) await ask(at % 2 === 0, at);
  for (let at = 0; at < 2 * samples; at += 1) {
    const kind = randomBytes(1)[0]! & 1;
    times[kind === 0 ? 0 : 1].push(await ask(kind === 1, at + 1_000));
  }
  wire.end();
  return compare(...times);
}

/** The same of a function alone, a hundred calls a sample, µs for one call. */
function inProcess(secret: string, work: (guess: string) => unknown): Difference {
  const times: [number[], number[]] = [[], []];
  for (let at = 0; at < samples + 500; at += 1) {
    const kind = randomBytes(1)[0]! & 1;
    const guesses = Array.from({ length: 100 }, () => guess(secret, kind === 1));
    const started = process.hrtime.bigint();
    for (const each of guesses) work(each);
    const took = Number(process.hrtime.bigint() - started) / 1000 / 100;
    if (at >= 500) times[kind === 0 ? 0 : 1].push(took);
  }
  return compare(...times);
}

function tell(what: string, { kept, difference, margin, t }: Difference): boolean {
  const found = Math.abs(t) > foundAt;
  const digits = margin < 0.1 ? 4 : 2;
  const shown = `${difference >= 0 ? "+" : ""}${difference.toFixed(digits)} ± ${margin.toFixed(digits)} µs`;
  console.log(
    `| ${what} | ${kept} | ${shown} | ${t.toFixed(1)} | ${found ? "a difference" : "no difference"} |`,
  );
  return found;
}

/** Compares as no program should: 3 µs more where all but the last characters are right. */
async function openControl(secret: string): Promise<{ base: string; close(): void }> {
  const server = createServer((request, response) => {
    if (String(request.headers["api-key"]).startsWith(secret.slice(0, -open))) {
      const until = process.hrtime.bigint() + 3_000n;
      while (process.hrtime.bigint() < until);
    }
    response.writeHead(403, { "content-length": "2" }).end("no");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function sessionSecret(stage: Stage): Promise<string> {
  const [email, password] = ["timed@ours.test", "a long password of a user"];
  await stage.manage("POST", "/users", {
    email,
    name: "x",
    role: "member",
    account: stage.ours.id,
    password,
  });
  const reply = await stage.ask({ path: "/api/manage/v1/session", body: { email, password } });
  if (jsonOf(reply)?.success !== true) throw new Error(`no session: ${reply.status}`);
  return String(reply.headers["set-cookie"]?.[0]).split(";", 1)[0]!.slice("trunkline=".length);
}

async function main(): Promise<number> {
  const stage = await openStage("sqlite", { TRUNKLINE_METRICS_TOKEN: metricsToken });
  const control = await openControl(secrets.ourKey);
  try {
    const session = await sessionSecret(stage);
    const bearer = (path: string) => (text: string, client: string) =>
      head("GET", path, [`Authorization: Bearer ${text}`, `X-Forwarded-For: ${client}`]);
    const callback = (path: string, body: (text: string) => string) => (text: string) => {
      const bytes = body(text);
      return (
        head("POST", path, ["Content-Type: application/json", `Content-Length: ${bytes.length}`]) + bytes
      );
    };
    const stamp = { timestamp: String(Math.floor(Date.now() / 1000)), token: "a-token-of-mailgun" };
    const mac = createHmac("sha256", secrets.mailgunKey)
      .update(stamp.timestamp + stamp.token)
      .digest("hex");
    console.log("| secret | samples kept | all but six right, less none right | t | |");
    console.log("|---|---|---|---|---|");
    const withKey = (text: string) => head("GET", "/api/account", [`Api-key: ${text}`]);
    const seen = tell("control: 3 µs longer", await overTheWire(control.base, secrets.ourKey, withKey));
    const found = [
      tell("API key", await overTheWire(stage.base, secrets.ourKey, withKey)),
      tell("pool key", await overTheWire(stage.base, secrets.poolKey, bearer("/api/ai/v1/models"))),
      tell(
        "management token",
        await overTheWire(stage.base, secrets.member, bearer("/api/manage/v1/session")),
      ),
      tell(
        "session",
        await overTheWire(stage.base, session, (text, client) =>
          head("GET", "/api/manage/v1/session", [`Cookie: trunkline=${text}`, `X-Forwarded-For: ${client}`]),
        ),
      ),
      tell("metrics token", await overTheWire(stage.base, metricsToken, bearer("/metrics"))),
      tell(
        "callback MAC (Mailgun)",
        await overTheWire(
          stage.base,
          mac,
          callback("/callbacks/mailgun-ours", (text) =>
            JSON.stringify({ signature: { ...stamp, signature: text } }),
          ),
        ),
      ),
      tell(
        "callback token (http-api)",
        await overTheWire(stage.base, secrets.callbackToken, (text) =>
          head("GET", `/callbacks/http-ours?token=${text}`),
        ),
      ),
      tell(
        "in process: comparing",
        inProcess(secrets.callbackToken, (text) => constantTimeEqual(text, secrets.callbackToken)),
      ),
      tell(
        "in process: hashing",
        inProcess(secrets.ourKey, (text) => hashSecret(text)),
      ),
    ];
    if (!seen) console.log("\nThe control was not found: this machine is too busy to tell.");
    return seen && !found.includes(true) ? 0 : 1;
  } finally {
    control.close();
    await stage.close();
  }
}

process.exit(await main());
