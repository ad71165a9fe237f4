// The paths and the port for clients of other services: hooks, Resend's API, Twilio's API, mails by SMTP, and the guides. Anybody may ask
// there, so each has to hold what `/api/…/send` holds.

import { clientAddress, isLinux } from "./addresses.ts";
import { type Attack, spread, type Tally, tally } from "./attack.ts";
import { bearer, secrets } from "./installation.ts";
import { head, type Line, openLine } from "./line.ts";
import { say } from "./smtp-line.ts";
import type { Stage } from "./stage.ts";
import { signedIn, submissionAttacks } from "./submission.ts";

const family = "other doors";
const mib = 1024 * 1024;

const basic = (user: string, password: string) =>
  [["Authorization", `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`]] as const;
const hook = `/hooks/alerts-ours?key=${secrets.hookKey}`;
const twilio = "/api/twilio/2010-04-01/Accounts/AC1/Messages.json";
const resend = "/api/resend/emails";

interface Door {
  path: string;
  headers: readonly (readonly [string, string])[];
  type: string;
}

/** Each with the right key, for bodies, and with a wrong one. */
const doors: Readonly<Record<string, { right: Door; wrong: (guess: string) => Door }>> = {
  hook: {
    right: { path: hook, headers: [], type: "application/json" },
    wrong: (guess) => ({ path: `/hooks/alerts-ours?key=${guess}`, headers: [], type: "application/json" }),
  },
  "signed hook": {
    right: { path: hook, headers: [["X-Hub-Signature-256", "sha256=0"]], type: "application/json" },
    wrong: (guess) => ({
      path: `/hooks/hook_${guess}`,
      headers: [["X-Hub-Signature-256", `sha256=${guess}`]],
      type: "application/json",
    }),
  },
  resend: {
    right: { path: resend, headers: bearer(secrets.ourKey), type: "application/json" },
    wrong: (guess) => ({ path: resend, headers: bearer(guess), type: "application/json" }),
  },
  twilio: {
    right: { path: twilio, headers: basic("AC1", secrets.ourKey), type: "application/x-www-form-urlencoded" },
    wrong: (guess) => ({
      path: twilio,
      headers: basic("AC1", guess),
      type: "application/x-www-form-urlencoded",
    }),
  },
};

/** Bodies that are nothing that a client sends, or cost more to read than to send. */
const bodies = (bytes: number): Record<string, string | Buffer> => {
  const noise = Buffer.alloc(bytes);
  for (let at = 0, state = 1; at < bytes; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    noise[at] = state >> 16;
  }
  return {
    nothing: "",
    noise,
    "half of an object": '{"to":["a@example.com"',
    brackets: "[".repeat(bytes),
    "empty objects": `{"a":[${"{},".repeat(bytes / 3)}{}]}`,
    "one text": `{"To":"${"x".repeat(bytes)}"}`,
    "fields without =": "a&".repeat(bytes / 2),
    pluses: `To=${"+".repeat(bytes)}`,
    "lone surrogates": '{"to":"\\ud800","from":"\\udfff","subject":"\\u0000"}',
    "line ends":
      '{"from":"a@ours.test\\r\\nBcc: b@example.com","to":"c@example.com","subject":"x\\r\\nX: y","text":"x"}',
    "a prototype": '{"__proto__":{"to":"a@example.com"},"constructor":{"prototype":{"to":"x"}}}',
    "numbers and lists": '{"to":{"a":1},"from":[1e400],"subject":null,"text":[[[[]]]]}',
  };
};

const oddBodies: Attack = {
  family,
  name: "bodies of noise with the right keys",
  expected: "200 for what a hook can read; else 4xx with a reason",
  short: true,
  async run(stage, size) {
    const it = tally();
    for (const [door, { right }] of Object.entries(doors))
      for (const [label, body] of Object.entries(bodies(size === "whole" ? 8 * mib : mib))) {
        const { path, headers, type } = right;
        const { status, text } = await stage.ask({
          method: "POST",
          path,
          headers: [...headers, ["Content-Type", type]],
          body,
        });
        const held =
          (status >= 400 && status < 500) ||
          (door.includes("hook") && status === 200) ||
          // A refusal may reach a client that is still writing as a broken connection.
          (status === 0 && stage.ended() === null);
        it.add(status, !held && `${door}, ${label}: ${status} ${text.slice(0, 200)}`);
        if (text.includes(secrets.ourKey) || text.includes(secrets.hookKey)) it.fault(`${door}: shows a key`);
      }
    return it;
  },
};

const wrongKeys: Attack = {
  family,
  name: "wrong keys at speed",
  expected: "401 and 429, never more",
  short: isLinux,
  async run(stage, size) {
    const it = tally();
    // A network of its own: new credentials of the guesser's network are not looked up for a while.
    const from = clientAddress(710);
    for (const [door, { wrong }] of Object.entries(doors))
      await spread(size === "whole" ? 2_000 : 200, 20, async (at) => {
        const { path, headers, type } = wrong(`guess${at}`.padEnd(40, "k"));
        const { status } = await stage.ask({
          from,
          method: "POST",
          path,
          headers: [...headers, ["Content-Type", type]],
          body: "{}",
        });
        it.add(status, ![401, 403, 429].includes(status) && `${door}: ${status} to a wrong key`);
      });
    // Keys of another account, of a pool and of the management API open none of them.
    for (const key of [secrets.poolKey, secrets.operator, secrets.member])
      for (const [door, { wrong }] of Object.entries(doors)) {
        const { path, headers, type } = wrong(key);
        const { status } = await stage.ask({
          from,
          method: "POST",
          path,
          headers: [...headers, ["Content-Type", type]],
          body: "{}",
        });
        it.add(status, ![401, 403, 429].includes(status) && `${door}: ${status} to a key of another kind`);
      }
    return it;
  },
};

const longHeads: Attack = {
  family,
  name: "heads of 100 KiB",
  expected: "4xx, or a closed connection",
  short: true,
  async run(stage) {
    const it = tally();
    const long = "x".repeat(100 * 1024);
    const heads = [
      head("POST", `/hooks/${long}`),
      head("POST", `/hooks/alerts-ours?key=${long}`),
      head("POST", "/hooks/alerts-ours", [`Authorization: Bearer ${long}`]),
      head("POST", resend, [`Authorization: Bearer ${long}`]),
      head("POST", resend, [`Authorization: Bearer ${secrets.ourKey}`, `Idempotency-Key: ${long}`]),
      head("POST", twilio, [`Authorization: Basic ${long}`]),
      head("GET", `/docs/${long}`),
      head("GET", `/docs/x?${"a&".repeat(50_000)}`),
    ];
    for (const text of heads) {
      const wire = await stage.line();
      if (wire === null) return Object.assign(it, it.fault("no connection"));
      await wire.write(text);
      await wire.until(/HTTP\/1\.1 \d{3}/, 20_000);
      const status = wire.statuses()[0] ?? 0;
      it.add(status, status !== 0 && (status < 400 || status > 499) && `${text.slice(0, 40)}: ${status}`);
      wire.end();
    }
    return it;
  },
};

const missingPages: Attack = {
  family,
  name: "guides that are not there",
  expected: "404, and no file of the machine",
  short: true,
  // The first request of a process renders the reference and the guides, which takes others their turn once.
  judged: false,
  async run(stage) {
    const it = tally();
    for (const path of [
      "/docs/../../etc/passwd",
      "/docs/..%2f..%2fpackage.json",
      "/docs/%2e%2e/CHANGELOG",
      "/docs/images/..%2f..%2f..%2fpackage.json",
      "/docs/hooks%00.md",
      "/docs/__proto__",
      "/docs/constructor",
      "/docs/%ff",
    ]) {
      const { status, text } = await stage.ask({ method: "GET", path });
      const held =
        status >= 400 && status < 500 && !text.includes('"dependencies"') && !text.includes("root:");
      it.add(status, !held && `${path}: ${status}`);
    }
    return it;
  },
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const email = { from: "a@ours.test", to: "b@example.com", subject: "x", text: "x" };

/** A client that sends an email by Resend's API and a mail by SMTP, once a second: each must be accepted within 5 s. */
async function goodClient(stage: Stage, it: Tally, isOver: () => boolean): Promise<void> {
  const { path, headers, type } = doors.resend!.right;
  for (let round = 0; !isOver(); round += 1) {
    const begun = performance.now();
    const posted = await stage.ask({
      method: "POST",
      path,
      headers: [...headers, ["Content-Type", type]],
      body: JSON.stringify(email),
    });
    const wire = await signedIn(stage, clientAddress(900));
    let code = 0;
    if (wire !== null) {
      for (const command of ["MAIL FROM:<a@ours.test>", "RCPT TO:<b@example.com>", "DATA"])
        await say(wire, command);
      code = await say(wire, "From: a@ours.test\r\nTo: b@example.com\r\nSubject: x\r\n\r\nx\r\n.");
      wire.end();
    }
    const tookMs = performance.now() - begun;
    const served = posted.status === 200 && code === 250 && tookMs < 5_000;
    it.add(
      served ? "served" : "not served",
      !served && `round ${round}: ${posted.status}, ${code} after ${Math.round(tookMs)} ms`,
    );
    await pause(1_000);
  }
}

/** The right keys, and bodies that never end: over HTTP with a byte a second, by SMTP with silence after half of a mail. */
const halfSent: Attack = {
  family,
  name: "1,000 half-sent bodies",
  expected: "HTTP ended within 45 s, SMTP within 150 s; a good client is served",
  short: false,
  async run(stage) {
    const it = tally();
    const lines: { door: string; wire: Line; limitMs: number }[] = [];
    for (const [door, { right }] of Object.entries(doors)) {
      const { path, headers, type } = right;
      const fields = [...headers.map(([name, value]) => `${name}: ${value}`), `Content-Type: ${type}`];
      const start = `${head("POST", path, [...fields, "Content-Length: 1000"])}{"to":"`;
      await spread(187, 50, async (at) => {
        const wire = await openLine(stage.server.base, clientAddress(at));
        if (wire === null) return it.add("refused");
        lines.push({ door, wire, limitMs: 45_000 });
        await wire.write(start);
      });
    }
    await spread(252, 20, async (at) => {
      const wire = await signedIn(stage, clientAddress(at));
      if (wire === null) return it.add("refused");
      lines.push({ door: "submission", wire, limitMs: 150_000 });
      for (const command of ["MAIL FROM:<a@ours.test>", "RCPT TO:<b@example.com>", "DATA"])
        await say(wire, command);
      await wire.write("From: a@ours.test\r\nSubject: half");
    });
    let isOver = false;
    const good = goodClient(stage, it, () => isOver);
    const dripping = (async () => {
      for (; !isOver; await pause(1_000))
        for (const { door, wire } of lines) if (door !== "submission") void wire.write("x");
    })();
    await Promise.all(
      lines.map(async ({ door, wire, limitMs }) => {
        const closed = await wire.closed(limitMs);
        it.add(`${door}: ${closed ? "ended" : "open"}`, !closed && `${door} is still open`);
        wire.end();
      }),
    );
    isOver = true;
    await Promise.all([good, dripping]);
    return it;
  },
};

export const doorAttacks: readonly Attack[] = [
  oddBodies,
  wrongKeys,
  longHeads,
  missingPages,
  ...submissionAttacks,
  halfSent,
];
