// The email half of the search for secrets: mail servers and vendors that say what they know in every error and every
// event, and the keys that sign, of which no private half may ever be seen again.

import assert from "node:assert/strict";
import { newPrivateKey } from "#runtime/key-pair.ts";
import { privateKeyContext, readSendingDomains } from "#store/email/sending-domains.ts";
import { cert } from "../../gateways/email/certificate.ts";
import { openScriptedSmtp, type ScriptedSmtp, type SmtpStage } from "../../gateways/email/scripted-smtp.ts";
import { answeredInTime } from "../../http/routes/manage/managed.ts";
import { inject } from "../../inject.ts";
import { eventOf, mailAnswer, type Vendor, vendorHosts, vendors, wordsWith } from "./mail-vendors.ts";
import { planted, respond } from "./planted.ts";
import type { Story } from "./story.ts";

/** What is in a private key and not in its public half: the same base64 is at the beginning of all of them. */
function privatePart(pem: string): string {
  const lines = pem.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
  // PKCS #8: an RSA key's modulus ends in the seventh line, and all that is before an Ed25519 seed is 16 bytes.
  return lines.length > 1 ? lines.slice(7).join("\n") : lines.join("").slice(22);
}

interface Mailing extends Story {
  /** Of acme. */
  manageOwn(method: "GET" | "POST" | "PATCH", path: string, body?: object): ReturnType<Story["manage"]>;
  /** Sends a mail through a gateway, to a recipient of its own, and returns the message's id. */
  send(gateway: string): Promise<string>;
  /** A message's events, as one text, and whether a try is over. */
  fate(id: string): Promise<{ tried: boolean; underWay: boolean; text: string }>;
}

/** Domains whose keys are made here, and one whose keys are brought along; the first waits for its records. */
async function domains({ it, evidence, manageOwn, known }: Mailing): Promise<void> {
  const path = "/sending-domains";
  const keys = await Promise.all((["rsa", "ed25519"] as const).map(newPrivateKey));
  for (const [at, pem] of keys.entries()) evidence.learn(`givenDomainKey${at}`, privatePart(pem));
  const mailSettings = {
    domain: "given.example",
    keys: keys.map((private_key, at) => ({ selector: `k${at}`, private_key })),
  };
  const bad = `-----BEGIN PRIVATE KEY-----\n${planted.refusedDkimKey}\n-----END PRIVATE KEY-----\n`;
  const faulty: object[] = [
    { ...mailSettings, keys: [{ selector: "k", private_key: bad }] },
    { ...mailSettings, keys: [{ selector: bad, private_key: [bad] }] },
    { ...mailSettings, domain: planted.refusedMailSetting },
    { ...mailSettings, keys: [mailSettings.keys[0], mailSettings.keys[0]] },
  ];
  for (const input of faulty) assert.equal((await manageOwn("POST", path, input)).statusCode, 422);
  const own = await manageOwn("POST", path, mailSettings);
  assert.equal(own.statusCode, 201, own.body);
  assert.equal((await manageOwn("POST", path, mailSettings)).statusCode, 422);
  const made = await manageOwn("POST", path, { domain: "made.example" });
  const { id } = made.json().data as { id: string };
  known.set("domain", id);
  assert.equal((await manageOwn("POST", `${path}/${id}/activate`, {})).statusCode, 200);
  assert.equal((await manageOwn("POST", `${path}/${id}/rotate`, {})).statusCode, 200);
  assert.equal((await manageOwn("POST", `${path}/${id}/check`, {})).statusCode, 200);

  const { database, sealer } = it.system.core;
  const asked = { accountId: known.get("acme")!, id: null };
  const found = await database.run(readSendingDomains, asked);
  const rows = found.flatMap((each) => each.keys);
  assert.equal(rows.length, 6);
  for (const { id, private_key } of rows)
    evidence.learn(`domainKey ${id}`, privatePart(sealer.unseal(private_key, privateKeyContext(id))));
}

const rest = { channel: "email", retry: { first_ms: 1000, max_ms: 2000, for_ms: 10_000 } };

/** Each vendor's API, failing in every way; then what it reports of the mails that it took. */
async function throughVendors(story: Mailing): Promise<void> {
  const { it, ask, manageOwn, send, fate } = story;
  const sent: { id: string; tells: boolean }[] = [];
  const taken: { vendor: Vendor; id: string }[] = [];
  for (const [kind, vendor] of Object.entries(vendors) as [Vendor, (typeof vendors)[Vendor]][]) {
    for (const host of vendorHosts) {
      const identifier = `${kind}-${host}`;
      const base_url = `https://${host}.${kind}.mail.test`;
      const settings = { ...vendor.settings, from: "news@given.example", base_url };
      const made = await manageOwn("POST", "/gateways", { ...rest, identifier, kind, settings });
      assert.equal(made.statusCode, 201, made.body);
      if (host === "ok")
        for (let mails = 0; mails < 2; mails++) taken.push({ vendor: kind, id: await send(identifier) });
      else sent.push({ id: await send(identifier), tells: host !== "s200" });
    }
    const asked = manageOwn("POST", `/gateways/${kind}-s400/test`, { to: "test@example.com" });
    const test = await answeredInTime(it, asked);
    assert.equal(test.statusCode, 200, test.body);
    const bad = planted.refusedMailSetting;
    const gateway = { ...rest, identifier: "bad", kind };
    const { settings } = vendor;
    for (const faulty of [
      { ...settings, from: bad },
      { ...settings, from: "a@b.example", base_url: `https://u:${bad}@h.test` },
      { ...settings, from: "a@b.example", tracking: bad, timeout_ms: bad },
      Object.fromEntries(Object.keys(settings).map((name) => [name, [bad]])),
    ])
      assert.equal((await manageOwn("POST", "/gateways", { ...gateway, settings: faulty })).statusCode, 422);
  }
  await it.advance(60_000);
  for (const { id, tells } of sent) {
    const { tried, text } = await fate(id);
    assert.ok(tried, text);
    if (tells) assert.match(text, /\*\*\*/);
  }
  for (const [at, { vendor, id }] of taken.entries()) {
    const { secrets, token } = vendors[vendor];
    for (const words of [wordsWith(secrets, at), `${"x".repeat(190 + at)}${wordsWith(secrets, at)}`]) {
      for (const final of [false, true]) {
        const { query, headers, body } = eventOf(
          vendor,
          { id, words, final, code: secrets[0]! },
          it.clock.now(),
        );
        const report = (url: string, more: Record<string, string> = {}) =>
          ask({
            method: "POST",
            url: `/callbacks/${vendor}-ok${url}`,
            headers: { ...headers, ...more },
            payload: body,
          });
        const right = await report(query);
        assert.equal(right.statusCode, 200, `${vendor} ${right.body}`);
        if (token === null) continue;
        const wrong = planted.wrongMailCallbackToken;
        assert.equal((await report(`?token=${wrong}`)).statusCode, 403);
        assert.equal((await report("", { authorization: `Bearer ${wrong}` })).statusCode, 403);
        const basic = Buffer.from(`user:${token}`).toString("base64");
        assert.equal((await report("", { authorization: `Basic ${basic}` })).statusCode, 200);
      }
    }
  }
  await it.advance(60_000);
  for (const { id } of taken) assert.match((await fate(id)).text, /\*\*\*/);
}

/** What a mail server says instead of its usual answer. */
const replies: readonly (readonly [SmtpStage, string])[] = [
  ["banner", "554 No {}"],
  ["EHLO", "421 Later {}"],
  ["AUTH", "535 5.7.8 Wrong {}"],
  ["AUTH", "454-4.7.0 Not now\r\n454 4.7.0 {}"],
  ["AUTH", "Wrong {}"],
  ["MAIL", "550 5.7.1 Sender rejected {}"],
  ["RCPT", "550 5.1.1 Unknown {}"],
  ["DATA", "451 4.3.0 Later {}"],
  ["dot", "421 4.3.2 Closing {}"],
  ["dot", `554 5.7.1 ${"x".repeat(180)} {}`],
  ["dot", "Taken, {}"],
];

/** A server for each of the replies, and one that takes all; then reports of what it took. */
async function throughServers(story: Mailing): Promise<void> {
  const { it, evidence, ask, manageOwn, send, fate } = story;
  const user = "ada";
  const pem = await newPrivateKey("rsa");
  evidence.learn("smtpDkimKey", privatePart(pem));
  const settingsFor = (port: number, at: number) => ({
    host: "localhost",
    port,
    ca: cert,
    username: user,
    password: planted.smtpPassword,
    from: "news@given.example",
    name: "trunkline.test",
    callback_token: planted.smtpCallbackToken,
    ...(at % 2 === 0 ? { dkim: { domain: "given.example", selector: "own", private_key: pem } } : {}),
  });
  const onTheWire = [planted.smtpPassword, `\0${user}\0${planted.smtpPassword}`].map((text) =>
    Buffer.from(text).toString("base64"),
  );
  const secrets = [planted.smtpPassword, ...onTheWire, planted.smtpCallbackToken];
  const open: ScriptedSmtp[] = [];
  const sent: { identifier: string; id: string }[] = [];
  /** Real time for what is on the wire; time of the story only when nothing is. */
  const ended = async () => {
    for (let looks = 0; looks < 2000; looks++) {
      await it.settle();
      const fates = await Promise.all(sent.map(({ id }) => fate(id)));
      if (fates.some(({ underWay }) => underWay)) await new Promise((resolve) => setTimeout(resolve, 1));
      else if (fates.some(({ tried }) => !tried)) await it.advance(100);
      else return;
    }
    assert.fail("Mails are still under way.");
  };
  try {
    for (const [at, [stage, reply]] of [...replies, ["dot", ""] as const].entries()) {
      const server = await openScriptedSmtp({ security: "starttls" });
      open.push(server);
      server.script((step) => {
        if (step !== stage || reply === "") return null;
        // What it was really told, and what it knows.
        const heard = server.commands.filter((line) => /^AUTH/i.test(line)).map((line) => line.slice(11));
        return reply.replace("{}", wordsWith([...heard, ...secrets], at));
      });
      const identifier = `smtp-${at}`;
      const made = await manageOwn("POST", "/gateways", {
        ...rest,
        identifier,
        kind: "smtp",
        settings: settingsFor(server.port, at),
      });
      assert.equal(made.statusCode, 201, made.body);
      sent.push({ identifier, id: await send(identifier) });
    }
    await ended();
    for (const { identifier } of sent)
      assert.equal((await manageOwn("POST", `/gateways/${identifier}/pause`)).statusCode, 200);
    for (const { id } of sent.slice(0, -1)) assert.match((await fate(id)).text, /\*\*\*/);
    assert.equal(open.at(-1)?.handed.length, 1);

    const { identifier, id } = sent.at(-1)!;
    const report = (words: string, query: string, authorization = "") => {
      const headers = {
        "content-type": "message/rfc822",
        ...(authorization === "" ? {} : { authorization }),
      };
      return ask({
        method: "POST",
        url: `/callbacks/${identifier}${query}`,
        headers,
        payload: bounceOf(id, words),
      });
    };
    const { smtpCallbackToken: token, wrongMailCallbackToken: wrong } = planted;
    const basic = Buffer.from(`user:${wrong}`).toString("base64");
    const words = wordsWith(secrets, 3);
    const heard = [
      await report(words, `?token=${wrong}`),
      await report(words, "", `Basic ${basic}`),
      await report(words, "", `Bearer ${wrong}`),
      await report(words, `?token=${token}&token=${wrong}`),
      await report(words, "", `Bearer ${token}`),
    ];
    assert.deepEqual(
      heard.map(({ statusCode }) => statusCode),
      [403, 403, 403, 403, 200],
    );
    assert.match((await fate(id)).text, /\*\*\*/);

    const path = `/gateways/${identifier}`;
    const change = async (settings: object) => (await manageOwn("PATCH", path, { settings })).statusCode;
    const bad = planted.refusedMailSetting;
    const pemOf = (text: string) => `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
    assert.equal(await change({ password: planted.replacedSmtpPassword }), 200);
    assert.equal(await change({ password: planted.smtpPassword }), 200);
    for (const faulty of [
      { dkim: { domain: "a.example", selector: "s", private_key: pemOf(planted.refusedDkimKey) } },
      { dkim: bad, ca: bad, security: bad },
      { password: [bad] },
      { callback_token: bad.slice(0, 12) },
      { host: `${bad} ${bad}`, name: `${bad} `, port: bad },
    ])
      assert.equal(await change(faulty), 422);
  } finally {
    for (const server of open) await server.close();
  }
}

/** A report about a mail, in the mail server's words. */
function bounceOf(id: string, words: string): string {
  return `From: Mail Delivery Subsystem <mailer-daemon@mx.example>
Content-Type: multipart/report; report-type=delivery-status; boundary="b"
MIME-Version: 1.0

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; ada@example.com
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 ${words}

--b
Content-Type: text/rfc822-headers

Message-ID: <${id}@given.example>

--b--
`.replaceAll("\n", "\r\n");
}

/** Mails through every kind of gateway, and the domains that sign them. */
export async function sendMails(story: Story): Promise<void> {
  const { it, ask, manage, known } = story;
  const key = { "api-key": planted.apiKeyInHeader };
  let recipients = 0;
  const mailing: Mailing = {
    ...story,
    manageOwn: (method, path, body) => manage(method, `/accounts/${known.get("acme")}${path}`, body),
    send: async (gateway) => {
      recipients += 1;
      const mail = { email: `r${recipients}@example.com`, subject: "Hi", message: "<p>Hello</p>" };
      const payload = { contact: [{ ...mail, gateway_identifier: gateway }] };
      const reply = await ask({ method: "POST", url: "/api/email/send", headers: key, payload });
      assert.equal(reply.statusCode, 200, reply.body);
      return reply.json().data.contact[0].id;
    },
    fate: async (id) => {
      const url = `/api/get/email/${id}`;
      const text = (await inject(it.system.app, { method: "GET", url, headers: key })).body;
      const { status, events } = JSON.parse(text).data as { status: string; events: { type: string }[] };
      const underWay = status === "sending";
      return { tried: !underWay && events.some(({ type }) => type === "sending"), underWay, text };
    },
  };
  // From here on: lanes that are paused try again later.
  it.respond((request) => mailAnswer(request) ?? respond(request));
  await domains(mailing);
  await throughVendors(mailing);
  await throughServers(mailing);
  const list = await ask({ method: "GET", url: "/api/get/email?limit=200", headers: key });
  for (const { id } of list.json().data as { id: string }[])
    await ask({ method: "GET", url: `/api/get/email/${id}`, headers: key });
}
