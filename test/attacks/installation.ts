// What the attacked installation has: two accounts, ours (the attacker's own, and the well-behaved client's) and theirs,
// with a gateway of every kind, pools with hostile, sick and well members, and tokens of each role.

import { hostileAnswers } from "./hostile-answers.ts";
import type { PeersReady } from "./peers-process.ts";

const padded = (start: string, fill: string) => start.padEnd(40, fill);
export const secrets = {
  ourKey: padded("tl_", "a"),
  theirKey: padded("tl_", "b"),
  poolKey: padded("tlp_", "a"),
  theirPoolKey: padded("tlp_", "b"),
  operator: padded("tlm_", "o"),
  member: padded("tlm_", "m"),
  theirMember: padded("tlm_", "n"),
  callbackToken: padded("callback-", "c"),
  mailgunKey: padded("mailgun-signing-", "k"),
  theirMailgunKey: padded("mailgun-signing-", "t"),
  hookKey: "hook-of-Ours-4711-xyz-0815-abcdefghijklmn",
  memberKey: padded("sk-member-", "s"),
} as const;

export const bearer = (token: string) => [["Authorization", `Bearer ${token}`]] as const;
export const apiKey = (key: string) => [["Api-key", key]] as const;

/** Gateways of ours that take callbacks, by kind. */
export const callbackGateways = {
  "http-api": "http-ours",
  twilio: "twilio-ours",
  smtp: "smtp-ours",
  ses: "ses-ours",
  sendgrid: "sendgrid-ours",
  mailgun: "mailgun-ours",
  postmark: "postmark-ours",
  resend: "resend-ours",
  brevo: "brevo-ours",
} as const;

/** Answers of the hostile provider that the SMS API at `/sms/{name}` gives as well; each has a gateway `http-{name}`. */
export const hostileSms = ["one-byte-chunks", "many-values", "endless-text", "header-flood", "endless-1xx"];

export function provisioning(peers: PeersReady & { address: string }): object {
  const base = `http://${peers.address}:${peers.httpPort}`;
  const httpApi = (path: string) => ({
    url: `${base}${path}`,
    body: { to: "{{to}}", text: "{{message}}", id: "{{id}}" },
    success: { status: "2xx", reference: "$.id" },
    timeout_ms: 5000,
    callback: { token: secrets.callbackToken, reference: "$.id", status: "$.state", delivered: ["DELIVRD"] },
  });
  const gateway = (
    identifier: string,
    channel: string,
    kind: string,
    settings: object,
    more: object = {},
  ) => ({
    identifier,
    channel,
    kind,
    active: true,
    settings,
    ...more,
  });
  const from = { from: "news@mg.test" };
  const token = { callback_token: secrets.callbackToken };
  const mailgun = (key: string) => ({
    ...from,
    domain: "mg.test",
    api_key: "key",
    webhook_signing_key: key,
    base_url: base,
  });
  const ours = [
    gateway("sms-ours", "sms", "sandbox", {}, { default: true, pace: { concurrency: 64 } }),
    gateway("mail-ours", "email", "sandbox", {}, { default: true }),
    gateway("http-ours", "sms", "http-api", httpApi("/hook")),
    gateway("twilio-ours", "sms", "twilio", {
      account_sid: `AC${"0".repeat(32)}`,
      auth_token: secrets.callbackToken,
      from: "+15005550006",
      base_url: base,
    }),
    gateway("smtp-ours", "email", "smtp", {
      host: peers.address,
      port: peers.smtpPort,
      security: "none",
      from: "news@ours.test",
      return_path_domain: "bounces.ours.test",
      tracking: { opens: true, clicks: true },
      unsubscribe: true,
      ...token,
    }),
    gateway("ses-ours", "email", "ses", {
      ...from,
      region: "eu-central-1",
      access_key_id: "AKIAXXXXXXXXXXXXXXXX",
      secret_access_key: "secret",
      topic_arn: "arn:aws:sns:eu-central-1:123456789012:trunkline",
      base_url: base,
    }),
    gateway("sendgrid-ours", "email", "sendgrid", { ...from, api_key: "key", base_url: base }),
    gateway("mailgun-ours", "email", "mailgun", mailgun(secrets.mailgunKey)),
    gateway("postmark-ours", "email", "postmark", { ...from, server_token: "key", ...token, base_url: base }),
    gateway("resend-ours", "email", "resend", {
      ...from,
      api_key: "key",
      webhook_secret: `whsec_${Buffer.from("r".repeat(32)).toString("base64")}`,
      base_url: base,
    }),
    gateway("brevo-ours", "email", "brevo", { ...from, api_key: "key", ...token, base_url: base }),
    ...hostileSms.map((name) => gateway(`http-${name}`, "sms", "http-api", httpApi(`/sms/${name}`))),
  ];
  return {
    management_tokens: [
      { name: "operator", token: secrets.operator, role: "operator" },
      { name: "ours", token: secrets.member, role: "member", account: "ours" },
      { name: "theirs", token: secrets.theirMember, role: "member", account: "theirs" },
    ],
    accounts: [
      {
        name: "ours",
        country: "DE",
        api_key: secrets.ourKey,
        gateways: ours,
        hooks: [
          {
            name: "alerts-ours",
            key: secrets.hookKey,
            channel: "sms",
            to: ["+4915123456789"],
            message: "{{title}}",
            per_minute: 600,
          },
        ],
        webhooks: [{ url: `${base}/hook`, events: ["gateway.*"] }],
        pools: pools(base),
      },
      {
        name: "theirs",
        country: "DE",
        api_key: secrets.theirKey,
        gateways: [
          gateway("sms-theirs", "sms", "sandbox", {}, { default: true }),
          gateway("mailgun-theirs", "email", "mailgun", mailgun(secrets.theirMailgunKey)),
        ],
        sending_domains: [{ domain: "theirs.test" }],
        webhooks: [{ url: `${base}/hook`, events: ["*"] }],
        pools: [
          {
            name: "default",
            members: [{ name: "one", kind: "sandbox", models: ["echo"] }],
            keys: [{ name: "app", key: secrets.theirPoolKey }],
          },
        ],
      },
    ],
  };
}

/** The patience of members here: a silent one costs a test no minutes. */
const timeouts = {
  connect_ms: 2000,
  headers_ms: 3000,
  first_token_ms: 3000,
  idle_ms: 3000,
  thinking_ms: 3000,
  total_ms: 20_000,
};

/** One key each, by the pool's name. */
export const poolKeyOf = (pool: string) => (pool === "echo" ? secrets.poolKey : padded(`tlp_${pool}_`, "p"));

function pools(base: string): object[] {
  const member = (name: string, models: string[], more: object = {}) => ({
    name,
    kind: "openai-compatible",
    models,
    settings: { base_url: `${base}/v1`, api_key: secrets.memberKey },
    timeouts,
    ...more,
  });
  const pool = (name: string, members: object[]) => ({
    name,
    members,
    keys: [{ name: "app", key: poolKeyOf(name) }],
  });
  return [
    pool("echo", [{ name: "one", kind: "sandbox", models: ["echo"] }]),
    // A pool for each, so that the rest of one hides nothing of another.
    ...Object.keys(hostileAnswers).map((name) => pool(name, [member("hostile", [name])])),
    pool("shared", [member("only", ["either"])]),
    ...(["sick", "mute"] as const).map((name) =>
      pool(name, [
        member(`${name}-1`, [name], {
          priority: 1,
          timeouts: { ...timeouts, first_token_ms: 1000, headers_ms: 1000 },
        }),
        member(`${name}-2`, [name], {
          priority: 2,
          timeouts: { ...timeouts, first_token_ms: 1000, headers_ms: 1000 },
        }),
        // However slow the machine is.
        member("well", ["well"], { priority: 3, timeouts: {} }),
      ]),
    ),
  ];
}
