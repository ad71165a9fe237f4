// The phones' endpoints, below /api/mobile/v1, and the page that shows a person how to link one. Only the app uses these addresses, so the
// OpenAPI document leaves them out.

import { z } from "zod";
import { isProblem, problem } from "#contract/problem.ts";
import type { Call } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { type EventSource, eventStreamHeaders } from "#http/reply/sse.ts";
import { queryOf } from "#http/request.ts";
import { readDescription } from "#phones/wire.ts";
import { linkPageEndpoint } from "./link-page.ts";
import { asPhone, credentialOf, notAuthenticated, phonePath, readJson, withThrottle } from "./phone-call.ts";

const head = { tag: "Phones", family: "open", problems: [] } as const;
const failed = z.object({ message: z.string() });
const registered = z.object({ id: z.string(), token: z.string(), login: z.string() });

/** With the code that a person typed in, or with the token that the app was set up with. */
async function register(call: Call) {
  const read = await readJson(call);
  if (read === null || isProblem(read)) return read;
  const device = readDescription(read.value);
  if (device === null) return problem("malformed_body");
  const code = credentialOf(call, "Code");
  const secret = code === null ? "enrolment" : "code";
  // Counted before the look-up: of concurrent guesses, none is looked up beyond the limit.
  const retryAfterMs = code === null ? 0 : call.gate.signInLimits.linkCode(call.caller.ip);
  if (retryAfterMs > 0) return problem("rate_limited", { retryAfterMs });
  const linked = await withThrottle(call, code ?? credentialOf(call, "Bearer"), (text) =>
    call.core.phones.register({ secret, text }, device, call.request.headers["user-agent"]),
  );
  if (isProblem(linked) || "status" in linked) return linked;
  return { status: 201, body: linked } as const;
}

const describe = (call: Call) =>
  asPhone(call, async (linked) => {
    const read = await readJson(call);
    if (read === null || isProblem(read)) return read;
    const device = readDescription(read.value);
    if (device === null) return problem("malformed_body");
    if (device.id !== null && device.id !== linked.phone.gateway_id)
      return { status: 403, body: { message: "The token is of another device." } } as const;
    if (!(await call.core.phones.describe(linked, device))) return notAuthenticated;
    return { status: 204, body: "" } as const;
  });

async function fetchMessages(call: Call) {
  const order = queryOf(call.request).get("order");
  if (order !== null && order !== "lifo" && order !== "fifo")
    return { status: 400, body: { message: "The order is lifo or fifo." } } as const;
  return await asPhone(call, async (linked) => {
    const items = await call.core.phones.pull(linked, order === "lifo");
    return items === null ? notAuthenticated : ({ status: 200, body: items } as const);
  });
}

const report = (call: Call) =>
  asPhone(call, async (linked) => {
    const read = await readJson(call);
    if (read === null || isProblem(read)) return read;
    const outcome = await call.core.phones.report(linked, read.value);
    if (outcome === "malformed") return problem("malformed_body");
    return outcome === "revoked" ? notAuthenticated : ({ status: 204, body: "" } as const);
  });

/** The app's own server has accounts here, which do not exist in Trunkline. */
const notOffered = async () =>
  ({ status: 501, body: { message: "This server has no accounts for phones." } }) as const;

const messageEndpoints = (name: "message" | "messages"): Endpoint[] => [
  endpoint({
    ...head,
    method: "GET",
    path: `${phonePath}/${name}`,
    name: `fetch_${name}`,
    summary: "Fetch what a phone is to send",
    replies: { 200: z.array(z.object({ id: z.string() })), 400: failed, 401: failed },
  })(fetchMessages),
  endpoint({
    ...head,
    method: "PATCH",
    path: `${phonePath}/${name}`,
    name: `report_${name}`,
    summary: "Report what became of messages",
    replies: { 204: z.literal(""), 401: failed },
  })(report),
];

export const phoneEndpoints: readonly Endpoint[] = [
  endpoint({
    ...head,
    method: "POST",
    path: `${phonePath}/device`,
    name: "registerPhone",
    summary: "Register a phone",
    replies: { 201: registered, 401: failed },
  })(register),
  endpoint({
    ...head,
    method: "PATCH",
    path: `${phonePath}/device`,
    name: "describePhone",
    summary: "Say how a phone is",
    replies: { 204: z.literal(""), 401: failed, 403: failed },
  })(describe),
  endpoint({
    ...head,
    method: "GET",
    path: `${phonePath}/device`,
    name: "getPhoneAddress",
    summary: "Get the address that a phone has",
    replies: { 200: z.object({ externalIp: z.string() }) },
  })(async ({ caller }) => ({ status: 200, body: { externalIp: caller.ip } })),
  endpoint({
    ...head,
    method: "GET",
    path: `${phonePath}/user/code`,
    name: "getPhoneUserCode",
    summary: "Not offered",
    replies: { 501: failed },
  })(notOffered),
  endpoint({
    ...head,
    method: "PATCH",
    path: `${phonePath}/user/password`,
    name: "changePhoneUserPassword",
    summary: "Not offered",
    replies: { 501: failed },
  })(notOffered),
  ...messageEndpoints("message"),
  ...messageEndpoints("messages"),
  endpoint({
    ...head,
    method: "GET",
    path: `${phonePath}/settings`,
    name: "getPhoneSettings",
    summary: "Get the settings of a phone",
    replies: { 200: z.looseObject({}), 401: failed },
  })((call) =>
    asPhone(call, async (linked) => ({ status: 200, body: await call.core.phones.settings(linked) })),
  ),
  endpoint({
    ...head,
    method: "GET",
    path: `${phonePath}/webhooks`,
    name: "getPhoneWebhooks",
    summary: "Get the webhooks of a phone",
    replies: { 200: z.array(z.looseObject({})), 401: failed },
  })((call) =>
    asPhone(call, async (linked) => ({ status: 200, body: await call.core.phones.webhooks(linked) })),
  ),
  endpoint({
    ...head,
    method: "GET",
    path: `${phonePath}/events`,
    name: "streamPhoneEvents",
    summary: "Stream what a phone is to ask for",
    replies: { 200: z.custom<EventSource>(), 401: failed },
    replyType: "text/event-stream",
  })((call) =>
    asPhone(call, async (linked) => ({
      status: 200,
      body: call.core.phones.events(linked),
      headers: { ...eventStreamHeaders },
    })),
  ),
  linkPageEndpoint,
];

/**
 * The URL of a request. The app appends its paths to what a person typed in, so an address with a slash at its end makes two;
 * elsewhere doubled slashes name nothing.
 */
export function phoneUrl(url: string): string {
  if (!url.startsWith(`${phonePath}//`)) return url;
  let at = phonePath.length;
  while (url[at] === "/") at += 1;
  return `${phonePath}/${url.slice(at)}`;
}
