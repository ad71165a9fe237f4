// The scripted members: real HTTP servers' paths on loopback, one for each member of a pool, that read strictly and
// answer by the script. What a member was asked, and what it refused, is kept.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { chat } from "./formats/chat.ts";
import { type Format, type Json, Refusal } from "./formats/format.ts";
import { messages } from "./formats/messages.ts";
import { responses } from "./formats/responses.ts";
import type { Script } from "./turn.ts";

const formats: readonly Format[] = [chat, messages, responses];

export interface MemberLog {
  /** Calls with tools that it answered. */
  answered: number;
  /** What it refused. */
  refused: Refusal[];
}

export interface Members {
  /** The base URL of a member; it is there by being asked. */
  url(member: string): string;
  log(member: string): MemberLog;
  /** After so many answered calls the member answers 503 to everything. */
  failAfter(member: string, calls: number): void;
  close(): Promise<void>;
}

const tooLarge = 8 * 1024 * 1024;

export async function openMembers(script: Script): Promise<Members> {
  const logs = new Map<string, MemberLog>();
  const limits = new Map<string, number>();
  const logOf = (member: string) => {
    const log = logs.get(member) ?? { answered: 0, refused: [] };
    logs.set(member, log);
    return log;
  };

  function answer(member: string, format: Format, body: Json, response: ServerResponse): void {
    const log = logOf(member);
    const reply = (status: number, value: Json) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (log.answered >= (limits.get(member) ?? Number.POSITIVE_INFINITY)) {
      reply(
        503,
        format.refusal(new Refusal("The member is down, as arranged.", { code: "overloaded_error" })),
      );
      return;
    }
    try {
      const turn = format.read(body, member);
      const answering = { step: script(turn), turn, member };
      if (turn.tools.length > 0) log.answered += 1;
      if (!turn.stream) {
        reply(200, format.whole(answering));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const { name, data } of format.stream(answering)) {
        response.write(`${name === null ? "" : `event: ${name}\n`}data: ${data}\n\n`);
      }
      response.end();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      log.refused.push(error);
      reply(error.status, format.refusal(error));
    }
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://member");
    const member = pathname.split("/")[1] ?? "";
    const format = formats.find(({ path }) => pathname.endsWith(`/v1${path}`));
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of request) {
      bytes += (piece as Buffer).length;
      if (bytes > tooLarge) return void response.writeHead(413).end();
      pieces.push(piece as Buffer);
    }
    if (request.method !== "POST" || format === undefined) return void response.writeHead(404).end();
    answer(member, format, JSON.parse(Buffer.concat(pieces).toString()), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (member) => `http://127.0.0.1:${port}/${member}`,
    log: logOf,
    failAfter: (member, calls) => void limits.set(member, calls),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
