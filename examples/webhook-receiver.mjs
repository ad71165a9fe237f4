// Takes webhooks: checks the signature, drops repeats, answers at once.
//   WEBHOOK_SECRET=whsec_… PORT=8090 node examples/webhook-receiver.mjs
// The scheme is Standard Webhooks; the package `standardwebhooks` does in one call what `isGenuine` does here.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.WEBHOOK_SECRET ?? "";
if (!secret.startsWith("whsec_")) {
  console.error("WEBHOOK_SECRET is the secret of the endpoint: whsec_…");
  process.exit(2);
}
const key = Buffer.from(secret.slice("whsec_".length), "base64");
const maxBytes = 1024 * 1024;
/** Ids of events that were taken. A real receiver keeps them in its database, in the transaction of its own change. */
const seen = new Set();

/** `webhook-signature` holds one `v1,…` for each secret in use; a timestamp over 5 minutes old is a replay. */
function isGenuine(headers, body) {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some((signature) => {
    const [version, value = ""] = signature.split(",");
    const received = Buffer.from(value, "base64");
    return version === "v1" && received.length === expected.length && timingSafeEqual(received, expected);
  });
}

const server = createServer(async (request, response) => {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > maxBytes) return response.writeHead(413).end();
    pieces.push(piece);
  }
  // The signature covers the bytes: check it before anything is parsed.
  const body = Buffer.concat(pieces);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  const id = request.headers["webhook-id"];
  // Answer first and work later: after 15 s without an answer the event is sent again, under the same id.
  response.writeHead(204).end();
  if (seen.has(id)) return;
  seen.add(id);
  const event = JSON.parse(body.toString());
  console.log(`${event.type} ${event.data.id}`);
});
server.listen(Number(process.env.PORT ?? 8090), "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}/`);
});
