// The port for mails by SMTP: ends of mails that are none, and wrong keys beside lines that say nothing.

import { clientAddress, isLinux } from "./addresses.ts";
import { type Attack, spread, type Tally, tally } from "./attack.ts";
import { secrets } from "./installation.ts";
import { type Line, openLine } from "./line.ts";
import { greeted, say } from "./smtp-line.ts";
import type { Stage } from "./stage.ts";

const family = "other doors";

const addressOf = (stage: Stage) => `http://127.0.0.1:${stage.submissionPort}`;

const plain = (key: string) => `AUTH PLAIN ${Buffer.from(`\0user\0${key}`).toString("base64")}`;

/** A connection with the right key; null if it was refused. */
export async function signedIn(stage: Stage, from?: string): Promise<Line | null> {
  const wire = await greeted(addressOf(stage), from);
  if (wire === null) return null;
  await say(wire, "EHLO attacker");
  if ((await say(wire, plain(secrets.ourKey))) === 235) return wire;
  wire.end();
  return null;
}

const smuggling: Attack = {
  family,
  name: "submission: ends of mails that are none, and relaying",
  expected: "one mail or 5xx; never a second one",
  short: true,
  async run(stage) {
    const it = tally();
    const from = clientAddress(720);
    const count = async () =>
      (
        (await stage.manage("GET", `/accounts/${stage.ours.id}/messages?channel=email&limit=100`))
          .data as object[]
      ).length;
    const before = await count();
    const field = "From: a@ours.test\r\nTo: b@example.com\r\nSubject: x\r\n\r\n";
    const second = "MAIL FROM:<a@ours.test>\r\nRCPT TO:<victim@example.com>\r\nDATA\r\n";
    const whole = await signedIn(stage, from);
    if (whole === null) throw new Error("the right key was refused");
    for (const command of ["MAIL FROM:<a@ours.test>", "RCPT TO:<b@example.com>", "DATA"])
      await say(whole, command);
    whole.clear();
    await whole.write(`${field}one`);
    const right = await say(whole, "\r\n.");
    it.add(`${right} whole`, right !== 250 && `a mail with its end: ${right}`);
    whole.end();
    for (const end of ["\n.\n", "\n.\r\n", "\r.\r", "\r\n.\n", "\r\n.\r", "\r.\r\n", "\r\n\0.\r\n"]) {
      const wire = await signedIn(stage, from);
      if (wire === null) {
        it.add("refused", "the right key was refused");
        continue;
      }
      await say(wire, "MAIL FROM:<a@ours.test>");
      await say(wire, "RCPT TO:<b@example.com>");
      await say(wire, "DATA");
      wire.clear();
      await wire.write(`${field}one${end}${second}${field}two`);
      const code = await say(wire, "\r\n.");
      it.add(code, code < 500 && code !== 250 && `${JSON.stringify(end)}: ${code}`);
      // What follows a mail's end is no answer to a second one.
      const accepted = wire.received().match(/^250 /gm)?.length ?? 0;
      if (accepted > 1) it.fault(`${JSON.stringify(end)}: ${accepted} mails`);
      wire.end();
    }
    const victims = (await stage.manage("GET", `/accounts/${stage.ours.id}/messages?channel=email&limit=100`))
      .data as { email?: string }[];
    if (victims.some(({ email }) => email === "victim@example.com")) it.fault("a smuggled mail was accepted");
    if ((await count()) - before > 8) it.fault("more mails than ends");
    for (const commands of [
      ["MAIL FROM:<a@ours.test>"],
      ["RCPT TO:<b@example.com>"],
      ["DATA"],
      [plain("wrong"), "MAIL FROM:<a@ours.test>"],
      [plain(secrets.poolKey), "MAIL FROM:<a@ours.test>"],
      ["XCLIENT LOGIN=user", "MAIL FROM:<a@ours.test>"],
      ["VRFY root"],
      ["\0\0\0"],
      [`NOISE ${"x".repeat(4_000)}`],
    ]) {
      const wire = await greeted(addressOf(stage), from);
      if (wire === null) throw new Error("no greeting");
      await say(wire, "EHLO attacker");
      let code = 0;
      for (const command of commands) code = await say(wire, command);
      const vague = commands[0] === "VRFY root" && code === 252;
      it.add(code, code < 400 && code !== 0 && !vague && `${commands.join(", ").slice(0, 40)}: ${code}`);
      wire.end();
    }
    return it;
  },
};

/** Guesses on lines of their own, and lines that say nothing. */
const guesses: Attack = {
  family,
  name: "submission: wrong keys at speed beside idle lines",
  expected: "never 235; the right key gets in from another network",
  short: isLinux,
  async run(stage, size) {
    const it: Tally = tally();
    const idle: (Line | null)[] = [];
    await spread(size === "whole" ? 500 : 40, 20, async () => {
      idle.push(await openLine(addressOf(stage), clientAddress(1)));
    });
    const own = await signedIn(stage, clientAddress(600));
    if (own === null) it.fault("idle lines kept the right key out");
    own?.end();
    await spread(size === "whole" ? 500 : 60, 10, async (at) => {
      const wire = await greeted(addressOf(stage), clientAddress(700));
      if (wire === null) return it.add("refused");
      await say(wire, "EHLO attacker");
      const code = await say(wire, plain(`guess${at}`.padEnd(40, "k")));
      it.add(code, code === 235 && "a wrong key was right");
      wire.end();
    });
    for (const wire of idle) wire?.end();
    const after = await signedIn(stage, clientAddress(600));
    if (after === null) it.fault("guesses kept a key that is known to be right out");
    after?.end();
    return it;
  },
};

export const submissionAttacks: readonly Attack[] = [smuggling, guesses];
