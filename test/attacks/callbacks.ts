// Forged callbacks of every kind, large ones without a signature, a signed one used again, and tokens of mails used for
// what they are not.

import { createHmac, randomBytes } from "node:crypto";
import { type Asked, jsonOf } from "./ask.ts";
import { type Attack, spread, tally } from "./attack.ts";
import { apiKey, callbackGateways, secrets } from "./installation.ts";
import type { Stage } from "./stage.ts";

const family = "callbacks";
type Headers = NonNullable<Asked["headers"]>;
const right = secrets.callbackToken;
const basic = (password: string) => `Basic ${Buffer.from(`any:${password}`).toString("base64")}`;

const notification = (certificate: string) => ({
  Type: "Notification",
  MessageId: "1",
  TopicArn: "arn:aws:sns:eu-central-1:123456789012:trunkline",
  Message: "{}",
  Timestamp: new Date().toISOString(),
  SignatureVersion: "2",
  Signature: Buffer.from("forged").toString("base64"),
  SigningCertURL: certificate,
});

/** One callback without a signature: what is behind the gateway's URL, its headers and its body. */
function forgeries(): { label: string; query: string; headers: Headers; body: string }[] {
  const list: { label: string; query: string; headers: Headers; body: string }[] = [];
  const add = (label: string, query: string, headers: Headers = [], body = '{"id":"x","state":"DELIVRD"}') =>
    list.push({ label, query, headers: [["Content-Type", "application/json"], ...headers], body });
  for (const body of [
    "",
    "{}",
    "[]",
    "null",
    '"x"',
    "{",
    "\0",
    "a=b",
    '{"__proto__":{"signature":1}}',
    '[{"event":"bounce"}]',
  ])
    add(`body ${JSON.stringify(body)}`, "", [], body);
  for (const token of [
    "",
    "x",
    right.slice(0, -1),
    `${right}x`,
    right.toUpperCase(),
    "%00",
    secrets.ourKey,
    `${right}&token=${right}`,
    `x&token=${right}`,
    `${right}&token=x`,
  ])
    add(`token ${token.slice(0, 20)}`, `?token=${token}`);
  for (const name of ["Token", "TOKEN", "token[]", "token.", "callback_token"])
    add(`name ${name}`, `?${name}=${right}`);
  for (const value of [
    basic(""),
    basic("x"),
    basic(`${right}x`),
    "Basic",
    "Basic !!",
    "Bearer",
    "Bearer x",
    `Digest ${right}`,
    `Bearer ${right}x`,
  ])
    add(`Authorization ${value.slice(0, 20)}`, "", [["Authorization", value]]);
  for (const signature of ["", "v1,", "v1,AAAA", `v1,${Buffer.alloc(32).toString("base64")}`, `v1a,x v2,y`])
    add(
      "svix",
      "",
      [
        ["svix-id", "msg_1"],
        ["svix-timestamp", String(Math.floor(Date.now() / 1000))],
        ["svix-signature", signature],
      ],
      '{"type":"email.bounced","data":{}}',
    );
  for (const signature of ["", "x", Buffer.alloc(20).toString("base64")])
    add(
      "twilio",
      "",
      [
        ["X-Twilio-Signature", signature],
        ["Content-Type", "application/x-www-form-urlencoded"],
      ],
      "MessageSid=SM1&MessageStatus=delivered",
    );
  add(
    "sendgrid",
    "",
    [
      ["X-Twilio-Email-Event-Webhook-Signature", "MEUCIQ=="],
      ["X-Twilio-Email-Event-Webhook-Timestamp", "1"],
    ],
    '[{"event":"bounce"}]',
  );
  for (const certificate of [
    "https://evil.example/x.pem",
    "http://127.0.0.1/x.pem",
    "https://sns.eu-central-1.amazonaws.com.evil.example/x.pem",
    "https://sns.eu-central-1.amazonaws.com@evil.example/x.pem",
    "https://evil.example/sns.eu-central-1.amazonaws.com/x.pem",
    "https://s3.eu-central-1.amazonaws.com/bucket/x.pem",
    "file:///etc/passwd",
    "",
  ])
    add("SNS", "", [["x-amz-sns-message-type", "Notification"]], JSON.stringify(notification(certificate)));
  add(
    "SNS of another topic",
    "",
    [],
    JSON.stringify({ ...notification(""), TopicArn: "arn:aws:sns:eu-central-1:1:other" }),
  );
  add(
    "SNS subscription",
    "",
    [],
    JSON.stringify({
      ...notification("https://evil.example/x.pem"),
      Type: "SubscriptionConfirmation",
      SubscribeURL: "https://evil.example/",
    }),
  );
  add("a report", "", [["Content-Type", "message/rfc822"]], "Subject: x\r\n\r\nx");
  return list;
}

/** The signed part of a Mailgun webhook. */
function signed(key: string, at = Date.now(), token = randomBytes(25).toString("hex")) {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", key)
    .update(timestamp + token)
    .digest("hex");
  return { timestamp, token, signature };
}

const mailgunBody = (signature: object, event: object) => JSON.stringify({ signature, "event-data": event });

/** How many addresses of ours get no mail any more. */
async function suppressed(stage: Stage): Promise<number> {
  return (await stage.manage("GET", `/accounts/${stage.ours.id}/suppressions?channel=email`)).data.length;
}

const forged: Attack = {
  family,
  name: "forged callbacks of every kind",
  expected: "403 (503 without a secret), never 200",
  short: true,
  async run(stage) {
    const it = tally();
    const asks: [label: string, asked: Asked][] = [];
    const before = await suppressed(stage);
    for (const [kind, gateway] of Object.entries(callbackGateways))
      for (const { label, query, headers, body } of forgeries()) {
        asks.push([
          `${kind}: ${label}`,
          { path: `/callbacks/${gateway}${query}`, headers, body, method: "POST" },
        ]);
      }
    const event = {
      event: "complained",
      id: "1",
      timestamp: Date.now() / 1000,
      message: { headers: { "message-id": "x@mg.test" } },
    };
    const good = signed(secrets.mailgunKey);
    const post = (label: string, signature: object, gateway = "mailgun-ours") =>
      asks.push([
        `mailgun: ${label}`,
        {
          path: `/callbacks/${gateway}`,
          body: mailgunBody(signature, event),
          headers: [["Content-Type", "application/json"]],
        },
      ]);
    post("another account's key", signed(secrets.theirMailgunKey));
    post("at another account", signed(secrets.mailgunKey), "mailgun-theirs");
    post("an empty key", signed(""));
    post("a week old", signed(secrets.mailgunKey, Date.now() - 7 * 86_400_000));
    post("a week early", signed(secrets.mailgunKey, Date.now() + 7 * 86_400_000));
    post("the border moved", {
      ...good,
      timestamp: good.timestamp.slice(0, -1),
      token: good.timestamp.slice(-1) + good.token,
    });
    post("in capitals", { ...good, signature: good.signature.toUpperCase() });
    post("cut short", { ...good, signature: good.signature.slice(0, -1) });
    post("lists", { timestamp: [good.timestamp], token: [good.token], signature: [good.signature] });
    for (const identifier of [
      "nothing",
      "__proto__",
      "..%2fmailgun-ours",
      "mailgun-ours%00",
      "MAILGUN-OURS",
      "x".repeat(400),
    ])
      asks.push([
        `identifier ${identifier}`,
        { path: `/callbacks/${identifier}`, body: "{}", method: "POST" },
      ]);
    await spread(asks.length, 8, async (at) => {
      const [label, asked] = asks[at]!;
      const { status, text } = await stage.ask(asked);
      it.add(
        status,
        (status === 0 || status < 400 || status === 500) && `${label}: ${status} ${text.slice(0, 100)}`,
      );
    });
    if ((await suppressed(stage)) !== before) it.fault("a forged complaint took effect");
    return it;
  },
};

const large: Attack = {
  family,
  name: "unsigned callbacks of 1 MB of JSON",
  expected: "4xx, at little cost",
  short: true,
  async run(stage) {
    const it = tally();
    const filling = `"a":[${"{},".repeat(340_000)}{}]`;
    const bodies = {
      mailgun: `{"signature":{"timestamp":"1","token":"x","signature":"y"},${filling}}`,
      ses: `${JSON.stringify(notification("https://sns.eu-central-1.amazonaws.com/x.pem")).slice(0, -1)},${filling}}`,
      sendgrid: `[${"{},".repeat(340_000)}{}]`,
      postmark: `{${filling}}`,
    };
    const list = Array.from({ length: 5 }, () => Object.entries(bodies)).flat();
    await spread(list.length, 4, async (at) => {
      const [kind, body] = list[at]!;
      const gateway = callbackGateways[kind as keyof typeof callbackGateways];
      const { status } = await stage.ask({
        path: `/callbacks/${gateway}`,
        headers: [["Content-Type", "application/json"]],
        body,
      });
      it.add(status, ![400, 403, 413, 503].includes(status) && `${kind}: ${status}`);
    });
    return it;
  },
};

/** Sends one mail, and waits until a peer has seen it. */
async function sentMail(stage: Stage, gateway: string, email: string): Promise<string> {
  const reply = await stage.ask({
    path: "/api/email/send",
    headers: apiKey(secrets.ourKey),
    body: { contact: [{ email, subject: "x", message: "<p>x</p>", gateway_identifier: gateway }] },
  });
  const id = jsonOf(reply)?.data?.contact?.[0]?.id as string | undefined;
  if (id === undefined) throw new Error(`no mail was sent: ${reply.status} ${reply.text}`);
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const looked = await stage.ask({ path: `/api/get/email/${id}`, headers: apiKey(secrets.ourKey) });
    if (jsonOf(looked)?.data?.status === "sent") return id;
    await new Promise((later) => setTimeout(later, 50));
  }
  throw new Error(`${id} was not sent in time`);
}

const reused: Attack = {
  family,
  name: "a signed Mailgun token used again for another event",
  expected: "takes no effect",
  short: true,
  async run(stage) {
    const it = tally();
    const email = "reused@example.com";
    const id = await sentMail(stage, "mailgun-ours", email);
    const signature = signed(secrets.mailgunKey);
    const timestamp = Date.now() / 1000;
    const event = (name: string, key: string) => ({
      event: name,
      id: key,
      timestamp,
      recipient: email,
      "user-variables": { trunkline_message: id },
    });
    const post = (name: string, key: string, of: object = signature) =>
      stage.ask({
        path: "/callbacks/mailgun-ours",
        headers: [["Content-Type", "application/json"]],
        body: mailgunBody(of, event(name, key)),
      });
    const before = await suppressed(stage);
    const complaints = async () => (await suppressed(stage)) - before;
    const first = await post("delivered", "a");
    it.add(`${first.status} first`, first.status !== 200 && `the event itself: ${first.status}`);
    const again = await post("complained", "b");
    it.add(`${again.status} again`);
    if ((await complaints()) > 0) it.fault("a used token complained");
    // The same event once more is Mailgun's own repeat, and is taken.
    const repeat = await post("delivered", "a");
    it.add(`${repeat.status} repeat`, repeat.status !== 200 && `Mailgun's own repeat: ${repeat.status}`);
    const fresh = await post("complained", "c", signed(secrets.mailgunKey));
    it.add(`${fresh.status} fresh`);
    if ((await complaints()) !== 1) it.fault("a token of its own did not take effect: the control");
    return it;
  },
};

const mailTokens: Attack = {
  family,
  name: "tokens of mails: forged, cut, of another purpose",
  expected: "no redirect, no unsubscribe, no open",
  short: true,
  async run(stage) {
    const it = tally();
    const before = await suppressed(stage);
    const id = await sentMail(stage, "smtp-ours", "tokens@example.com");
    const path = (await stage.seenByPeers()).returnPaths.at(-1) ?? "";
    const token = /^b\+([^@]+)@/.exec(path)?.[1];
    if (token === undefined) throw new Error(`no token in ${path}`);
    const target = Buffer.from("https://evil.example/").toString("base64url");
    const forms = [
      token,
      token.toUpperCase(),
      `${token}${target}`,
      token.slice(0, -1),
      `${token}x`,
      "1".repeat(53),
      `1${id.slice(4)}${"0".repeat(26)}${target}`,
      "%00",
      "..%2f..",
      "x".repeat(4_000),
    ];
    for (const form of forms) {
      for (const path of ["/t/o/", "/t/c/", "/u/"]) {
        for (const method of path === "/u/" ? ["GET", "POST"] : ["GET"]) {
          const { status, headers } = await stage.ask({ method, path: path + form });
          const redirected = status >= 300 && status < 400;
          it.add(
            status,
            (redirected || status >= 500) &&
              `${method} ${path}${form.slice(0, 60)}: ${status} ${headers.location ?? ""}`,
          );
        }
      }
    }
    const { data } = jsonOf(
      await stage.ask({ path: `/api/get/email/${id}`, headers: apiKey(secrets.ourKey) }),
    );
    if (data.opened_at !== null || data.open_count > 0) it.fault("a forged token opened a mail");
    if ((await suppressed(stage)) !== before) it.fault("a forged token unsubscribed a recipient");
    return it;
  },
};

export const callbackAttacks: readonly Attack[] = [forged, large, reused, mailTokens];
