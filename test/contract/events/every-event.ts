// One run of a whole system in which each kind of event happens, as its webhook endpoint gets them.

import assert from "node:assert/strict";
import type { PostedType } from "#contract/events/shapes.ts";
import { recordSession } from "#store/gateways/sessions.ts";
import { noteReceiptsUnmatched } from "#store/gateways/unmatched-receipts.ts";
import { defer } from "../../ai/deferred/story.ts";
import { ask, keyText, makePool, sandboxMember } from "../../ai/pooled.ts";
import {
  bounce,
  callbackToken,
  called,
  event,
  serverToken,
} from "../../gateways/email/postmark/postmark-example.ts";
import { type Harness, harness } from "../../harness.ts";
import { bearer, manage, tokenFor } from "../../http/managing.ts";
import { inject } from "../../inject.ts";
import { linkCode } from "../../phones/phone-world.ts";
import { SimulatedPhone } from "../../phones/simulated-phone.ts";
import { answer, provider } from "../../scenarios/provider.ts";
import { hook, listen, posts, says } from "../../scenarios/receiver.ts";

export interface Posted {
  type: PostedType;
  timestamp: string;
  data: Record<string, unknown>;
}

interface Place {
  it: Harness;
  accountId: string;
  endpointId: string;
  ask(method: "GET" | "POST" | "DELETE" | "PATCH", path: string, body?: object): Promise<unknown>;
  /** Mails that went out, as the provider got them. */
  mails: { HtmlBody: string }[];
}

const pause = 10_000;

/** Every event of the run, in the order in which they were posted. */
export async function everyEvent(): Promise<Posted[]> {
  const mails: Place["mails"] = [];
  const it = await harness({
    seed: 1,
    respond: (request) => {
      if (request.url === hook) return says(204);
      mails.push(JSON.parse(String(request.body)));
      return answer(200, { ErrorCode: 0, MessageID: `p-${mails.length}`, Message: "OK" });
    },
  });
  try {
    const { id: accountId } = await it.account({ time_zone: "Europe/Berlin", country: "DE" });
    const endpointId = await listen(it, accountId, { events: ["*"] });
    const headers = bearer(await tokenFor(it));
    const place: Place = {
      it,
      accountId,
      endpointId,
      mails,
      ask: async (method, path, body) => {
        const reply = await manage(it, method, `/accounts/${accountId}${path}`, {
          headers,
          ...(body === undefined ? {} : { body }),
        });
        assert.ok(reply.statusCode < 300, `${method} ${path}: ${reply.body}`);
        await it.settle();
        return reply.body === "" ? null : reply.json().data;
      },
    };
    for (const part of [texts, trouble, whatsapp, mailsOut, gateways, models, credit, ofTheEndpoint]) {
      await part(place);
      await it.advance(pause);
    }
    return posts(it).map(({ type, timestamp, data }) => ({
      type: type as PostedType,
      timestamp,
      data: data as object as Posted["data"],
    }));
  } finally {
    await it.close();
  }
}

const message = "Your parcel is here.";

/** SMS: delivered, and each other end that one has. */
async function texts({ it, ask: manages }: Place): Promise<void> {
  await it.gateway({ identifier: "sms-main", default: true });
  await it.accepted([{ number: "0151 23450001", message }]);
  await it.advance(pause);
  for (const end of ["0002", "0003", "0005"]) await it.accepted([{ number: `0151 2345${end}`, message }]);
  await it.advance(pause);
  const [later] = await it.accepted([
    { number: "0151 23450001", message, schedule_at: "2026-02-01 09:00:00" },
  ]);
  await it.advance(pause);
  assert.equal((await it.post(`/api/cancel/sms/${later}`)).statusCode, 200);
  await manages("POST", "/suppressions", { channel: "sms", recipients: ["0151 23450009"] });
  await it.accepted([{ number: "0151 23450009", message }]);
}

/** A gateway that pauses, and a message that was due too long ago when it goes on. */
async function trouble({ it, ask: manages }: Place): Promise<void> {
  await manages("POST", "/gateways/sms-main/pause", { reason: "The contract is being renewed." });
  await it.accepted([{ number: "0151 23450001", message }]);
  await it.advance(73 * 3_600_000);
  await manages("POST", "/gateways/sms-main/resume");
}

/** A WhatsApp message that is read, and a list that is answered. */
async function whatsapp({ it }: Place): Promise<void> {
  await it.gateway({ identifier: "whatsapp-main", channel: "whatsapp", default: true });
  const sections = [
    { title: null, rows: [{ id: "morning", title: "In the morning", description: "8 to 12" }] },
  ];
  const send = async (path: string, contact: object) => {
    const reply = await it.post(path, { contact: [contact] });
    assert.equal(reply.statusCode, 200, reply.body);
    await it.advance(pause);
  };
  await send("/api/whatsapp/send", { number: "0151 23450008", message });
  await send("/api/whatsapp/send-list", {
    number: "0151 23450007",
    message: "When shall we come?",
    button: "Choose",
    sections,
  });
}

/** Mails: one that bounces, one to several of whom one bounces, and one that is opened, followed and complained about. */
async function mailsOut({ it, mails }: Place): Promise<void> {
  const send = async (email: string, gateway_identifier: string, more = {}) => {
    const contact = {
      email,
      subject: "Your parcel",
      message: '<p>It is <a href="https://shop.example/parcels/1">here</a>.</p>',
      gateway_identifier,
      ...more,
    };
    const reply = await it.post("/api/email/send", { contact: [contact] });
    assert.equal(reply.statusCode, 200, reply.body);
    await it.advance(60_000);
  };
  await it.gateway({ identifier: "email-test", channel: "email" });
  await send("bounced@example.com", "email-test");
  await it.gateway({
    identifier: "email-main",
    channel: "email",
    kind: "postmark",
    default: true,
    settings: {
      from: "parcels@acme.example",
      server_token: serverToken,
      callback_token: callbackToken,
      tracking: { opens: true, clicks: true },
      unsubscribe: true,
    },
  });
  await send("ada@example.com", "email-main");
  const html = mails.at(-1)?.HtmlBody ?? "";
  for (const pattern of [/<img src="([^"]+)"/, /<a href="([^"]+)"/]) {
    const { pathname } = new URL(pattern.exec(html)?.[1] ?? assert.fail(String(pattern)));
    await inject(it.system.app, { url: pathname, headers: { "user-agent": "Thunderbird" } });
    await it.advance(pause);
  }
  const report = async (gateway: string, payload: object) => {
    const { body, headers } = called(payload);
    const url = `/callbacks/${gateway}?token=${callbackToken}`;
    const answer = await inject(it.system.app, { method: "POST", url, headers, payload: body });
    assert.equal(answer.statusCode, 200, answer.body);
  };
  const about = () => ({ MessageID: `p-${mails.length}`, Metadata: {} });
  await report("email-main", event("SpamComplaint", "BouncedAt", about()));
  await it.gateway({
    identifier: "email-plain",
    channel: "email",
    kind: "postmark",
    settings: { from: "parcels@acme.example", server_token: serverToken, callback_token: callbackToken },
  });
  await send("bob@example.com", "email-plain", { cc: ["carol@example.com"] });
  await report("email-plain", bounce("HardBounce", { ...about(), Recipient: "carol@example.com" }));
}

/** A phone that is linked and unlinked; and a linked device, whose library only its own tests have. */
async function gateways({ it, accountId, ask: manages }: Place): Promise<void> {
  await it.gateway({ identifier: "office-phone", kind: "android" });
  const phone = new SimulatedPhone("office-phone", () => it, []);
  assert.equal(await phone.registerByCode(await linkCode(it, accountId, "office-phone")), 201);
  await phone.start();
  await it.advance(pause);
  await manages("DELETE", "/gateways/office-phone/link");
  await it.advance(pause);
  const gatewayId = await it.gateway({
    identifier: "whatsapp-phone",
    channel: "whatsapp",
    kind: "whatsapp-linked",
    settings: { accept_risk: true },
  });
  await it.advance(pause);
  const record = async (input: Omit<Parameters<typeof recordSession.run>[1], "fence">) => {
    // The lane was opened a few times at most.
    for (let fence = 1; fence <= 10; fence++)
      if (await it.system.database.run(recordSession, { fence, ...input })) return;
    assert.fail("The lane has another fence.");
  };
  const device = { number: "4915199990000", name: "Acme" };
  for (const [status, details, reason] of [
    ["connected", { state: "open", device, limitedUntil: null }, null],
    [
      "disconnected",
      { state: "limited", device, limitedUntil: it.clock.now() + 3_600_000 },
      "WhatsApp restricts the number.",
    ],
    [
      "disconnected",
      { state: "outdated", device, limitedUntil: null },
      "WhatsApp refuses this version of the library.",
    ],
  ] as const) {
    const session = {
      gateway_id: gatewayId,
      status,
      reason,
      pairing: null,
      pairing_expires_at: null,
      changed_at: it.clock.now(),
      details: JSON.stringify(details),
    };
    const eventId = it.system.core.newId("gw");
    await record({ linked: true, eventId, session });
    await it.advance(pause);
  }
  await it.system.database.run(noteReceiptsUnmatched, { gatewayId, at: it.clock.now() });
}

/** A deferred completion, a member that is down and comes back, and a budget that runs low. */
async function models({ it, accountId }: Place): Promise<void> {
  const members = [
    { ...sandboxMember, name: "primary" },
    { ...sandboxMember, name: "backup", priority: 2 },
  ];
  const keys = [{ name: "app", key: keyText, budget: { tokens_per_day: 50 } }];
  await makePool(it, { name: "assistants", members, keys }, accountId);
  await defer(it);
  await it.advance(pause);
  for (let i = 0; i < 6; i++) {
    const failing = ask(it, { model: "failing" });
    await it.advance(pause);
    await failing;
  }
  await it.advance(120_000);
  for (let i = 0; i < 6; i++) {
    await ask(it);
    await it.advance(pause);
  }
}

/** Credit that runs low. */
async function credit({ it }: Place): Promise<void> {
  await it.account({ plan: { name: "basic", credit: { sms: 20 } } });
  await it.gateway({ identifier: "sms-paid", ...provider });
  // In 19 parts.
  const long = "The terms of delivery. ".repeat(125);
  await it.accepted([{ number: "+4915123450001", message: long, gateway_identifier: "sms-paid" }]);
}

async function ofTheEndpoint({ endpointId, ask: manages }: Place): Promise<void> {
  await manages("POST", `/webhooks/${endpointId}/test`);
}
