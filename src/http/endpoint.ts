// One endpoint in one place: what it is (for the router and for OpenAPI) and what it does. The head comes
// first and the handler second, so that the handler's reply literals are checked against the head's schemas.

import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import type { Account } from "#accounts/account.ts";
import type { Problem, ProblemCode } from "#contract/problem.ts";
import type { Answer } from "./answer.ts";
import { authenticate, type Gate } from "./authenticate.ts";
import type { ParsedBody } from "./parse-body.ts";
import type { HttpParts, HttpSettings } from "./parts.ts";
import { isProblem, readBody } from "./read-body.ts";

/** `api_key`: a channel endpoint, for the holder of an account's key. `open`: decides for itself. */
export type Family = "api_key" | "open";

export interface Head {
  method: "GET" | "POST";
  /** As OpenAPI writes it: `/api/get/{channel}/{id}`. */
  path: `/${string}`;
  /** OpenAPI's operationId. */
  name: string;
  tag: string;
  summary: string;
  description?: string;
  family: Family;
  /** What the path's parameters mean. */
  params?: Record<string, string>;
  query?: z.ZodObject;
  /** Set for an endpoint whose body is read. */
  body?: z.ZodObject;
  /** Status to the schema of its body. */
  replies: Record<number, z.ZodType>;
  /** Media type of replies that are no JSON. */
  replyType?: string;
  /** Which problems may come, beside those of the family. */
  problems: readonly ProblemCode[];
}

/** What every handler is given. */
export interface Call {
  parts: HttpParts;
  settings: HttpSettings;
  request: IncomingMessage;
  requestId: string;
  params: Readonly<Record<string, string>>;
  gate: Gate;
}

/** What the handler of a channel endpoint is given. `body` is empty where the head has none. */
export interface AccountCall extends Call {
  account: Account;
  body: ParsedBody;
}

type CallOf<H extends Head> = H["family"] extends "api_key" ? AccountCall : Call;

type ReplyOf<H extends Head> = {
  [Status in keyof H["replies"] & number]: {
    status: Status;
    body: z.input<H["replies"][Status]> & (object | string);
    type?: string;
    headers?: Record<string, string>;
  };
}[keyof H["replies"] & number];

export interface Endpoint {
  head: Head;
  /** Null: the client went away, and nothing is to be written. */
  answer(call: Call): Promise<Answer | null>;
}

const emptyBody: ParsedBody = { value: null, files: [] };

async function admit(head: Head, call: Call): Promise<AccountCall | Problem | null> {
  const admitted = await authenticate(call.gate, call.request);
  if (admitted === null || isProblem(admitted)) return admitted;
  let body = admitted.body ?? emptyBody;
  if (head.body !== undefined && admitted.body === null) {
    const read = await readBody(call.request, call.gate.bodyLimits);
    if (read === null || isProblem(read)) return read;
    body = read;
  }
  return { ...call, account: admitted.account, body };
}

/** `endpoint(head)(handler)`. A handler answers with one of the head's replies, or with a problem. */
export function endpoint<const H extends Head>(head: H) {
  return (handler: (call: CallOf<H>) => Promise<ReplyOf<H> | Problem | null>): Endpoint => ({
    head,
    async answer(call) {
      if (head.family === "open") return handler(call as CallOf<H>);
      const admitted = await admit(head, call);
      if (admitted === null || isProblem(admitted)) return admitted;
      return handler(admitted as unknown as CallOf<H>);
    },
  });
}
