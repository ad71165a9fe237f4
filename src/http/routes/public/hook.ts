// POST /hooks/{name}: any JSON or form of another program, of which the hook's template makes messages. The hook's key decides the account.
// Nothing of the URL is logged but the route's pattern, since the key may be in its query.

import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { type Account, planExpired } from "#accounts/account.ts";
import { accountFromRow } from "#accounts/authenticate.ts";
import { hookSecret, hooks } from "#configure/hook.ts";
import { receivedHookReply } from "#contract/hooks/hooks.ts";
import { isObject } from "#contract/normalise.ts";
import { isProblem, type Problem, problem, refusals } from "#contract/problem.ts";
import { rateWait } from "#http/auth/api-key.ts";
import { readBytes } from "#http/body/bytes.ts";
import { mediaOf, type ParsedBody, parseBody } from "#http/body/parse.ts";
import { unreadBodyProblem } from "#http/body/read.ts";
import type { Call } from "#http/call.ts";
import { endpoint } from "#http/endpoint.ts";
import { isId } from "#http/path-params.ts";
import { queryOf } from "#http/request.ts";
import { refusal } from "#http/routes/messages/send.ts";
import { isStorageOutage } from "#http/storage-errors.ts";
import { messageChannels } from "#messaging/channels.ts";
import { noteBody, sendHook } from "#messaging/hooks/send.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { hashSecret } from "#runtime/secret.ts";
import { type FoundHook, findHook as findHookById, findHookByKey, type HookRow } from "#store/hooks/hooks.ts";

const maxBytes = 256 * 1024;
const maxKeyLength = 512;

/** The text that names one delivery, in its sender's header: ours, that of Standard Webhooks, and GitHub's. */
const deliveryHeaders = ["idempotency-key", "webhook-id", "x-github-delivery"] as const;
const maxDeliveryLength = 255;

/** Fields of a form whose only value is JSON: GitHub's and Uptime Kuma's. */
const jsonFields = ["payload", "data"];

const signatureHeader = "x-hub-signature-256";

const wrongKey = problem("unauthenticated", { message: "The hook's name or its key is wrong." });
const wrongSignature = problem("unauthenticated", { message: "X-Hub-Signature-256 is missing or wrong." });

/** The key of `Authorization: Bearer`, or else of `?key=`; null if there is none. */
function keyOf(request: IncomingMessage): string | null {
  const { authorization } = request.headers;
  const bearer = /^bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
  if (bearer !== undefined) return bearer;
  const keys = queryOf(request).getAll("key");
  return keys.length === 1 && keys[0] !== "" ? keys[0]! : null;
}

/** The hook of the name and the key, or without a key that of the id if it is signed, with its account. Guesses of keys are slowed down. */
async function findHook({ core, request, params, caller, gate }: Call): Promise<FoundHook | Problem> {
  const key = keyOf(request);
  if (key === null) {
    if (request.headers[signatureHeader] === undefined || !isId(params.name)) return wrongKey;
    const wait = gate.credentialThrottle.wait(caller.ip, "hook signature", params.name);
    if (wait > 0) return problem("rate_limited", { retryAfterMs: wait });
    const found = await core.database.run(findHookById, params.name);
    if (found !== null && hooks.rulesOf(found.hook).signed) return found;
    gate.credentialThrottle.record(caller.ip, "hook signature", params.name, false);
    return wrongKey;
  }
  if (key.length > maxKeyLength) return wrongKey;
  const hash = hashSecret(key);
  const wait = gate.credentialThrottle.wait(caller.ip, "hook", hash);
  if (wait > 0) return problem("rate_limited", { retryAfterMs: wait });
  const found = await core.database.run(findHookByKey, hash);
  const isRight = found !== null && (found.hook.name === params.name || found.hook.id === params.name);
  const next = gate.credentialThrottle.record(caller.ip, "hook", hash, isRight);
  if (isRight) return found;
  return next > 0 ? problem("rate_limited", { retryAfterMs: next }) : wrongKey;
}

/**
 * What is wrong with the signature of a body (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries); null if it is
 * right. Guesses are slowed down as those of keys.
 */
function signatureProblem(
  { core, request, caller, gate }: Call,
  hook: HookRow,
  bytes: Buffer,
): Problem | null {
  const wait = gate.credentialThrottle.wait(caller.ip, "hook signature", hook.id);
  if (wait > 0) return problem("rate_limited", { retryAfterMs: wait });
  const right = createHmac("sha256", hookSecret(core.sealer, hook)).update(bytes).digest("hex");
  const isRight = constantTimeEqual(String(request.headers[signatureHeader] ?? ""), `sha256=${right}`);
  const next = gate.credentialThrottle.record(caller.ip, "hook signature", hook.id, isRight);
  if (isRight) return null;
  return next > 0 ? problem("rate_limited", { retryAfterMs: next }) : wrongSignature;
}

interface Posted {
  bytes: Buffer;
  body: unknown;
}

/** JSON under any media type that is no form, and forms. Null if the client disconnected. */
async function readHookBody({ request, gate, share }: Call): Promise<Posted | Problem | null> {
  const { headers } = request;
  const encoding = (headers["content-encoding"] ?? "identity").toLowerCase();
  if (encoding !== "" && encoding !== "identity") return problem("unsupported_media_type");
  const limits = { ...gate.bodyLimits, maxBytes, exactNumbers: true };
  const read = await readBytes(request, limits, share);
  if (read.kind !== "bytes") return unreadBodyProblem(read.kind, maxBytes);
  const { bytes } = read;
  const parse = (type: string | undefined): ParsedBody | Problem =>
    parseBody(bytes, { ...headers, "content-type": type }, limits, share);
  const media = mediaOf(headers);
  const isForm = media === "urlencoded" || media === "multipart";
  const parsed = parse(isForm ? headers["content-type"] : "application/json");
  if (isProblem(parsed)) return parsed;
  if (parsed.looksLikeJson) {
    const json = parse("application/json");
    return isProblem(json) ? json : { bytes, body: json.value };
  }
  const inner = isForm ? jsonInside(parsed.value) : null;
  if (inner === null) return { bytes, body: parsed.value ?? {} };
  const json = parseBody(Buffer.from(inner), { "content-type": "application/json" }, limits, share);
  return { bytes, body: isProblem(json) ? parsed.value : json.value };
}

/** The JSON in the only field of a form, or null. */
function jsonInside(form: unknown): string | null {
  if (!isObject(form)) return null;
  const [field, ...others] = Object.entries(form);
  if (field === undefined || others.length > 0 || !jsonFields.includes(field[0])) return null;
  return typeof field[1] === "string" && /^\s*[[{]/.test(field[1]) ? field[1] : null;
}

function deliveryOf({ headers }: IncomingMessage): string | null {
  for (const name of deliveryHeaders) {
    const value = headers[name];
    if (typeof value === "string" && value !== "" && value.length <= maxDeliveryLength) return value;
  }
  return null;
}

export const receiveHookRoute = endpoint({
  method: "POST",
  path: "/hooks/{name}",
  name: "receiveHook",
  tag: "Hooks",
  summary: "Post to a hook",
  description:
    "Any JSON or form of at most 256 KiB. The hook's template makes messages of it, which are accepted as a send is: all of them, or none.",
  family: "open",
  params: { name: z.string().max(64).describe("The hook's name.") },
  query: z.object({
    key: z
      .string()
      .optional()
      .describe("The hook's key, or as `Authorization: Bearer`, which no proxy logs."),
  }),
  replies: { 200: receivedHookReply },
  problems: [
    "malformed_body",
    "insufficient_credit",
    "unauthenticated",
    "request_timeout",
    "conflict",
    "idempotency_in_progress",
    "body_too_large",
    "unsupported_media_type",
    "rate_limited",
    "unavailable",
    "commit_unknown",
  ],
})(async (call) => {
  const { core, gate } = call;
  const found = await findHook(call);
  if (isProblem(found)) return found;
  const { hook } = found;
  const account = accountFromRow(found.account);
  call.logged.account = account.id;
  call.logged.keyId = hook.id;
  const { active, per_minute, signed } = hooks.rulesOf(hook);
  const refused = (): Problem | null => {
    call.share.markAuthenticated();
    if (!active) return problem("conflict", { message: "The hook is switched off." });
    if (planExpired(account, core.clock.now())) return refusals.expired;
    // Checked first: a request that the account's limit refuses takes nothing from the hook's.
    const retryAfterMs = Math.max(gate.rateLimit(hook.id, per_minute, 0), rateWait(gate, account));
    if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
    gate.rateLimit(hook.id, per_minute);
    return null;
  };
  // The caller of a signed hook proves itself with the body, and takes nothing from the hook's limit before.
  const early = signed ? null : refused();
  if (early !== null) return early;
  const read = await readHookBody(call);
  if (read === null || isProblem(read)) return read;
  const late = signed ? (signatureProblem(call, hook, read.bytes) ?? refused()) : null;
  if (late !== null) return late;
  const { outcome, reply } = await accept(call, hook, account, read.body);
  if (outcome !== null) await note(call, hook, read.body, outcome);
  return reply;
});

interface Answer {
  /** What the hook shows about its last body; null if it cannot be stored now, or says nothing about the body. */
  outcome: string | null;
  reply: Problem | { message: string; data: { request_id: string; messages: number } };
}

async function accept(
  { core, request, requestId }: Call,
  hook: HookRow,
  account: Account,
  body: unknown,
): Promise<Answer> {
  const key = deliveryOf(request);
  // A changed hook makes another message of the same delivery, so it is another request.
  const idempotency = key === null ? null : { path: `/hooks/${hook.id}/${hook.revision}`, key };
  const of = { name: hook.name, fields: hooks.rulesOf(hook), account, requestId, idempotency };
  const { result, outcome } = await sendHook(core.acceptance, of, body);
  if (result.kind !== "accepted" && result.kind !== "replayed")
    return { outcome, reply: refusal(result, messageChannels[of.fields.channel].sending.creditUnit) };
  const data = { request_id: result.requestId, messages: result.ids.length };
  return { outcome, reply: { message: "The messages have been queued.", data } };
}

/** Keeps the body for the preview. Messages that were accepted stay accepted if it cannot be kept. */
async function note({ core }: Call, hook: HookRow, body: unknown, outcome: string): Promise<void> {
  await noteBody(core, hook, body, outcome).catch((error: unknown) => {
    if (!isStorageOutage(error)) throw error;
  });
}
