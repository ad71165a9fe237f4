// Shared code of the phones' endpoints: the token of a request, the reading of its body, and plain answers. The app decodes only JSON,
// reads nothing of an error but its status, and repeats every request that is not answered by a 2xx.

import { type Problem, problem } from "#contract/problem.ts";
import { readBytes } from "#http/body/bytes.ts";
import { noRoom } from "#http/body/parse.ts";
import { unreadBodyProblem } from "#http/body/read.ts";
import type { Call } from "#http/call.ts";
import type { LinkedPhone } from "#phones/phones.ts";
import { exceededBound } from "#runtime/json-bounds.ts";

/** The path prefix of the app's own server, so that the app's documentation applies here. */
export const phonePath = "/api/mobile/v1";

/** The credential of a request by its scheme. Null if the request has none. */
export function credentialOf(call: Call, scheme: "Bearer" | "Code"): string | null {
  const pattern = scheme === "Bearer" ? /^bearer +(\S{1,300}) *$/i : /^code +(\S{1,300}) *$/i;
  return pattern.exec(call.request.headers.authorization ?? "")?.[1] ?? null;
}

/** The app registers again only after a 401. */
export const notAuthenticated = { status: 401, body: { message: "The token is not valid." } } as const;

/** Checks a credential, rate-limited against guessing; null if it is wrong. */
export async function withThrottle<T>(
  call: Call,
  credential: string | null,
  look: (credential: string) => Promise<T | null>,
): Promise<T | typeof notAuthenticated | Problem> {
  if (credential === null) return notAuthenticated;
  const { credentialThrottle } = call.gate;
  const hash = call.core.sealer.digest(`shown ${credential}`);
  const waitMs = credentialThrottle.wait(call.caller.ip, "phone", hash);
  if (waitMs > 0) return problem("rate_limited", { retryAfterMs: waitMs });
  const found = await look(credential);
  const retryAfterMs = credentialThrottle.record(call.caller.ip, "phone", hash, found !== null);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  return found ?? notAuthenticated;
}

/** Answers for the phone whose token the request contains. */
export async function asPhone<Answer>(
  call: Call,
  answer: (linked: LinkedPhone) => Promise<Answer>,
): Promise<Answer | typeof notAuthenticated | Problem> {
  const linked = await withThrottle<LinkedPhone>(call, credentialOf(call, "Bearer"), (token) =>
    call.core.phones.authenticate(token, call.request.headers["user-agent"]),
  );
  return "tokenHash" in linked ? await answer(linked) : linked;
}

/** Far larger than any report or description, bytes. */
const maxBytes = 256 * 1024;
const bounds = { maxDepth: 16, maxValues: 20_000 };

/** The body as JSON, or the answer to a request without one; null if the client disconnected. */
export async function readJson(call: Call): Promise<{ value: unknown } | Problem | null> {
  const { request, gate, share } = call;
  const read = await readBytes(request, { ...gate.bodyLimits, maxBytes }, share);
  if (read.kind === "no_room") return noRoom;
  if (read.kind !== "bytes") return unreadBodyProblem(read.kind, maxBytes);
  if (exceededBound(read.bytes, bounds) !== null) return problem("malformed_body");
  try {
    return { value: JSON.parse(read.bytes.toString("utf8")) };
  } catch {
    return problem("malformed_body");
  }
}
