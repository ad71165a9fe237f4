// How the mail libraries of known applications speak, line by line as they write it: each is understood, and its mail is a message.

import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, settled, simple, submitting, talk } from "./submitting.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

type Step = [line: string, code: string];
const data: Step[] = [["DATA", "354"]];
/** For the key, where the line has it. */
type Dialect = (key: string) => Step[];

const dialects: Record<string, Dialect> = {
  "Django (Python's smtplib)": (key) => [
    ["ehlo [127.0.0.1]", "250"],
    [`AUTH PLAIN ${plain(key, "django")}`, "235"],
    ["mail FROM:<app@example.com> size=120", "250"],
    ["rcpt TO:<ada@example.net>", "250"],
    ["data", "354"],
  ],
  "Python's smtplib with SMTPUTF8": (key) => [
    ["ehlo host.local", "250"],
    [`AUTH PLAIN ${plain(key)}`, "235"],
    ["mail FROM:<app@example.com> SMTPUTF8 BODY=8BITMIME size=120", "250"],
    ["rcpt TO:<ada@example.net>", "250"],
    ["data", "354"],
  ],
  "Keycloak (Jakarta Mail)": (key) => [
    ["EHLO keycloak-0.keycloak", "250"],
    ["AUTH LOGIN", "334"],
    [base64("keycloak"), "334"],
    [base64(key), "235"],
    ["MAIL FROM:<app@example.com>", "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "listmonk (Go's net/smtp)": (key) => [
    ["EHLO localhost", "250"],
    [`AUTH PLAIN ${plain(key, "listmonk")}`, "235"],
    ["NOOP", "250"],
    ["RSET", "250"],
    ["MAIL FROM:<app@example.com> BODY=8BITMIME SMTPUTF8", "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "n8n (nodemailer)": (key) => [
    ["EHLO [172.18.0.5]", "250"],
    [`AUTH PLAIN ${plain(key, "n8n")}`, "235"],
    ["MAIL FROM:<app@example.com>", "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "WordPress (PHPMailer)": (key) => [
    ["EHLO www.example.com", "250"],
    ["AUTH LOGIN", "334"],
    [base64("wordpress"), "334"],
    [base64(key), "235"],
    ["MAIL FROM:<app@example.com>", "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  ".NET's SmtpClient": (key) => [
    ["EHLO DESKTOP-1", "250"],
    [`AUTH login ${base64("user")}`, "334"],
    [base64(key), "235"],
    ["MAIL FROM:<app@example.com>", "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "a printer, with blanks after the colon and no sender": (key) => [
    ["EHLO printer", "250"],
    ["AUTH PLAIN", "334"],
    [plain(key, ""), "235"],
    ["MAIL FROM: <>", "250"],
    ["RCPT TO: <ada@example.net>", "250"],
    ...data,
  ],
};

test("every dialect is understood, and its mail goes out", async (context) => {
  const own = await submitting(context);
  for (const [name, lines] of Object.entries(dialects)) {
    const wire = await talk(own.port.port);
    for (const [line, code] of lines(own.key)) {
      const answer = await wire.say(line);
      assert.equal(answer.slice(0, 3), code, `${name}: ${line.slice(0, 20)}: ${answer}`);
    }
    const answer = await wire.say(Buffer.from(`${simple}.\r\n`));
    const id = /^250 2\.0\.0 Accepted as (msg_\w+)$/.exec(answer)?.[1] ?? "";
    assert.notEqual(id, "", `${name}: ${answer}`);
    assert.match(await wire.say("QUIT"), /^221/, name);
    assert.equal((await settled(own, id)).status, "sent", name);
  }
  assert.equal(own.server.handed.length, Object.keys(dialects).length);
});
