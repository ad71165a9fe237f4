// Everything that the service talks to, in one process: a hostile provider, sick and well ones, a Mailgun, a taker of
// webhooks and a mail server. Ends with its parent.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { peerAddress } from "./addresses.ts";
import { hostileAnswers } from "./hostile-answers.ts";

export interface PeersReady {
  httpPort: number;
  smtpPort: number;
}

export interface PeersSeen {
  /** Requests by path. */
  asked: Record<string, number>;
  /** The envelope senders of mails, newest last. */
  returnPaths: string[];
  /** The ids that the Mailgun of this process gave to mails, newest last. */
  mailgunIds: string[];
}

const seen: PeersSeen = { asked: {}, returnPaths: [], mailgunIds: [] };

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const json = (response: ServerResponse, status: number, body: object) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const failure = (message: string, code: string | null) => ({
  error: { message, type: "invalid_request_error", param: null, code },
});

/** What members that are no enemies say, by model. */
const models: Record<string, (response: ServerResponse, body: { model: string; stream?: boolean }) => void> =
  {
    well: (response, { model, stream }) => {
      if (stream) {
        const chunk = (delta: object, finish: string | null) =>
          `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(`${chunk({ content: "Hello" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
        return;
      }
      json(response, 200, {
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1_767_225_600,
        model,
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
        usage,
      });
    },
    /** Late enough that a burst is out before the first answer. */
    sick: (response) => void setTimeout(() => json(response, 503, failure("Overloaded.", null)), 700),
    mute: () => {},
    /** The caller's fault, in words that a caller chose. */
    quoting: (response) =>
      json(response, 400, failure("Invalid message: 'insufficient_quota: rate_limit_exceeded, 401'", null)),
  };

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "").split("?", 1)[0]!;
  seen.asked[path] = (seen.asked[path] ?? 0) + 1;
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  const [, target = "", name = ""] = path.split("/");
  const asked = { authorization: String(request.headers.authorization ?? "") };
  if (path.endsWith("/models")) return void json(response, 200, { object: "list", data: [] });
  if (target === "sms") return void (await hostileAnswers[name]?.(request.socket, asked));
  if (target === "hook") return void response.writeHead(204).end();
  if (target === "v3") {
    const id = `<${seen.mailgunIds.length + 1}.${process.pid}@mg.test>`;
    seen.mailgunIds.push(id);
    return void json(response, 200, { id, message: "Queued. Thank you." });
  }
  if (path.endsWith("/chat/completions")) {
    const body = JSON.parse(text) as { model: string; messages?: { content?: unknown }[] };
    // The same member answers another caller's good request well.
    const name = body.model === "either" ? (text.includes("quote me") ? "quoting" : "well") : body.model;
    const own = models[name];
    if (own) return own(response, body);
    return void (await hostileAnswers[name]?.(request.socket, asked));
  }
  response.writeHead(404).end();
}

const http = createServer((request, response) => {
  answer(request, response).catch(() => request.socket.destroy());
});
http.on("clientError", (_error, socket) => socket.destroy());
const mail = new SMTPServer({
  authOptional: true,
  disabledCommands: ["AUTH", "STARTTLS"],
  logger: false,
  onMailFrom({ address }, _session, done) {
    seen.returnPaths.push(address);
    done();
  },
  onData(incoming, _session, done) {
    incoming.resume();
    incoming.on("end", () => done());
  },
});
mail.on("error", () => {});

process.on("disconnect", () => process.exit(0));
process.on("message", (order: { seen?: number }) => {
  if (order.seen !== undefined) process.send?.({ answer: order.seen, result: seen });
});
await new Promise<void>((resolve) => http.listen(0, peerAddress, resolve));
await new Promise<void>((resolve) => mail.listen(0, peerAddress, () => resolve()));
process.send?.({
  ready: true,
  httpPort: (http.address() as AddressInfo).port,
  smtpPort: (mail.server.address() as AddressInfo).port,
});
