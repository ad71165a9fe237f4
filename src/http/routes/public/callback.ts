// GET and POST /callbacks/{identifier}: a provider's report, which the gateway's adapter verifies. The URL is built from
// the configured public address, never from the Host header, because some providers sign it.

import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { defaultCallbackBytes } from "#gateways/callback.ts";
import { type BodyBytes, streamBody } from "#http/body/bytes.ts";
import type { Call } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { queryOf } from "#http/request.ts";
import { ByteCollector } from "#runtime/byte-collector.ts";
import { maxMailBytes } from "#runtime/net/smtp-listener.ts";

/** The path and query of the request. The host of a request in absolute form is not used. */
function pathOf(request: IncomingMessage): string {
  const url = request.url ?? "/";
  return url.startsWith("/") ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, "");
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

/** Maximum number of bytes of a callback that are kept. The gateway is looked up only for a callback that may exceed the default. */
async function maxKeptBytes({ core, request, params }: Call): Promise<number> {
  const { "content-length": length, "transfer-encoding": chunked } = request.headers;
  if (chunked === undefined && Number(length ?? 0) <= defaultCallbackBytes) return defaultCallbackBytes;
  return await core.callbacks.maxBytes(params.identifier ?? "");
}

/** The whole body, as long as the gateway's kind allows; of a raw mail, which may be longer, the first MiB. */
async function readCallback(call: Call): Promise<BodyBytes> {
  const { request, gate, share } = call;
  const isMail = /^\s*message\/rfc822\s*(?:;|$)/i.test(request.headers["content-type"] ?? "");
  const keptBytes = isMail ? defaultCallbackBytes : await maxKeptBytes(call);
  const gathered = new ByteCollector();
  const { deadlines } = gate.bodyLimits;
  const end = await streamBody(
    request,
    { maxBytes: isMail ? maxMailBytes : keptBytes, deadlines },
    (chunk) => {
      const piece = chunk.subarray(0, keptBytes - gathered.length);
      if (!share.grow(piece.length)) return false;
      gathered.add(piece);
      return true;
    },
  );
  if (end === "ended") return { kind: "bytes", bytes: gathered.take() };
  return { kind: end === "stopped" ? "no_room" : end };
}

async function receive(call: Call) {
  const { core, settings, request, params } = call;
  const { identifier = "" } = params;
  const read = await readCallback(call);
  switch (read.kind) {
    case "gone":
      return null;
    case "too_large":
    case "too_many_pieces":
      return plain(413, "Too large.");
    case "malformed":
      return plain(400, "Not understood.");
    case "no_room":
      return { ...plain(503, "Not now."), headers: { "Retry-After": "1" } };
    case "too_slow":
      return plain(408, "Too slow.");
    case "bytes":
      break;
  }
  const result = await core.callbacks.receive(identifier, {
    method: request.method ?? "GET",
    url: `${settings.publicUrl ?? ""}${pathOf(request)}`,
    query: queryOf(request),
    headers: headersOf(request),
    body: read.bytes,
  });
  switch (result.kind) {
    case "done":
      return { ...plain(200, result.reply?.body ?? ""), type: result.reply?.contentType ?? plainText };
    case "forbidden":
      return plain(403, "Forbidden.");
    case "not_configured":
      return plain(503, "This gateway takes no callbacks until its secret is configured.");
    case "malformed":
      return plain(400, "Not understood.");
    case "unavailable":
      return plain(503, "Not now.");
    case "not_found":
      return plain(404, "Not found.");
  }
}

const plainText = "text/plain; charset=utf-8";

function plain<Status extends number>(status: Status, body: string): { status: Status; body: string } {
  return { status, body };
}

const shared = {
  path: "/callbacks/{identifier}",
  tag: "Provider callbacks",
  family: "open",
  params: { identifier: z.string().max(100).describe("The gateway's identifier.") },
  replies: {
    200: z.string().describe("The report was accepted."),
    400: z
      .string()
      .meta({ title: "CallbackMalformed", description: "The report was verified but could not be parsed." }),
    403: z.string().meta({ title: "CallbackForbidden", description: "The signature or token is wrong." }),
    404: z
      .string()
      .meta({ title: "CallbackGatewayNotFound", description: "No gateway has this identifier." }),
    408: z.string().meta({ title: "CallbackTimeout", description: "The body took too long to arrive." }),
    413: z.string().meta({
      title: "CallbackTooLarge",
      description: "The body is over 1 MiB (4 MiB for WhatsApp), or a mail over 64 MiB.",
    }),
    503: z.string().meta({
      title: "CallbackUnavailable",
      description:
        "The gateway has no secret to verify callbacks, or the service cannot verify this one now.",
    }),
  },
  replyType: plainText,
  notFound: plain(404, "Not found."),
  unavailable: plain(503, "Not now."),
} as const;

export const receiveCallbackRoute = endpoint({
  ...shared,
  method: "POST",
  name: "receiveCallback",
  summary: "Receive a provider's report",
})(receive);

export const receiveCallbackQueryRoute = endpoint({
  ...shared,
  method: "GET",
  name: "receiveCallbackQuery",
  summary: "Receive a provider's report in the query",
})(receive);
