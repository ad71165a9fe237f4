// The types of a request on its way through the edge: the head that describes an endpoint, the gate that admits its
// callers, and what each family's handler receives.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Account } from "#accounts/account.ts";
import type { Authenticator } from "#accounts/authenticate.ts";
import type { AiGateway } from "#ai/ai.ts";
import type { Opened } from "#ai/pools/pools.ts";
import type { AiProblemCode } from "#contract/ai/openai-error.ts";
import type { Form } from "#contract/ai/operations.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { Problem, ProblemCode } from "#contract/problem.ts";
import type { AccountChanges } from "#core/account-changes.ts";
import type { Core } from "#core/core.ts";
import type { CredentialThrottle } from "#http/auth/credential-throttle.ts";
import type { RateLimit } from "#http/auth/rate-limit.ts";
import type { SignInLimits } from "#http/auth/sign-in-limits.ts";
import type { BodyBudget, BodyShare } from "#http/body/budget.ts";
import type { BodyLimits, UploadLimits } from "#http/body/limits.ts";
import type { ParsedBody } from "#http/body/parse.ts";
import type { Reply } from "#http/reply/response.ts";
import type { PasswordHasher } from "#identity/password.ts";
import type { Principal } from "#identity/principal.ts";
import type { Session } from "#identity/session.ts";
import type { Acceptance } from "#messaging/accept/acceptance.ts";
import type { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import type { Callbacks } from "#messaging/feedback/callbacks.ts";
import type { OpenAndClickTracking } from "#messaging/feedback/opens-and-clicks.ts";
import type { Phones } from "#phones/phones.ts";
import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { Semaphore } from "#runtime/waiting/semaphore.ts";
import type { AccountRow } from "#store/accounts/accounts.ts";
import type { HttpSettings } from "./settings.ts";
import type { StorageLog } from "./storage-log.ts";

/**
 * `api_key`: a channel endpoint, for the holder of an account's key. `manage`: the management API, for signed-in
 * people and holders of a management token; see `scope`. `pool`: an AI endpoint, for the holder of a pool key; its
 * errors have OpenAI's shape. `open`: no gate; the handler authenticates its callers, if it needs to.
 */
type Family = "api_key" | "manage" | "pool" | "open";

/**
 * The scope of a management endpoint. `account`: its path names an `{account}`, which the caller must be allowed to
 * manage (any other account is the same 404 as an unknown one). `installation`: operators only. `self`: every
 * signed-in person and token. `anonymous`: no credentials, for sign-in and set-up.
 */
type Scope = "account" | "installation" | "self" | "anonymous";

/** What an endpoint is: the router, the gates and the OpenAPI document are made from it. */
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
  /** Set for, and only for, the family `manage`, which it implies. */
  scope?: Scope;
  /** Set for, and only for, a channel endpoint: what a named key needs a scope for. `send`: that of the channel. `read`: of
   * messages, which the handler bounds for a key with `read:own`. */
  right?: "account" | "read" | "send";
  /** The channel of an endpoint that sends, where its path has no `{channel}`. */
  channel?: Channel;
  /** Descriptions of the path parameters. The scope `account` implies that of the account. */
  params?: Record<string, z.ZodType>;
  /** The last path parameter, if its value may contain slashes. */
  wildcard?: string;
  /** Request headers besides the usual ones, for the OpenAPI document. */
  headers?: Record<string, z.ZodType>;
  query?: z.ZodObject;
  /** Set for an endpoint whose body is read. */
  body?: z.ZodObject;
  /** For an endpoint of the management API that is no GET and changes nothing: the audit log does not name it. */
  changesNothing?: true;
  /** For an endpoint of the management API: the answer to a caller whom the scope admits and the operation does not; null
   * for any other. It precedes the validation of the query and the body. */
  refuse?: (principal: Principal) => Problem | null;
  /** For a GET of the management API: each call leaves an entry in the audit log, as a change does. */
  audited?: true;
  /** For an endpoint of the management API: the maximum body size if it is not the usual 1 MiB. */
  maxBytes?: number;
  /** For a channel endpoint: a multipart body may contain files, which are stored while they arrive. */
  uploads?: true;
  /** For an AI endpoint: the body is a form with files instead of JSON. */
  form?: true;
  /** Status to the schema of its body. */
  replies: Record<number, z.ZodType>;
  /** Media type of replies other than JSON. */
  replyType?: string;
  /** Media types that successful replies may have instead, for the OpenAPI document. */
  otherReplyTypes?: readonly string[];
  /** For an open endpoint: the reply to a path parameter that names nothing. Default: the problem `not_found`. */
  notFound?: Reply;
  /** For an open endpoint: the reply while storage is unavailable. Default: the problem `unavailable`. */
  unavailable?: Reply;
  /** For an AI endpoint: errors besides those of its gate. */
  aiProblems?: readonly AiProblemCode[];
  /** The problems that may be answered, besides those of the family and the scope. */
  problems?: readonly ProblemCode[];
}

/** Whether the process can serve requests. */
interface Readiness {
  ready: boolean;
  /** By the name of each check, `"ok"` or what is wrong. */
  checks: Record<string, string>;
}

interface FileComparison {
  errors: string[];
  changes: string[];
}

/** The provisioning file. A file with errors changes nothing. */
interface FileProvisioning {
  compare(file: unknown): Promise<FileComparison>;
  apply(file: unknown): Promise<FileComparison & { made: { what: string; secret: string }[] }>;
  export(): Promise<{
    file: Readonly<Record<string, unknown>>;
    variables: string[];
    left_out: string[];
  }>;
}

/** The core, with the stateful components that the HTTP layer calls. */
export interface HttpCore extends Core {
  authenticator: Authenticator;
  acceptance: Acceptance;
  callbacks: Callbacks;
  openAndClickTracking: OpenAndClickTracking;
  phones: Phones;
  passwords: PasswordHasher;
  ai: Pick<
    AiGateway,
    | "accept"
    | "authenticate"
    | "countTokens"
    | "health"
    | "keyLevels"
    | "models"
    | "openForPerson"
    | "serve"
    | "unpricedModels"
  >;
  readiness(): Promise<Readiness>;
  accountChanges: AccountChanges;
  provisioning: FileProvisioning;
  /** The id of this process. */
  processId: string;
  /** When this process started, epoch ms. */
  startedAt: number;
  /** When this process last saw a new heartbeat of each process, epoch ms by id. */
  heartbeatsSeen(): ReadonlyMap<string, number>;
  /** Whether a sealed copy of new API keys is kept, so that a signed-in person can see them again. */
  showApiKeys: boolean;
}

/** The client's address and the host it asked for, as reported by trusted proxies, or as the socket has them. */
export interface Caller {
  readonly ip: string;
  readonly host: string;
}

/** What admits requests: limits, throttles and budgets that all endpoints share. */
export interface Gate {
  core: Pick<HttpCore, "authenticator" | "clock">;
  uploads: UploadLimits;
  rateLimit: RateLimit;
  credentialThrottle: CredentialThrottle;
  signInLimits: SignInLimits;
  storageLog: StorageLog;
  bodyLimits: BodyLimits;
  /** For a body that is read before the key is known. */
  keylessLimits: BodyLimits;
  /** The memory that all bodies share. */
  bodies: BodyBudget;
  lists: ListGate;
}

/** Limits how many lists are read at once. */
interface ListGate {
  semaphore: Semaphore;
  /** Whether so many large replies wait for their clients that another one would not be written. */
  isFull(): boolean;
}

/** What every handler receives. */
export interface Call {
  core: HttpCore;
  settings: HttpSettings;
  request: IncomingMessage;
  /** For noticing that the client disconnects. The endpoint's caller writes the reply. */
  response: ServerResponse;
  requestId: string;
  caller: Caller;
  params: Readonly<Record<string, string>>;
  gate: Gate;
  /** Additional fields of the request's log line. */
  logged: { account: string | null; keyId: string | null };
  /** The request body's share of the memory budget; released when the request is answered. */
  share: BodyShare;
}

/** What the handler of a channel endpoint receives. `body` is empty when the head has none. */
export interface AccountCall extends Call {
  account: Account;
  body: ParsedBody;
  /** Where the request's files go; null if the endpoint takes none. */
  upload: AttachmentUpload | null;
}

/** What the handler of a channel endpoint with uploads receives. */
export interface UploadCall extends AccountCall {
  /** Contains the files of a form already. */
  upload: AttachmentUpload;
}

/** What the handler of an anonymous management endpoint receives. */
export interface AnonymousCall extends Call {
  body: ParsedBody;
}

/** What the handler of any other management endpoint receives. */
export interface ManageCall extends AnonymousCall {
  principal: Principal;
  /** Null for a management token. `session.fresh` says whether the password was entered recently. */
  session: Session | null;
}

/** What the handler of an endpoint with the scope `account` receives: an account that the caller may manage. */
export interface ManageAccountCall extends ManageCall {
  account: AccountRow;
}

/** What the handler of an AI endpoint receives. */
export interface PoolCall extends Call {
  /** The key with the pool that it gives access to. */
  opened: Opened;
  /** The body's text; empty when the head has none, or a form. */
  text: string;
  /** The body of a head with a form. */
  form: Form | null;
  /** Aborts when the client disconnects. */
  signal: LightAbortSignal;
}
