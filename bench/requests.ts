// What a load client asks, as bytes that are prepared before the clock runs.

import { createHmac } from "node:crypto";

export type Ask =
  /** Single sends through one gateway. */
  | { kind: "single"; gateway: string; scheduleAt: string | null }
  /** Single sends to the sandbox of each account in turn, which delivers them at once. */
  | { kind: "spread"; apiKeys: readonly string[] }
  /** One bulk send after another. */
  | { kind: "bulk"; gateways: readonly string[]; contacts: number; scheduleAt: string | null }
  /** One bulk send by WhatsApp after another: texts, or the file at this URL. */
  | { kind: "whatsapp"; gateway: string; contacts: number; scheduleAt: string | null; file: string | null }
  /** The same with emails of some 10 KB on the wire, each with a body of its own. */
  | { kind: "mails"; gateway: string; contacts: number; scheduleAt: string | null }
  /** Single emails of some 2 KB, by our endpoint or by Resend's, each with the same meaning. */
  | { kind: "email"; api: "own" | "resend" }
  /** The paths in turn. */
  | { kind: "get"; paths: readonly string[] }
  /** Reports that the messages with the references `p<from>` … `p<to>` were delivered, some of them twice. */
  | { kind: "callbacks"; path: string; from: number; to: number }
  /** The same as Meta's signed calls, so many updates in each; the references are `wamid.p…`. */
  | {
      kind: "meta";
      path: string;
      phoneNumberId: string;
      appSecret: string;
      from: number;
      to: number;
      batch: number;
    };

export interface Target {
  host: string;
  port: number;
  apiKey: string;
  ask: Ask;
}

const numbers = 4096;
const text = "Your code is 482913. It is good for ten minutes.";

/** A letter in HTML: its text part is derived from it, and both together are about 10 KB on the wire. */
function letter(index: number): string {
  const line =
    "Grüße aus der Werkstatt: everything that you ordered with us is on its way, and will be there tomorrow.";
  const paragraphs = Array.from(
    { length: 22 },
    (_, at) =>
      `<p style="margin:0 0 12px">${line} <a href="https://shop.example.com/orders/${index}/${at}">Order ${at}</a></p>\n`,
  );
  return `<html><body><h1>Dear reader ${index}</h1>\n${paragraphs.join("")}</body></html>`;
}

/** Of five reports, four are new and one came before. */
const newOfFive = 4;
/** How many reports before: while that one may still be under way, and long after it. */
const repeatedAfter = [1, 10, 100, 1000];

/** How many reports are sent for this many messages. */
export function reportsFor(messages: number): number {
  return messages + Math.floor(messages / newOfFive);
}

/** The messages (from 0) that are reported on, in turn: each once in an order of their own, a fifth of all reports again. */
export function reportOrder(messages: number): number[] {
  const order: number[] = [];
  for (let index = 0; index < messages; index += 1) {
    // A prime stride visits all of them, and neighbours are no neighbours in the tables.
    order.push((index * 7919) % messages);
    if (index % newOfFive !== newOfFive - 1) continue;
    const back = repeatedAfter[Math.floor(index / newOfFive) % repeatedAfter.length] ?? 1;
    order.push(order[Math.max(0, order.length - back)] ?? 0);
  }
  return order;
}

/** How many calls so many reports are. */
export const batchesOf = (reports: number, batch: number) => Math.ceil(reports / batch);

/** A call of Meta's about these messages. */
function metaCall(phoneNumberId: string, messages: readonly number[]): string {
  const changes = messages.map((message) => ({
    field: "messages",
    value: {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: "15550783881", phone_number_id: phoneNumberId },
      statuses: [
        {
          id: `wamid.p${message}`,
          status: "delivered",
          timestamp: "1750263773",
          recipient_id: "4915112345678",
          pricing: { billable: false, pricing_model: "PMP", type: "regular", category: "service" },
        },
      ],
    },
  }));
  return JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1022", changes }] });
}

function bytes(
  target: Target,
  apiKey: string | null,
  method: string,
  path: string,
  body: string,
  more = "",
): Buffer {
  const { host, port } = target;
  const key = apiKey === null ? "" : `api-key: ${apiKey}\r\n`;
  const length = Buffer.byteLength(body);
  const about = length > 0 ? `content-type: application/json\r\ncontent-length: ${length}\r\n` : "";
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nhost: ${host}:${port}\r\n${key}${about}${more}\r\n${body}`,
  );
}

/** The same email in either API: its gateway is the account's only one for mail. */
function emailRequest(target: Target, api: "own" | "resend", index: number): Buffer {
  const [email, subject] = [`reader${index}@example.net`, `Your order ${index}`];
  const html = letter(index).slice(0, 2048);
  if (api === "own") {
    const contact = { email, subject, message: html, from_email: "news@example.com", sender_name: "Acme" };
    return bytes(target, target.apiKey, "POST", "/api/email/send", JSON.stringify({ contact: [contact] }));
  }
  const body = JSON.stringify({ from: "Acme <news@example.com>", to: [email], subject, html });
  const bearer = `authorization: Bearer ${target.apiKey}\r\n`;
  return bytes(target, null, "POST", "/api/resend/emails", body, bearer);
}

/** All requests of a job, sent in turn. */
export function prepare(target: Target): Buffer[] {
  const { ask, apiKey } = target;
  const send = (contact: object[], key = apiKey) =>
    bytes(target, key, "POST", "/api/sms/send", JSON.stringify({ contact }));
  const contact = (index: number, gateway: string, scheduleAt: string | null) => ({
    number: `+4915${String(100000000 + index)}`,
    message: text,
    gateway_identifier: gateway,
    ...(scheduleAt === null ? {} : { schedule_at: scheduleAt }),
  });
  switch (ask.kind) {
    case "get":
      return ask.paths.map((path) => bytes(target, apiKey, "GET", path, ""));
    case "single":
      return Array.from({ length: numbers }, (_, index) =>
        send([contact(index, ask.gateway, ask.scheduleAt)]),
      );
    case "spread":
      // The sandbox delivers to numbers that end so.
      return ask.apiKeys.map((key, index) =>
        send([{ number: `+49151${10_000 + index}0001`, message: text }], key),
      );
    case "bulk": {
      const { gateways, scheduleAt } = ask;
      const contacts = Array.from({ length: ask.contacts }, (_, index) =>
        contact(index, gateways[index % gateways.length] ?? "", scheduleAt),
      );
      return [send(contacts)];
    }
    case "mails": {
      const { gateway, scheduleAt } = ask;
      const contacts = Array.from({ length: ask.contacts }, (_, index) => ({
        email: `reader${index}@example.net`,
        subject: `Your order ${index}`,
        message: letter(index),
        gateway_identifier: gateway,
        ...(scheduleAt === null ? {} : { schedule_at: scheduleAt }),
      }));
      return [bytes(target, apiKey, "POST", "/api/email/send", JSON.stringify({ contact: contacts }))];
    }
    case "email":
      return Array.from({ length: numbers }, (_, index) => emailRequest(target, ask.api, index));
    case "whatsapp": {
      const { gateway, scheduleAt, file } = ask;
      const contacts = Array.from({ length: ask.contacts }, (_, index) => ({
        ...contact(index, gateway, scheduleAt),
        ...(file === null ? {} : { media: "image", url: file }),
      }));
      return [bytes(target, apiKey, "POST", "/api/whatsapp/send", JSON.stringify({ contact: contacts }))];
    }
    case "meta": {
      const order = reportOrder(ask.to - ask.from + 1).map((index) => ask.from + index);
      return Array.from({ length: batchesOf(order.length, ask.batch) }, (_, at) => {
        const body = metaCall(ask.phoneNumberId, order.slice(at * ask.batch, (at + 1) * ask.batch));
        const proof = createHmac("sha256", ask.appSecret).update(body).digest("hex");
        return bytes(target, null, "POST", ask.path, body, `x-hub-signature-256: sha256=${proof}\r\n`);
      });
    }
    case "callbacks":
      return reportOrder(ask.to - ask.from + 1).map((index) =>
        bytes(
          target,
          null,
          "POST",
          ask.path,
          JSON.stringify({ id: `p${ask.from + index}`, state: "DELIVRD" }),
        ),
      );
  }
}
