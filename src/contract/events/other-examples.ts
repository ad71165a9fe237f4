// An example of each event that is not about a sent message, as posted by a real run; the test of every-event.ts repeats the run and finds
// them in it.

import type { messageExamples } from "./message-examples.ts";
import type { EventExample, PostedType } from "./shapes.ts";

const smsMain = {
  identifier: "sms-main",
  channel: "sms",
  kind: "sandbox",
  active: true,
  default: true,
} as const;
const phone = {
  identifier: "whatsapp-phone",
  channel: "whatsapp",
  kind: "whatsapp-linked",
  active: true,
  default: false,
} as const;

export const otherExamples = {
  "message.received": {
    timestamp: "2026-01-04T01:01:02.000Z",
    data: {
      id: "in_01ke38b75g4vb4qsyv7112tns7",
      channel: "whatsapp",
      from: "+4915123450007",
      to: "sandbox",
      gateway_identifier: "whatsapp-main",
      message: "In the morning",
      media: [],
      in_reply_to: "msg_01ke38b570xmsjwns3q0k3pbhr",
      opt: null,
      type: "interactive",
      reply: { type: "list", id: "morning", title: "In the morning", description: "8 to 12" },
      profile_name: "Sandbox",
      user_id: null,
      forwarded: false,
    },
  },
  "gateway.paused": {
    timestamp: "2026-01-01T00:00:40.000Z",
    data: {
      ...smsMain,
      reason: "Paused by hand.",
    },
  },
  "gateway.resumed": {
    timestamp: "2026-01-04T01:00:40.000Z",
    data: {
      ...smsMain,
      reason: null,
    },
  },
  "gateway.linked": {
    timestamp: "2026-01-04T01:04:20.000Z",
    data: {
      ...phone,
      reason: null,
      number: "4915199990000",
      name: "Acme",
    },
  },
  "gateway.unlinked": {
    timestamp: "2026-01-04T01:04:00.000Z",
    data: {
      identifier: "office-phone",
      channel: "sms",
      kind: "android",
      active: true,
      default: false,
      reason: "The link to the phone was ended manually.",
    },
  },
  "gateway.limited": {
    timestamp: "2026-01-04T01:04:30.000Z",
    data: {
      ...phone,
      reason: "WhatsApp restricts the number.",
      until: 1767492260000,
    },
  },
  "gateway.outdated": {
    timestamp: "2026-01-04T01:04:40.000Z",
    data: {
      ...phone,
      reason: "WhatsApp refuses this version of the library.",
    },
  },
  "gateway.receipts_unmatched": {
    timestamp: "2026-01-04T01:04:50.000Z",
    data: {
      ...phone,
      reason:
        "The provider's receipts match no message of this gateway. Compare the format of ids in its answers and in its receipts.",
    },
  },
  "credit.low": {
    timestamp: "2026-01-04T01:09:20.000Z",
    data: { channel: "sms", allowance: 20, remaining: 1 },
  },
  "pool.member_down": {
    timestamp: "2026-01-04T01:05:20.000Z",
    data: {
      pool: "assistants",
      member: "primary",
      kind: "sandbox",
      reason: "The sandbox's model `failing` never works.",
    },
  },
  "pool.member_up": {
    timestamp: "2026-01-04T01:08:10.000Z",
    data: { pool: "assistants", member: "primary", kind: "sandbox", reason: null },
  },
  "budget.low": {
    timestamp: "2026-01-04T01:08:10.000Z",
    data: {
      scope: "key",
      pool: "assistants",
      key: "app",
      bound: "tokens_per_day",
      used: 45,
      limit: 50,
      percent: 90,
      restarts_at: "2026-01-04T23:00:00.000Z",
    },
  },
  "completion.done": {
    timestamp: "2026-01-04T01:05:00.000Z",
    data: {
      id: "cmp_01ke38jfk0qbsxyy6k88ahbwjm",
      object: "deferred_completion",
      status: "completed",
      attempts: 1,
      error: null,
    },
  },
  "webhook.test": {
    timestamp: "2026-01-04T01:09:30.000Z",
    data: { webhook_id: "whe_01kdvdna00440wakyht0db49bp" },
  },
} satisfies { [Type in Exclude<PostedType, keyof typeof messageExamples>]: EventExample<Type> };
