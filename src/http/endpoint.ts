// One endpoint in one place: what it is (for the router and for OpenAPI) and what it does. The head comes
// first and the handler second, so that the handler's reply literals are checked against the head's schemas.

import type { z } from "zod";
import { isProblem, type Problem } from "#contract/problem.ts";
import { authenticate } from "#http/auth/api-key.ts";
import { answerManaged } from "#http/auth/management.ts";
import { answerPooled } from "#http/auth/pool-key.ts";
import type { ParsedBody } from "#http/body/parse.ts";
import { readBody } from "#http/body/read.ts";
import { answerUpload } from "#http/body/upload.ts";
import { ProblemError } from "#http/reply/problem-error.ts";
import { type Reply, tooManyUnread } from "#http/reply/response.ts";
import type {
  AccountCall,
  AnonymousCall,
  Call,
  Head,
  ManageAccountCall,
  ManageCall,
  PoolCall,
  UploadCall,
} from "./call.ts";
import { accountParam } from "./path-params.ts";
import { isStorageOutage, storageErrorReply } from "./storage-errors.ts";
import { isCleanPath, queryRefusal, unknownPathReply } from "./url-text.ts";
import { validateCall } from "./validate.ts";

/** A head as it is written: one with a scope is of the family `manage`. */
type Described = Omit<Head, "family"> & { family?: Exclude<Head["family"], "manage"> };

/** What the handler of a management endpoint receives as its head describes it. */
type Validated<H extends Described> = {
  input: z.output<H["body"]>;
  query: z.output<H["query"]>;
  params: { readonly [Name in keyof H["params"]]: z.output<H["params"][Name]> };
};

type CallOf<H extends Described> = H["scope"] extends string
  ? Validated<H> &
      (H["scope"] extends "account"
        ? ManageAccountCall
        : H["scope"] extends "anonymous"
          ? AnonymousCall
          : ManageCall)
  : H["family"] extends "api_key"
    ? H["uploads"] extends true
      ? UploadCall
      : AccountCall
    : H["family"] extends "pool"
      ? PoolCall
      : Call;

type ReplyOf<H extends Described> = {
  [Status in keyof H["replies"] & number]: {
    status: Status;
    body: z.input<H["replies"][Status]> & (object | string);
    type?: string;
    headers?: Record<string, string>;
    cookies?: readonly string[];
  };
}[keyof H["replies"] & number];

/** The body of a successful reply without `success`; it is sent with the first status of the head's replies. */
type DataOf<H extends Described> = {
  [Status in keyof H["replies"] & number]: z.input<H["replies"][Status]> extends { success: true }
    ? Omit<z.input<H["replies"][Status]>, "success">
    : never;
}[keyof H["replies"] & number];

/** An AI endpoint passes on what it was answered, which no schema of ours describes in full; a stream has no whole body. */
type HandlerAnswer<H extends Described> = H["family"] extends "pool"
  ? Reply | null
  : H["replyType"] extends "text/event-stream"
    ? Reply | Problem | null
    : DataOf<H> | ReplyOf<H> | Problem | null;

export interface Endpoint {
  head: Head;
  /** Null if the client disconnected, so that nothing is written. */
  answer(call: Call): Promise<Reply | null>;
}

const emptyBody: ParsedBody = { value: null, files: [] };

async function admit(head: Head, call: Call): Promise<AccountCall | Problem | null> {
  const admitted = await authenticate(call, head);
  if (admitted === null || isProblem(admitted)) return admitted;
  // Also for requests that are refused while the body is read.
  call.logged.account = admitted.account.id;
  let body = admitted.body ?? emptyBody;
  if (head.body !== undefined && admitted.body === null) {
    const read = await readBody(call.request, call.gate.bodyLimits, call.share);
    if (read === null || isProblem(read)) return read;
    body = read;
  }
  return { ...call, account: admitted.account, body, upload: null };
}

/** The account that an admitted request is about. */
function accountOf(admitted: Call): string | null {
  const { account, opened } = admitted as Partial<AccountCall & PoolCall>;
  return account?.id ?? opened?.pool.accountId ?? null;
}

/** The key or management token of an admitted request; null for an account's personal key, and without a key. */
function keyOf(admitted: Call): string | null {
  const { account, opened, principal } = admitted as Partial<AccountCall & PoolCall & ManageCall>;
  const token = principal?.kind === "token" ? principal.id : null;
  return account?.key?.id ?? opened?.key?.id ?? token;
}

/** The most frequent first mistake: JSON without its content type, which leaves the form without any field. */
function withMediaHint(reply: Reply | Problem | null, admitted: Call): Reply | null {
  if (reply === null || reply.status !== 422 || !isProblem(reply)) return reply;
  const { body: sent } = admitted as Partial<AccountCall>;
  if (sent?.looksLikeJson !== true) return reply;
  const message =
    "Validation failed. The body looks like JSON, but was read as application/x-www-form-urlencoded: send Content-Type: application/json.";
  return { ...reply, body: { ...reply.body, message } };
}

/** A route without authentication must not come about by a field that was left out, nor a 404 by a parameter that is not in the path. */
function checkHead({ family, scope, path, right, channel, params = {} }: Head): void {
  for (const name of Object.keys(params))
    if (!path.includes(`{${name}}`)) throw new Error(`${path}: there is no {${name}} in the path.`);
  if ((family === "api_key") !== (right !== undefined))
    throw new Error(`${path}: channel endpoints, and only they, name the right that a key needs.`);
  if (right === "send" && channel === undefined && !path.includes("{channel}"))
    throw new Error(`${path}: an endpoint that sends has a channel, or its path names one.`);
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
  return (
    method === "GET" &&
    family !== "open" &&
    family !== "pool" &&
    query !== undefined &&
    "limit" in query.shape
  );
}

/** Reads a list when it is its turn, and only if its answer would be written. */
export async function inTurn<T>({ gate }: Call, read: () => Promise<T>): Promise<T | Problem> {
  const { semaphore, isFull } = gate.lists;
  return isFull()
    ? tooManyUnread
    : await semaphore.run(async () => (isFull() ? tooManyUnread : await read()));
}

/** The whole reply if a handler returns only the message and the data. */
function replyOf({ replies }: Head, answer: object | null): Reply | Problem | null {
  if (answer === null || "status" in answer) return answer as Reply | null;
  return { status: Number(Object.keys(replies)[0]), body: { success: true, ...answer } };
}

/**
 * `endpoint(head)(handler)`. A handler answers with the message and the data of the head's first reply, with one of the
 * head's replies in full, or with a problem. A `ProblemError` that it throws is its answer too. A handler of the
 * management API receives its body, query and parameters as the head's schemas read them, and no request that they refuse.
 *
 * @example
 * export const getGreetingRoute = endpoint({
 *   method: "GET",
 *   path: "/api/manage/v1/greeting",
 *   name: "getGreeting",
 *   tag: "Greetings",
 *   summary: "Get the greeting",
 *   scope: "self",
 *   replies: { 200: greetingReply },
 * })(async () => ({ message: "Greeting found.", data: { text: "Hello" } }));
 */
export function endpoint<const H extends Described>(described: H) {
  const ofAccount = described.scope === "account" && {
    params: { account: accountParam, ...described.params },
  };
  const head: Head = { family: "manage", ...described, ...ofAccount };
  checkHead(head);
  const names = head.path.includes("{");
  const list = isList(head);
  return (handler: (call: CallOf<H>) => Promise<HandlerAnswer<H>>): Endpoint => {
    const run = async (call: Call): Promise<Reply | Problem | null> => {
      try {
        const validated = head.family === "manage" ? validateCall(head, call as ManageCall) : call;
        return replyOf(head, await handler(validated as unknown as CallOf<H>));
      } catch (error) {
        if (error instanceof ProblemError) return error.problem;
        throw error;
      }
    };
    /** Of an authenticated caller: authentication comes before the query is validated. */
    const handle = async (admitted: Call): Promise<Reply | null> => {
      admitted.logged.account = accountOf(admitted);
      admitted.logged.keyId = keyOf(admitted);
      const refusal = queryRefusal(head, admitted.request);
      if (refusal !== null) return refusal;
      return withMediaHint(await (list ? inTurn(admitted, () => run(admitted)) : run(admitted)), admitted);
    };
    return { head, answer };

    async function answer(call: Call): Promise<Reply | null> {
      if (names && !isCleanPath(call.params)) return unknownPathReply(head);
      try {
        if (head.family === "open") return queryRefusal(head, call.request) ?? (await run(call));
        if (head.family === "manage") return await answerManaged(head, call, handle);
        if (head.family === "pool") return await answerPooled(head, call, handle);
        if (head.uploads === true) return await answerUpload(head, call, handle);
        const admitted = await admit(head, call);
        if (admitted === null || isProblem(admitted)) return admitted;
        return await handle(admitted);
      } catch (error) {
        // One net for all families: a route cannot forget it, and an outage is never a 500.
        if (!isStorageOutage(error)) throw error;
        call.gate.storageLog.record({ requestId: call.requestId, route: head.path, error });
        return storageErrorReply(head, error.fault);
      }
    }
  };
}
