// GET /api/whatsapp/media/{id}: the file of a message from a person, passed on from its provider while it comes.

import { z } from "zod";
import { problem } from "#contract/problem.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import type { EventSource } from "#http/reply/sse.ts";
import { openFile } from "#messaging/received-file.ts";
import { LightAbortController } from "#runtime/light-abort-controller.ts";

export const getReceivedFileRoute = endpoint({
  method: "GET",
  path: "/api/whatsapp/media/{id}",
  name: "getReceivedFile",
  tag: "Lookups",
  summary: "Get the file of a received message",
  description:
    "The file comes from its provider while it is read. Meta keeps files for seven days; after that the answer is 410. A 503 says that the provider cannot be asked now.",
  family: "api_key",
  right: "read",
  params: { id: z.string().max(64).describe("The received message's id.") },
  replies: { 200: z.custom<EventSource>().meta({ description: "The bytes of the file." }) },
  replyType: "application/octet-stream",
  problems: ["not_found", "gone", "unavailable"],
})(async ({ core, account, params: { id }, request, response }) => {
  if (!isId(id)) return problem("not_found");
  const left = new LightAbortController();
  response.once("close", () => left.abort());
  const file = await openFile(core, account, id, left);
  switch (file.kind) {
    case "not_found":
      return problem("not_found");
    case "gone":
      return problem("gone");
    case "unavailable":
      return problem("unavailable", {
        message: "The provider does not give the file now.",
        retryAfterMs: 5000,
      });
    case "opened":
      break;
  }
  const { bytes, contentType, filename, next, cancel } = file;
  const isHead = request.method === "HEAD";
  if (isHead) cancel();
  return {
    status: 200,
    body: { next: isHead ? async () => null : next, cancel, isFile: true },
    headers: {
      "Content-Type": contentType,
      ...(bytes === null ? {} : { "Content-Length": String(bytes) }),
      "Content-Disposition": `attachment; filename="${plainName(filename)}"; filename*=UTF-8''${encoded(filename)}`,
      "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    },
  };
});

/** For programs that do not read `filename*`. */
const plainName = (name: string) => name.replace(/[^\w .()-]/g, "_").slice(0, 100);

/** RFC 8187: characters that `encodeURIComponent` keeps but a header value may not contain. */
const encoded = (name: string) =>
  encodeURIComponent(name.toWellFormed().slice(0, 240)).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
