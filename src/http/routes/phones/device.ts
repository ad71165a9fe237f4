// POST, PATCH and GET /api/mobile/v1/device: a phone registers, says at each start how it is, and asks for its address. Also
// what the app's own server has for its accounts, which there are none of here.

import { z } from "zod";
import { isProblem, problem } from "#contract/problem.ts";
import type { Call } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import type { Registration } from "#phones/phones.ts";
import { readDescription } from "#phones/wire.ts";
import {
  credentialOf,
  isPhone,
  notAuthenticated,
  phoneHead,
  phoneOf,
  phonePath,
  readJson,
  withThrottle,
} from "./phone-call.ts";

const failed = z.object({ message: z.string() });
const registered = z.object({ id: z.string(), token: z.string(), login: z.string() });

/** By the code that a person typed in, or by the token that the app was set up with. */
async function register(call: Call) {
  const read = await readJson(call);
  if (read === null || isProblem(read)) return read;
  const device = readDescription(read.value);
  if (device === null) return problem("malformed_body");
  const code = credentialOf(call, "Code");
  const secret = code === null ? "enrolment" : "code";
  // Counted before the look-up: of guesses that come at once, none is looked up beyond the limit.
  const retryAfterMs = code === null ? 0 : call.gate.signInLimits.linkCode(call.caller.ip);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  const linked = await withThrottle<Registration>(call, code ?? credentialOf(call, "Bearer"), (text) =>
    call.core.phones.register({ secret, text }, device, call.request.headers["user-agent"]),
  );
  if (isProblem(linked) || "status" in linked) return linked;
  return { status: 201, body: linked } as const;
}

async function describe(call: Call) {
  const linked = await phoneOf(call);
  if (!isPhone(linked)) return linked;
  const read = await readJson(call);
  if (read === null || isProblem(read)) return read;
  const device = readDescription(read.value);
  if (device === null) return problem("malformed_body");
  if (device.id !== null && device.id !== linked.phone.gateway_id)
    return { status: 403, body: { message: "The token is of another device." } } as const;
  if (!(await call.core.phones.describe(linked, device))) return notAuthenticated;
  return { status: 204, body: "" } as const;
}

const notOffered = async () =>
  ({ status: 501, body: { message: "This server has no accounts for phones." } }) as const;

export const deviceEndpoints: readonly Endpoint[] = [
  endpoint({
    ...phoneHead,
    method: "POST",
    path: `${phonePath}/device`,
    name: "registerPhone",
    summary: "Register a phone",
    replies: { 201: registered, 401: failed },
  })(register),
  endpoint({
    ...phoneHead,
    method: "PATCH",
    path: `${phonePath}/device`,
    name: "describePhone",
    summary: "Say how a phone is",
    replies: { 204: z.literal(""), 401: failed, 403: failed },
  })(describe),
  endpoint({
    ...phoneHead,
    method: "GET",
    path: `${phonePath}/device`,
    name: "getPhoneAddress",
    summary: "Get the address that a phone has",
    replies: { 200: z.object({ externalIp: z.string() }) },
  })(async ({ caller }) => ({ status: 200, body: { externalIp: caller.ip } })),
  endpoint({
    ...phoneHead,
    method: "GET",
    path: `${phonePath}/user/code`,
    name: "getPhoneUserCode",
    summary: "Not offered",
    replies: { 501: failed },
  })(notOffered),
  endpoint({
    ...phoneHead,
    method: "PATCH",
    path: `${phonePath}/user/password`,
    name: "changePhoneUserPassword",
    summary: "Not offered",
    replies: { 501: failed },
  })(notOffered),
];
