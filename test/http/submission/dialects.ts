// How the mail libraries of known applications speak, line by line as they write it.

import { plain } from "./submitting.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

type Step = [line: string, code: string];
const data: Step[] = [["DATA", "354"]];
/** What a library says until it writes the mail, for an API key, a user name and a sender. */
export type Dialect = (key: string, user: string, from: string) => Step[];

export const dialects = {
  "Django (Python's smtplib)": (key, user, from) => [
    ["ehlo [127.0.0.1]", "250"],
    [`AUTH PLAIN ${plain(key, user)}`, "235"],
    [`mail FROM:<${from}> size=120`, "250"],
    ["rcpt TO:<ada@example.net>", "250"],
    ["data", "354"],
  ],
  "Python's smtplib with SMTPUTF8": (key, user, from) => [
    ["ehlo host.local", "250"],
    [`AUTH PLAIN ${plain(key, user)}`, "235"],
    [`mail FROM:<${from}> SMTPUTF8 BODY=8BITMIME size=120`, "250"],
    ["rcpt TO:<ada@example.net>", "250"],
    ["data", "354"],
  ],
  "Keycloak (Jakarta Mail)": (key, user, from) => [
    ["EHLO keycloak-0.keycloak", "250"],
    ["AUTH LOGIN", "334"],
    [base64(user), "334"],
    [base64(key), "235"],
    [`MAIL FROM:<${from}>`, "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "listmonk (Go's net/smtp)": (key, user, from) => [
    ["EHLO localhost", "250"],
    [`AUTH PLAIN ${plain(key, user)}`, "235"],
    ["NOOP", "250"],
    ["RSET", "250"],
    [`MAIL FROM:<${from}> BODY=8BITMIME SMTPUTF8`, "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "n8n (nodemailer)": (key, user, from) => [
    ["EHLO [172.18.0.5]", "250"],
    [`AUTH PLAIN ${plain(key, user)}`, "235"],
    [`MAIL FROM:<${from}>`, "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "Laravel (Symfony Mailer)": (key, user, from) => [
    ["EHLO [127.0.0.1]", "250"],
    ["AUTH LOGIN", "334"],
    [base64(user), "334"],
    [base64(key), "235"],
    [`MAIL FROM:<${from}>`, "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  "WordPress (PHPMailer)": (key, user, from) => [
    ["EHLO www.example.com", "250"],
    ["AUTH LOGIN", "334"],
    [base64(user), "334"],
    [base64(key), "235"],
    [`MAIL FROM:<${from}>`, "250"],
    ["RCPT TO:<ada@example.net>", "250"],
    ...data,
  ],
  ".NET's SmtpClient": (key, user, from) => [
    ["EHLO DESKTOP-1", "250"],
    [`AUTH login ${base64(user)}`, "334"],
    [base64(key), "235"],
    [`MAIL FROM:<${from}>`, "250"],
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
} satisfies Record<string, Dialect>;
