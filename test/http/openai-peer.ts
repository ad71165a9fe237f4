// A provider that speaks OpenAI, as a real server on a loopback port: what it answers is the test's to say, and what
// it was asked, and whether it was left in the middle, is recorded.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface PeerRequest {
  path: string;
  headers: IncomingMessage["headers"];
  text: string;
  bytes: Buffer;
  /** Empty for a form. */
  body: Record<string, unknown>;
  response: ServerResponse;
  /** Resolves when the client that asked closes the connection before the answer has ended. */
  left: Promise<void>;
}

export type PeerAnswer = (request: PeerRequest) => unknown;

export interface Peer {
  /** For `base_url`. */
  url: string;
  /** Every request so far but for `GET /models`. */
  asked: PeerRequest[];
  /** The next request to come that no test has waited for yet. */
  next(): Promise<PeerRequest>;
  answer(answer: PeerAnswer): void;
  close(): Promise<void>;
}

/** A provider on a port of its own. */
export async function openaiPeer(first: PeerAnswer = says("Hello from the provider.")): Promise<Peer> {
  let answer = first;
  const asked: PeerRequest[] = [];
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let taken = 0;
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const path = request.url ?? "";
    if (path.endsWith("/models")) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
      return;
    }
    const bytes = Buffer.concat(pieces);
    const text = bytes.toString();
    const isForm = /^(?:multipart\/|application\/x-www-form-urlencoded)/.test(
      request.headers["content-type"] ?? "",
    );
    const left = new Promise<void>((resolve) => {
      response.once("close", () => {
        if (!response.writableFinished) resolve();
      });
    });
    const body = isForm ? {} : JSON.parse(text);
    const seen = { path, headers: request.headers, text, bytes, body, response, left };
    asked.push(seen);
    for (const wake of waiting.splice(0)) wake();
    await answer(seen);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    next: async () => {
      while (asked.length <= taken) await new Promise<void>((resolve) => waiting.push(resolve));
      taken += 1;
      return asked[taken - 1]!;
    },
    answer: (next) => {
      answer = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

/** A JSON answer. */
export function replies(status: number, body: object, headers: Record<string, string> = {}): PeerAnswer {
  return ({ response }) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** A completion whose message has these fields. */
export function completionOf(model: unknown, message: object, finish = "stop"): object {
  const choices = [
    { index: 0, message: { role: "assistant", ...message }, finish_reason: finish, logprobs: null },
  ];
  return { id: "chatcmpl-1", object: "chat.completion", created: 1_767_225_600, model, choices, usage };
}

/** The text of one event. */
export const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

/** An event with this delta. */
export function delta(model: unknown, fields: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta: fields, finish_reason: finish }];
  const made = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_767_225_600 };
  return event({ ...made, model, choices });
}

/** Begins a stream. */
export function begins({ response, body }: PeerRequest): (text: string) => boolean {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(delta(body.model, { role: "assistant", content: "" }));
  return (text) => response.write(text);
}

/** Ends a stream as it should be. */
export function finishes({ response, body }: PeerRequest, reason = "stop"): void {
  response.write(delta(body.model, {}, reason));
  const options = body.stream_options as { include_usage?: boolean } | undefined;
  if (options?.include_usage) {
    const made = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_767_225_600 };
    response.write(event({ ...made, model: body.model, choices: [], usage }));
  }
  response.end("data: [DONE]\n\n");
}

/** Answers with this text, word by word where a stream is asked for. */
export function says(text: string): PeerAnswer {
  return (request) => {
    const { body } = request;
    if (body.stream !== true) return replies(200, completionOf(body.model, { content: text }))(request);
    const write = begins(request);
    for (const word of text.split(/(?<= )/)) write(delta(body.model, { content: word }));
    finishes(request);
  };
}

/** Fails, as OpenAI does. */
export function fails(status: number, error: object = {}, headers: Record<string, string> = {}): PeerAnswer {
  const whole = { message: "It failed.", type: "server_error", param: null, code: null, ...error };
  return replies(status, { error: whole }, headers);
}
