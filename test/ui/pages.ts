// An installation in which every page has something to show, and the paths of all pages.

import assert from "node:assert/strict";
import type { Visit } from "./browser.ts";

export interface Furnished {
  account: string;
  message: string;
  webhook: string;
  delivery: string;
  pool: string;
  call: string;
  member: string;
  domain: string;
  hook: string;
}

interface Answer {
  status: number;
  body: { data: Record<string, string> & Record<string, string>[] };
}

/** Calls the management API in the session of the browser, as a page's own scripts would. */
export async function api(
  { url, context }: Visit,
  method: string,
  path: string,
  payload?: object,
): Promise<Answer> {
  const base = `${url}/api/manage/v1`;
  const session = await (await context.request.get(`${base}/session`)).json();
  // The clock does not move while a test waits for an answer.
  const data = /\/gateways\/[^/]+\/test$/.test(path) ? { ...payload, wait_ms: 0 } : payload;
  const reply = await context.request.fetch(`${base}${path}`, {
    method,
    headers: { origin: url, "x-csrf-token": session.data.csrf_token },
    ...(data === undefined ? {} : { data }),
  });
  return { status: reply.status(), body: reply.status() === 204 ? null : await reply.json() };
}

/** A pool with one sandbox member and a key `shop`. `settings`: those of the pool. */
export async function sandboxPool(visit: Visit, settings: object): Promise<{ path: string; key: string }> {
  const account = (await api(visit, "GET", "/accounts")).body.data[0]?.id ?? "";
  const pools = `/accounts/${account}/pools`;
  const pool = (await api(visit, "POST", pools, { name: "chat", ...settings })).body.data.id ?? "";
  await api(visit, "POST", `${pools}/${pool}/members`, { name: "box", kind: "sandbox", models: ["echo"] });
  const key = String((await api(visit, "POST", `${pools}/${pool}/keys`, { name: "shop" })).body.data.key);
  return { path: `${visit.url}/a/${account}/pools/${pool}`, key };
}

/** Asks with a pool's key, as often as that, and waits until the calls are recorded. `model` null: the request names none. */
export async function ask(
  visit: Visit,
  key: string,
  model: string | null,
  times = 1,
  { headers = {}, content = "hello" }: { headers?: Record<string, string>; content?: string } = {},
): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    const called = fetch(`${visit.url}/api/ai/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({
        ...(model === null ? {} : { model }),
        messages: [{ role: "user", content }],
      }),
    });
    let isDone = false;
    void called.finally(() => {
      isDone = true;
    });
    while (!isDone) await visit.it.advance(500);
    await (await called).arrayBuffer();
    assert.equal((await called).status, 200);
  }
  // Calls are written together, shortly after.
  await visit.it.advance(3_000);
}

/** Makes a key of the pool, and a call that fails over. */
async function callOnce(visit: Visit, pool: string): Promise<void> {
  const member = { name: "openai-eu-west", kind: "sandbox", models: ["failing"], priority: 0 };
  await api(visit, "POST", `${pool}/members`, member);
  const made = await api(visit, "POST", `${pool}/keys`, {
    name: "customersupport_application_production",
    models: ["provider/a_model_with_a_long_name_20260101", "echo"],
    limits: { requests_per_minute: 600, concurrency: 8 },
    budget: { tokens_per_day: 100, cost_per_month: 20 },
  });
  await ask(visit, String(made.body.data.key), "echo");
}

/** Sends messages that end in every way, and makes one of each thing. */
export async function furnish(it: Visit): Promise<Furnished> {
  const accounts = await api(it, "GET", "/accounts");
  const account = accounts.body.data[0]?.id ?? "";
  const gateways = await api(it, "GET", `/accounts/${account}/gateways`);
  const sms = gateways.body.data.find(({ channel }) => channel === "sms")?.identifier ?? "";
  const sent: string[] = [];
  for (const end of ["1", "2", "3", "4", "5", "1"]) {
    const test = await api(it, "POST", `/accounts/${account}/gateways/${sms}/test`, {
      to: `+1555000000${end}`,
      message: "Your table for two at 19:00 is confirmed. Reply STOP to end these messages.",
    });
    sent.push(test.body.data.id ?? "");
  }
  await api(it, "POST", `/accounts/${account}/gateways`, {
    identifier: "phone",
    channel: "sms",
    kind: "android",
  });
  const domain = await api(it, "POST", `/accounts/${account}/sending-domains`, { domain: "acme.example" });
  const hook = await api(it, "POST", `/accounts/${account}/hooks`, {
    name: "alerts_of_the_production_cluster_in_the_second_data_centre",
    preset: "alertmanager",
    channel: "email",
    to: ["christiane.altenhofenmustermann@customersupport.acme.example", "ops@acme.example"],
  });
  await api(it, "POST", `/accounts/${account}/suppressions`, {
    channel: "sms",
    recipients: ["+15550000009"],
    note: "asked on the phone",
  });
  const webhook = await api(it, "POST", `/accounts/${account}/webhooks`, {
    url: "https://app.acme.example/hooks/trunkline/production/messages_of_customer_support",
    events: ["message.queued", "message.sent", "message.delivered", "message.undelivered", "message.failed"],
  });
  const keys = `/accounts/${account}/api-keys`;
  const key = await api(it, "POST", keys, {
    name: "customersupport_application_production",
    scopes: ["send:sms", "send:whatsapp", "send:email", "read"],
    gateways: ["sandbox-sms", "sandbox-email"],
    requests_per_minute: 600,
    expires_at: "2027-01-01T00:00:00Z",
  });
  await api(it, "POST", `${keys}/${key.body.data.id}/rotate`, { old_works_hours: 24 });
  const old = await api(it, "POST", keys, { name: "old-shop", scopes: ["read"] });
  await api(it, "DELETE", `${keys}/${old.body.data.id}`);
  const webhookId = webhook.body.data.id ?? "";
  it.it.respond(() => ({ kind: "answer", status: 500, headers: {}, body: Buffer.from("broken") }));
  await api(it, "POST", `/accounts/${account}/webhooks/${webhookId}/test`);
  await it.it.advance(120_000);
  const deliveries = await api(it, "GET", `/accounts/${account}/webhooks/${webhookId}/deliveries`);
  const pools = await api(it, "GET", `/accounts/${account}/pools`);
  const pool = pools.body.data[0]?.id ?? "";
  const members = await api(it, "GET", `/accounts/${account}/pools/${pool}/members`);
  await callOnce(it, `/accounts/${account}/pools/${pool}`);
  const calls = await api(it, "GET", `/accounts/${account}/pools/${pool}/calls`);
  await api(it, "POST", "/users", {
    email: "christiane.altenhofenmustermann@customersupport.acme.example",
    name: "Christiane Altenhofen-Mustermann",
    role: "member",
    account,
  });
  return {
    account,
    message: sent[3] ?? "",
    webhook: webhookId,
    delivery: deliveries.body.data[0]?.id ?? "",
    pool,
    call: calls.body.data[0]?.id ?? "",
    member: members.body.data[0]?.id ?? "",
    domain: domain.body.data.id ?? "",
    hook: hook.body.data.id ?? "",
  };
}

/** Every page that the navigation leads to, by a name for its picture. */
export function pathsOf(of: Furnished): Record<string, string> {
  const a = `/a/${of.account}`;
  const pool = `${a}/pools/${of.pool}`;
  const webhook = `${a}/webhooks/${of.webhook}`;
  return {
    overview: a,
    send: `${a}/send`,
    messages: `${a}/messages`,
    message: `${a}/messages/${of.message}`,
    scheduled: `${a}/scheduled`,
    gateways: `${a}/gateways`,
    gateway: `${a}/gateways/sandbox-sms`,
    "gateway-new": `${a}/gateways/new?channel=sms&kind=http-api`,
    "gateway-settings": `${a}/gateways/sandbox-sms/settings`,
    "gateway-link": `${a}/gateways/phone/link`,
    pools: `${a}/pools`,
    pool,
    "pool-calls": `${pool}/calls`,
    call: `${pool}/calls/${of.call}`,
    "pool-usage": `${pool}/usage`,
    "pool-keys": `${pool}/keys`,
    "pool-playground": `${pool}/playground`,
    "pool-settings": `${pool}/settings`,
    "member-new": `${pool}/members/new`,
    member: `${pool}/members/${of.member}`,
    inbox: `${a}/inbox`,
    person: `${a}/people/%2B15550000001`,
    domains: `${a}/domains`,
    domain: `${a}/domains/${of.domain}`,
    suppressions: `${a}/suppressions`,
    credit: `${a}/credit`,
    audit: `${a}/audit`,
    connect: `${a}/connect`,
    "api-keys": `${a}/api-keys`,
    settings: `${a}/settings`,
    accounts: "/accounts",
    users: "/users",
    tokens: "/tokens",
    "audit-all": "/audit",
    installation: "/installation",
    hooks: `${a}/hooks`,
    hook: `${a}/hooks/${of.hook}`,
    webhooks: `${a}/webhooks`,
    webhook,
    delivery: `${webhook}/deliveries/${of.delivery}`,
  };
}
