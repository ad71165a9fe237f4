// Every route and verb of the OpenAPI document with another account's token and ids, and odd text in every part of a
// path, every query parameter and every field: nothing of another account is reached, and nothing is a 5xx.

import { clientAddress } from "./addresses.ts";
import { type Asked, jsonOf } from "./ask.ts";
import { type Attack, spread, type Tally, tally } from "./attack.ts";
import { apiKey, bearer, secrets } from "./installation.ts";
import type { Stage } from "./stage.ts";

const family = "tenancy";
type Params = Record<string, string>;
type Headers = NonNullable<Asked["headers"]>;

interface Operation {
  name: string;
  method: string;
  path: string;
  query: string[];
  /** Names of the fields of its JSON body that are text. */
  texts: string[];
  hasBody: boolean;
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters?: { in: string; name: string }[];
        requestBody?: {
          content?: Record<string, { schema?: { properties?: Record<string, { type?: string }> } }>;
        };
      }
    >
  >;
}

async function operationsOf(stage: Stage): Promise<Operation[]> {
  const document = JSON.parse((await stage.ask({ path: "/openapi.json" })).text) as Document;
  return Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, { operationId, parameters = [], requestBody }]) => {
      const properties = requestBody?.content?.["application/json"]?.schema?.properties ?? {};
      return {
        name: operationId,
        method: verb.toUpperCase(),
        path,
        query: parameters.filter((each) => each.in === "query").map(({ name }) => name),
        texts: Object.keys(properties).filter((name) => properties[name]?.type === "string"),
        hasBody: requestBody !== undefined,
      };
    }),
  );
}

const partsOf = ({ path }: Operation) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
const filled = (path: string, params: Params) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "none");

/** What an account has one of each of. */
async function thingsOf(stage: Stage, account: "ours" | "theirs"): Promise<Params> {
  const { id } = stage[account];
  const at = `/accounts/${id}`;
  const key = account === "ours" ? secrets.ourKey : secrets.theirKey;
  const sent = await stage.ask({
    path: "/api/sms/send",
    headers: apiKey(key),
    body: { contact: [{ number: "+15550000001", message: `of ${account}` }] },
  });
  const recipient = account === "ours" ? "+4915112345678" : "+4915187654321";
  await stage.manage("POST", `${at}/suppressions`, { channel: "sms", recipients: [recipient] });
  const webhook = (await stage.manage("GET", `${at}/webhooks`)).data[0].id;
  const event = (await stage.manage("POST", `${at}/webhooks/${webhook}/test`)).data.id;
  const pool = (await stage.manage("GET", `${at}/pools`)).data[0].id;
  const member = (await stage.manage("GET", `${at}/pools/${pool}/members`)).data[0].id;
  const poolKey = (await stage.manage("GET", `${at}/pools/${pool}/keys`)).data[0].id;
  const domains = (await stage.manage("GET", `${at}/sending-domains`)).data as { id: string }[];
  const token = (await stage.manage("GET", "/tokens")).data.find(
    ({ name }: { name: string }) => name === account,
  ).id;
  const user = await stage.manage("POST", "/users", {
    // Attacks may share a stage.
    email: `${account}-${Math.random().toString(36).slice(2)}@example.com`,
    name: account,
    role: "member",
    account: id,
    password: `the password of ${account}`,
  });
  return {
    account: id,
    channel: "sms",
    id: jsonOf(sent).data.contact[0].id,
    message: jsonOf(sent).data.contact[0].id,
    gateway: `sms-${account}`,
    recipient,
    webhook,
    event,
    pool,
    member,
    key: poolKey,
    domain: domains[0]?.id ?? "dom_none",
    token,
    user: user.data.id,
    identifier: `mailgun-${account}`,
    model: "echo",
  };
}

/** Everything of an account that its owner sees, but for what moves by itself. */
async function snapshot(stage: Stage, things: Params): Promise<string> {
  const at = `/accounts/${things.account}`;
  const pool = `${at}/pools/${things.pool}`;
  const paths = [
    at,
    `${at}/gateways`,
    `${at}/sending-domains`,
    `${at}/webhooks`,
    `${at}/suppressions`,
    pool,
    `${pool}/members`,
    `${pool}/keys`,
    `${at}/messages`,
    "/tokens",
    "/users",
  ];
  const replies: string[] = [];
  for (const path of paths) replies.push(JSON.stringify((await stage.manage("GET", path)).data));
  // When something was used last, from never on: looking at it is a use of our own token.
  return replies
    .join("\n")
    .replaceAll(/"(?:last_used_at|signed_in_at|used_at|seen_at)":(?:null|"[^"]*")/g, "");
}

const bodies: Record<string, object> = {
  updateGateway: { active: false },
  updateAccount: { name: "crossed" },
  updateWebhook: { active: false },
  updatePool: { strict_models: true },
  updatePoolMember: { weight: 7 },
  updatePoolKey: { name: "crossed" },
  updateUser: { name: "crossed" },
  grantCredit: { channel: "sms", amount: 1 },
  resolveAccountMessage: { answer: "mark_failed" },
  resolveMessage: { answer: "mark_failed" },
  testGateway: { to: "+15550000001" },
};

/** These need no account, or are asked of another family's key: they say nothing about tenancy. */
const open = /^\/(health|metrics|callbacks)|\/session$|\/setup(?:\/\w+)?$|chat\/completions|embeddings/;

const foreign: Attack = {
  family,
  name: "another account's token and ids, every route",
  expected: "401, 403 or 404; nothing of theirs changes",
  short: true,
  engines: ["sqlite", "postgres"],
  async run(stage) {
    const it = tally();
    const operations = (await operationsOf(stage)).filter(({ path }) => !open.test(path));
    const ours = await thingsOf(stage, "ours");
    const theirs = await thingsOf(stage, "theirs");
    // Their message is on its way for a moment.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = await snapshot(stage, theirs);
    const asks: { label: string; asked: Asked; refused: readonly number[] }[] = [];
    for (const operation of operations) {
      const { path, method, name } = operation;
      const managed = path.startsWith("/api/manage/");
      const named = partsOf(operation).filter((part) => !["account", "channel", "model"].includes(part));
      const add = (label: string, params: Params, headers: Headers, refused: readonly number[]) =>
        asks.push({
          label: `${label} ${method} ${path}`,
          asked: {
            method,
            path: filled(path, params),
            headers,
            ...(from === undefined || !managed ? {} : { from }),
            ...(method === "GET" || method === "DELETE" ? {} : { body: bodies[name] ?? {} }),
          },
          refused,
        });
      // Wrong credentials come from a network of their own each, where there is more than one: 60 a minute are judged.
      const from = clientAddress(asks.length % 200);
      const none = from === undefined ? [401, 403, 404, 429] : [401, 403, 404];
      if (managed) {
        add("without a token", theirs, [], none);
        add("with an API key", theirs, bearer(secrets.ourKey), none);
        add("with a pool key", theirs, bearer(secrets.poolKey), none);
        if (path.includes("{account}")) {
          add("their account", theirs, bearer(secrets.member), none);
          add(
            "no such account",
            { ...theirs, account: `acc_${"0".repeat(26)}` },
            bearer(secrets.member),
            none,
          );
          add("odd account", { ...theirs, account: "..%2f..%2faccounts" }, bearer(secrets.member), none);
          for (const part of named)
            add(`their ${part}`, { ...ours, [part]: theirs[part] ?? "none" }, bearer(secrets.member), [
              ...none,
              422,
              409,
            ]);
          if (named.length > 1)
            add("theirs in our account", { ...theirs, account: ours.account! }, bearer(secrets.member), [
              ...none,
              422,
              409,
            ]);
        } else if (/^\/api\/manage\/v1\/(installation|users|tokens|audit|accounts)/.test(path)) {
          // What an operator manages; a member sees its own account in the list of accounts.
          if (name !== "listAccounts") add("a member", theirs, bearer(secrets.member), none);
        }
      } else {
        add("without a key", theirs, [], none);
        add("with a token", theirs, apiKey(secrets.member), none);
        if (named.length > 0) add("their", theirs, apiKey(secrets.ourKey), [...none, 422]);
      }
    }
    await spread(asks.length, 8, async (at) => {
      const { label, asked, refused } = asks[at]!;
      const { status, text } = await stage.ask(asked);
      it.add(status, !refused.includes(status) && `${label}: ${status} ${text.slice(0, 120)}`);
    });
    const after = await snapshot(stage, theirs);
    if (after !== before) it.fault(`something of theirs changed: ${firstDifference(before, after)}`);
    const listed = await stage.ask({ path: "/api/manage/v1/accounts", headers: bearer(secrets.member) });
    if (listed.text.includes(stage.theirs.id)) it.fault("a member sees another account in the list");
    return it;
  },
};

function firstDifference(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return `${one.slice(Math.max(0, at - 60), at + 60)} → ${other.slice(Math.max(0, at - 60), at + 60)}`;
}

/** Parts of URLs, as they stand there. */
const oddParts = [
  "%00",
  "a%00b",
  "%ED%A0%80",
  "%C0%AF",
  "%FF%FE",
  "%F4%90%80%80",
  "%E2%28%A1",
  "%0d%0aX:%20y",
  "%",
  "%zz",
  "x".repeat(500),
  "x".repeat(5_000),
  "__proto__",
  "constructor",
  "..%2f..%2f",
  "%7B%7B7*7%7D%7D",
  "'%20or%201=1--",
  "%F0%9F%92%A9",
  "-1",
  "99999999999999999999",
  "1e308",
  "NaN",
  "%20",
];
/** JSON texts, as they stand in JSON. */
const oddTexts = [
  "\\u0000",
  "a\\u0000b",
  "\\ud800",
  "\\udc00\\ud800",
  "\\r\\nX: y",
  "x".repeat(5_000),
  "__proto__",
  "{{7*7}}",
  "' or 1=1 --",
  "\\u202e",
];

const odd: Attack = {
  family,
  name: "odd text in every path, query and field",
  expected: "no 5xx, the same on both engines",
  short: true,
  engines: ["sqlite", "postgres"],
  async run(stage, size) {
    const it = tally();
    const whole = size === "whole";
    const values = whole ? oddParts : ["%00", "%ED%A0%80", "%C0%AF"];
    const texts = whole ? oddTexts : ["\\u0000", "\\ud800"];
    const ours = await thingsOf(stage, "ours");
    const asks: { label: string; asked: Asked }[] = [];
    for (const operation of await operationsOf(stage)) {
      const { path, method, query, texts: fields } = operation;
      const headers: Headers = path.startsWith("/api/manage/")
        ? bearer(secrets.operator)
        : path.includes("/ai/")
          ? bearer(secrets.poolKey)
          : apiKey(secrets.ourKey);
      const hasBody = method !== "GET" && method !== "DELETE";
      const add = (label: string, target: string, body?: string) =>
        asks.push({
          label: `${label} ${method} ${path}`,
          asked: {
            method,
            path: target,
            headers: [...headers, ...(hasBody ? [["Content-Type", "application/json"] as const] : [])],
            ...(hasBody ? { body: body ?? "{}" } : {}),
          },
        });
      for (const part of partsOf(operation))
        for (const value of values)
          add(`${part} ${value.slice(0, 20)}`, filled(path, { ...ours, [part]: value }));
      for (const name of query)
        for (const value of values)
          add(`${name}=${value.slice(0, 20)}`, `${filled(path, ours)}?${name}=${value}`);
      // What would end the attacker's own session, account or installation is not asked with a body that could pass.
      for (const name of fields)
        for (const value of texts)
          add(`"${name}": "${value.slice(0, 20)}"`, filled(path, ours), `{"${name}":"${value}"}`);
    }
    await spread(asks.length, 8, async (at) => {
      const { label, asked } = asks[at]!;
      const { status, text } = await stage.ask(asked);
      // 503: a gateway without a secret takes no callbacks.
      const fault =
        status === 0 || (status >= 500 && !(status === 503 && asked.path.startsWith("/callbacks/")));
      it.add(status, fault && `${label}: ${status} ${text.slice(0, 120)}`);
    });
    await oddWhole(stage, texts, it);
    return it;
  },
};

/** The fields whose faults show only in a body that is right in all else. */
async function oddWhole(stage: Stage, texts: readonly string[], it: Tally): Promise<void> {
  const at = `/api/manage/v1/accounts/${stage.ours.id}`;
  const headers: Headers = [...bearer(secrets.operator), ["Content-Type", "application/json"]];
  const own: Headers = [...apiKey(secrets.ourKey), ["Content-Type", "application/json"]];
  for (const text of texts) {
    const bodies: [method: string, path: string, headers: Headers, body: string][] = [
      ["POST", "/api/manage/v1/accounts", headers, `{"name":"n${text}"}`],
      ["PATCH", at, headers, `{"plan":{"name":"p${text}"}}`],
      ["POST", "/api/manage/v1/tokens", headers, `{"name":"n${text}","role":"operator"}`],
      ["POST", `${at}/suppressions`, headers, `{"channel":"sms","recipients":["+4915112345679${text}"]}`],
      [
        "POST",
        `${at}/suppressions`,
        headers,
        `{"channel":"sms","recipients":["+4915112345679"],"note":"n${text}"}`,
      ],
      ["POST", `${at}/pools`, headers, `{"name":"p${text}"}`],
      ["POST", `${at}/webhooks`, headers, `{"url":"https://example.com/${text}"}`],
      ["POST", `${at}/sending-domains`, headers, `{"domain":"a${text}.example.com"}`],
      ["POST", "/api/sms/send", own, `{"contact":[{"number":"+15550000001","message":"m${text}"}]}`],
      [
        "POST",
        "/api/sms/send",
        own,
        `{"contact":[{"number":"+15550000001","message":"m","gateway_identifier":"g${text}"}]}`,
      ],
      [
        "POST",
        "/api/email/send",
        own,
        `{"contact":[{"email":"a@example.com","subject":"s${text}","message":"m","sender_name":"x${text}"}]}`,
      ],
    ];
    for (const [method, path, sentHeaders, body] of bodies) {
      const { status, text: answerText } = await stage.ask({ method, path, headers: sentHeaders, body });
      it.add(
        status,
        (status === 0 || status >= 500) && `${method} ${path} ${body}: ${status} ${answerText.slice(0, 120)}`,
      );
    }
  }
}

export const tenancyAttacks: readonly Attack[] = [foreign, odd];
