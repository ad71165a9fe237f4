// The vendors that the demo's gateways and pools call, and the shop's webhook endpoints: answered inside the process, so that nothing of the
// demo leaves the machine. What becomes of a message is drawn, mostly well.

import type { SessionReport } from "#gateways/session.ts";
import type { BodyReader, StreamingClient } from "#runtime/net/streaming-client.ts";
import type { Clock, Dns, Outbound, OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { gateways, models, webhookHosts } from "./installation.ts";
import { answers, between, type Draw, pick, seeded } from "./words.ts";

export interface Vendors {
  outbound: Outbound;
  upstreams: StreamingClient;
  dns: Dns;
  /** From here on the gateway for campaigns is refused, one webhook endpoint fails, and one AI vendor is overloaded. */
  fail(): void;
}

interface VendorsOptions {
  clock: Clock;
  /** Takes what a gateway's vendor reports later. */
  report(gateway: string, report: SessionReport): Promise<void>;
}

const json = (status: number, value: object): OutboundResult => ({
  kind: "answer",
  status,
  headers: { "content-type": "application/json" },
  body: Buffer.from(JSON.stringify(value)),
});

const minuteMs = 60_000;

const hex = (draw: Draw, digits: number) =>
  Array.from({ length: digits }, () => Math.floor(draw() * 16).toString(16)).join("");

/**
 * By the request, without our ids, and its time: the same for the same traffic in any order. 32-bit FNV-1a.
 */
function drawFor(now: number, url: string, body: OutboundRequest["body"] | null): Draw {
  let hash = 0x811c9dc5;
  const written = String(body).replace(/msg_\w+|StatusCallback=[^&]*/g, "");
  for (const byte of Buffer.from(`${now} ${url} ${written}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  const draw = seeded(hash);
  // The first number of near seeds is near.
  for (let turn = 0; turn < 8; turn++) draw();
  return draw;
}

export function createVendors({ clock, report }: VendorsOptions): Vendors {
  let failing = false;

  /** What each gateway's vendor reports next, by gateway and time. */
  const waiting = new Map<string, Required<Pick<SessionReport, "receipts" | "inbound" | "engagements">>>();

  /** Reports in at least `ms`, together with what else is due then. A report that finds the service stopped is lost. */
  const later = async (gateway: string, ms: number, what: SessionReport): Promise<void> => {
    const every = ms < minuteMs ? 10_000 : 10 * minuteMs;
    const due = Math.ceil((clock.now() + ms) / every) * every;
    const name = `${gateway} ${due}`;
    const { receipts = [], inbound = [], engagements = [] } = what;
    const before = waiting.get(name);
    waiting.set(name, {
      receipts: [...(before?.receipts ?? []), ...receipts],
      inbound: [...(before?.inbound ?? []), ...inbound],
      engagements: [...(before?.engagements ?? []), ...engagements],
    });
    if (before !== undefined) return;
    await clock.sleep(due - clock.now());
    const all = waiting.get(name);
    waiting.delete(name);
    if (all !== undefined) await report(gateway, all).catch(() => {});
  };

  function twilio(draw: Draw, request: OutboundRequest): OutboundResult {
    const form = new URLSearchParams(String(request.body));
    const isCampaign = form.get("From") === "+447700900100";
    if (isCampaign && failing) return json(401, { code: 20003, message: "Authenticate" });
    const fate = draw();
    if (fate < 0.008) return json(400, { code: 21614, message: "'To' number is not a valid mobile number" });
    if (fate < 0.016) return json(429, { code: 20429, message: "Too Many Requests" });
    if (fate < 0.02) return { kind: "no_answer", reason: "The connection was closed before an answer." };
    const reference = `SM${hex(draw, 32)}`;
    const delivered = { reference, status: "delivered" } as const;
    const lost = {
      reference,
      status: "undelivered",
      code: "30003",
      reason: "The phone is switched off or out of reach.",
    } as const;
    void later(isCampaign ? gateways.campaigns : gateways.sms, between(draw, 1_500, 9_000), {
      receipts: [fate < 0.035 ? lost : delivered],
    });
    return json(201, { sid: reference, status: "queued" });
  }

  function whatsapp(draw: Draw, request: OutboundRequest): OutboundResult {
    const to = (JSON.parse(String(request.body)) as { to?: string }).to ?? "";
    const reference = `wamid.${hex(draw, 40)}`;
    const gateway = gateways.whatsapp;
    const seen = between(draw, 1_000, 4_000);
    void later(gateway, seen, { receipts: [{ reference, status: "delivered" }] });
    if (draw() < 0.7)
      void later(gateway, seen + between(draw, 20_000, 900_000), {
        receipts: [{ reference, status: "read" }],
      });
    if (draw() < 0.12) {
      const answer = {
        reference: `wamid.${hex(draw, 40)}`,
        replyTo: reference,
        from: to.startsWith("+") ? to : `+${to}`,
        to: "+447700900200",
        message: pick(draw, answers),
        media: [],
      };
      void later(gateway, seen + between(draw, 60_000, 1_200_000), { inbound: [answer] });
    }
    return json(200, {
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: reference }],
    });
  }

  function postmark(draw: Draw): OutboundResult {
    const reference = `${hex(draw, 8)}-${hex(draw, 4)}-${hex(draw, 4)}-${hex(draw, 4)}-${hex(draw, 12)}`;
    const gateway = gateways.email;
    const arrived = between(draw, 2_000, 15_000);
    if (draw() < 0.015) {
      const reason = "smtp;550 5.1.1 The email account that you tried to reach does not exist.";
      void later(gateway, arrived, {
        receipts: [{ reference, status: "bounced", bounce: "hard", reason }],
      });
    } else {
      void later(gateway, arrived, { receipts: [{ reference, status: "delivered" }] });
      const opened = { kind: "opened", reference, userAgent: "Mail", machine: false } as const;
      if (draw() < 0.4)
        void later(gateway, arrived + between(draw, 60_000, 7_200_000), { engagements: [opened] });
    }
    return json(200, { ErrorCode: 0, Message: "OK", MessageID: reference });
  }

  function answer(draw: Draw, request: OutboundRequest): OutboundResult {
    const { hostname, pathname } = new URL(request.url);
    if (hostname === webhookHosts.failing && failing) return json(503, { error: "maintenance" });
    if (hostname === webhookHosts.failing || hostname === webhookHosts.well) return json(200, {});
    if (request.method !== "POST") return json(200, {});
    if (hostname === "api.twilio.com") return twilio(draw, request);
    if (hostname === "graph.facebook.com" && pathname.endsWith("/messages")) return whatsapp(draw, request);
    if (hostname === "api.postmarkapp.com") return postmark(draw);
    return json(200, {});
  }

  return {
    outbound: {
      rejectReason: () => null,
      dial: async () => ({ kind: "not_sent", code: "unreachable", reason: "The demo reaches no server." }),
      request: async (request) => {
        const draw = drawFor(clock.now(), request.url, request.body);
        // One of few times, so that many answers of a batch are stored together.
        await clock.sleep(pick(draw, [120, 180, 240]));
        return answer(draw, request);
      },
      close: async () => {},
    },
    upstreams: {
      open: async ({ url, body }) => {
        const isSecond = new URL(url).hostname !== "api.openai.com";
        const asked = body === null ? {} : (JSON.parse(String(body)) as Asked);
        await clock.sleep(between(drawFor(clock.now(), url, body), 300, 900));
        if (!isSecond && failing && asked.model === models.chat) {
          const error = { message: "The engine is currently overloaded.", type: "server_error", code: null };
          return wholeAnswer(503, JSON.stringify({ error }));
        }
        if (asked.stream === true) return wholeAnswer(200, streamOf(isSecond), "text/event-stream");
        return wholeAnswer(200, JSON.stringify(completionOf(asked, isSecond)));
      },
      close: async () => {},
    },
    dns: {
      txt: async () => ({ kind: "none" }),
      addresses: async () => ({ kind: "none" }),
      mx: async () => ({ kind: "none" }),
    },
    fail: () => {
      failing = true;
    },
  };
}

interface Asked {
  model?: string;
  stream?: boolean;
  input?: unknown;
}

const answerText = "The vendors of this demo are simulated: no model was asked.";
const usage = { prompt_tokens: 42, completion_tokens: 13, total_tokens: 55 };

/** In the form of OpenAI's APIs, or in Anthropic's. */
function completionOf({ model, input }: Asked, isSecond: boolean): object {
  if (isSecond)
    return {
      id: "msg_demo",
      type: "message",
      role: "assistant",
      model,
      content: [{ type: "text", text: answerText }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
    };
  if (input !== undefined) {
    const data = [input].flat().map((_text, index) => ({
      object: "embedding",
      index,
      embedding: [0.1, 0.2, 0.3, 0.4],
    }));
    return { object: "list", model, data, usage: { prompt_tokens: 12, total_tokens: 12 } };
  }
  const message = { role: "assistant", content: answerText };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return { id: "chatcmpl-demo", object: "chat.completion", created: 0, model, choices, usage };
}

/** One event of each kind that clients wait for. */
function streamOf(isSecond: boolean): string {
  const text = { type: "text_delta", text: answerText };
  const message = { ...completionOf({ model: models.second }, true), content: [], stop_reason: null };
  const chunk = { id: "chatcmpl-demo", object: "chat.completion.chunk", created: 0, model: models.chat };
  const events: object[] = isSecond
    ? [
        { type: "message_start", message },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: text },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 13 } },
        { type: "message_stop" },
      ]
    : [
        {
          ...chunk,
          choices: [{ index: 0, delta: { role: "assistant", content: answerText }, finish_reason: null }],
        },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
        { ...chunk, choices: [], usage },
      ];
  const lines = events.map((event) => {
    const name = "type" in event ? `event: ${String(event.type)}\n` : "";
    return `${name}data: ${JSON.stringify(event)}\n\n`;
  });
  return lines.join("") + (isSecond ? "" : "data: [DONE]\n\n");
}

function wholeAnswer(status: number, text: string, type = "application/json") {
  const pieces: (Buffer | null)[] = [Buffer.from(text), null];
  const body: BodyReader = { read: async () => pieces.shift() ?? null, cancel: () => {} };
  return { kind: "answer" as const, status, headers: { "content-type": type }, body };
}
