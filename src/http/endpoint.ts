// One endpoint in one place: what it is (for the router and for OpenAPI) and what it does. The head comes
// first and the handler second, so that the handler's reply literals are checked against the head's schemas.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Account } from "#accounts/account.ts";
import type { Problem, ProblemCode } from "#contract/problem.ts";
import { authenticate, type Gate } from "#http/auth/api-key.ts";
import { answerManaged } from "#http/auth/management.ts";
import { answerPooled, type PoolCall } from "#http/auth/pool-key.ts";
import type { BodyShare } from "#http/body/budget.ts";
import type { ParsedBody } from "#http/body/parse.ts";
import { isProblem, readBody } from "#http/body/read.ts";
import { answerUpload } from "#http/body/upload.ts";
import type { Principal } from "#identity/principal.ts";
import type { Session } from "#identity/session.ts";
import type { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import type { AccountRow } from "#store/accounts/accounts.ts";
import type { HttpParts, HttpSettings } from "./parts.ts";
import { type Answer, tooManyUnread } from "./response.ts";
import { isStorageTrouble, storageAnswer } from "./storage-errors.ts";
import { canName, nowhere, queryRefusal } from "./url-text.ts";

/**
 * `api_key`: a channel endpoint, for the holder of an account's key. `manage`: the management API, for people
 * who signed in and holders of a management token; see `scope`. `pool`: an AI endpoint, for the holder of a pool
 * key; its errors are OpenAI's. `open`: decides for itself.
 */
export type Family = "api_key" | "manage" | "pool" | "open";

/**
 * Of a management endpoint. `account`: its path names an `{account}`, which the caller must be allowed to manage
 * (any other is the same 404 as none). `installation`: operators only. `self`: whoever is signed in. `anyone`:
 * strangers too, who are about to sign in.
 */
export type Scope = "account" | "installation" | "self" | "anyone";

export interface Head {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As OpenAPI writes it: `/api/get/{channel}/{id}`. */
  path: `/${string}`;
  /** OpenAPI's operationId. */
  name: string;
  tag: string;
  summary: string;
  description?: string;
  family: Family;
  /** Set for, and only for, the family `manage`. */
  scope?: Scope;
  /** What the path's parameters mean. */
  params?: Record<string, string>;
  /** The last of the path's parameters, when it takes slashes too. */
  rest?: string;
  /** Request headers that it takes beside the usual ones, and what they mean. */
  headers?: Record<string, string>;
  query?: z.ZodObject;
  /** Set for an endpoint whose body is read. */
  body?: z.ZodObject;
  /** Of a channel endpoint: a multipart body may bring files, which are stored as they come. */
  uploads?: true;
  /** Status to the schema of its body. */
  replies: Record<number, z.ZodType>;
  /** Media type of replies that are no JSON. */
  replyType?: string;
  /** Of an open endpoint: what it answers when its path names nothing; without it, the problem `not_found`. */
  notFound?: Answer;
  /** Of an open endpoint: what it answers while storage is away; without it, the problem `unavailable`. */
  unavailable?: Answer;
  /** Which problems may come, beside those of the family. */
  problems: readonly ProblemCode[];
}

/** Where a request comes from, and which host it asked for: past the proxies that are trusted, not further. */
export interface Caller {
  readonly ip: string;
  readonly host: string;
}

/** What every handler is given. */
export interface Call {
  parts: HttpParts;
  settings: HttpSettings;
  request: IncomingMessage;
  /** Answers are written by whoever calls the endpoint; this is to know when the client goes away. */
  response: ServerResponse;
  requestId: string;
  caller: Caller;
  params: Readonly<Record<string, string>>;
  gate: Gate;
  /** What the request's body holds of the budget; given back when the request is answered. */
  share: BodyShare;
}

/** What the handler of a channel endpoint is given. `body` is empty where the head has none. */
export interface AccountCall extends Call {
  account: Account;
  body: ParsedBody;
  /** Where the request's files go; null: the endpoint takes none. */
  upload: AttachmentUpload | null;
}

/** What the handler of a channel endpoint that takes files is given. */
export interface UploadCall extends AccountCall {
  /** The files of a form are in it already. */
  upload: AttachmentUpload;
}

/** What the handler of a management endpoint for anyone is given. */
export interface StrangerCall extends Call {
  body: ParsedBody;
}

/** What the handler of any other management endpoint is given. */
export interface ManageCall extends StrangerCall {
  principal: Principal;
  /** Null: a program with a token. `session.fresh` says whether the password was given a moment ago. */
  session: Session | null;
}

/** Where the path names an account: that account, which the caller may manage. */
export interface ManageAccountCall extends ManageCall {
  account: AccountRow;
}

type CallOf<H extends Head> = H["family"] extends "api_key"
  ? H["uploads"] extends true
    ? UploadCall
    : AccountCall
  : H["family"] extends "manage"
    ? H["scope"] extends "account"
      ? ManageAccountCall
      : H["scope"] extends "anyone"
        ? StrangerCall
        : ManageCall
    : H["family"] extends "pool"
      ? PoolCall
      : Call;

type ReplyOf<H extends Head> = {
  [Status in keyof H["replies"] & number]: {
    status: Status;
    body: z.input<H["replies"][Status]> & (object | string);
    type?: string;
    headers?: Record<string, string>;
    cookies?: readonly string[];
  };
}[keyof H["replies"] & number];

/** An AI endpoint passes on what it was answered, which no schema of ours describes in full. */
type HandlerAnswer<H extends Head> = H["family"] extends "pool" ? Answer | null : ReplyOf<H> | Problem | null;

export interface Endpoint {
  head: Head;
  /** Null: the client went away, and nothing is to be written. */
  answer(call: Call): Promise<Answer | null>;
}

const emptyBody: ParsedBody = { value: null, files: [] };

async function admit(head: Head, call: Call): Promise<AccountCall | Problem | null> {
  const admitted = await authenticate(call.gate, call.request, call.share);
  if (admitted === null || isProblem(admitted)) return admitted;
  let body = admitted.body ?? emptyBody;
  if (head.body !== undefined && admitted.body === null) {
    const read = await readBody(call.request, call.gate.bodyLimits, call.share);
    if (read === null || isProblem(read)) return read;
    body = read;
  }
  return { ...call, account: admitted.account, body, upload: null };
}

/** A route that nobody guards must not come about by a word left out. */
function checkScope({ family, scope, path }: Head): void {
  if (
    (family === "manage") !== (scope !== undefined) ||
    (family === "manage") !== path.startsWith("/api/manage/")
  )
    throw new Error(
      `${path}: routes below /api/manage, and only they, are of the family "manage" and have a scope.`,
    );
  if (scope === "account" && !path.startsWith("/api/manage/v1/accounts/{account}"))
    throw new Error(`${path}: the path of a route for one account names it first.`);
}

/** Whether the answer is a page of records. */
function isList({ method, family, query }: Head): boolean {
  return method === "GET" && family !== "open" && query !== undefined && "limit" in query.shape;
}

/** Reads a list when it is its turn, and none whose answer would not be written. */
async function inTurn<T>({ gate }: Call, read: () => Promise<T>): Promise<T | Problem> {
  const { turns, isFull } = gate.lists;
  return isFull() ? tooManyUnread : await turns.take(async () => (isFull() ? tooManyUnread : await read()));
}

/** `endpoint(head)(handler)`. A handler answers with one of the head's replies, or with a problem. */
export function endpoint<const H extends Head>(head: H) {
  checkScope(head);
  const names = head.path.includes("{");
  const list = isList(head);
  return (handler: (call: CallOf<H>) => Promise<HandlerAnswer<H>>): Endpoint => {
    /** Of whoever was let in. Who may not ask is told so first, whatever the query says. */
    const handle = (admitted: Call): Promise<Answer | null> => {
      const refusal = queryRefusal(head, admitted.request);
      if (refusal !== null) return Promise.resolve(refusal);
      const work = () => handler(admitted as unknown as CallOf<H>);
      return list ? inTurn(admitted, work) : work();
    };
    return { head, answer };

    async function answer(call: Call): Promise<Answer | null> {
      if (names && !canName(call.params)) return nowhere(head);
      try {
        if (head.family === "open") return await handler(call as CallOf<H>);
        if (head.family === "manage") return await answerManaged(head, call, handle);
        if (head.family === "pool") return await answerPooled(head, call, handle);
        if (head.uploads === true) return await answerUpload(call, handle);
        const admitted = await admit(head, call);
        if (admitted === null || isProblem(admitted)) return admitted;
        return await handle(admitted);
      } catch (error) {
        // One net for all families: a route cannot forget it, and an outage is never a 500.
        if (!isStorageTrouble(error)) throw error;
        call.gate.storageLog.met({ requestId: call.requestId, route: head.path, error });
        return storageAnswer(head, error.fault);
      }
    }
  };
}
