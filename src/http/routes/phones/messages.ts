// GET and PATCH /api/mobile/v1/message, also called /messages: a phone fetches what it is to send, and reports what became of it.

import { z } from "zod";
import { isProblem, problem } from "#contract/problem.ts";
import type { Call } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { queryOf } from "#http/request.ts";
import { isPhone, notAuthenticated, phoneHead, phoneOf, phonePath, readJson } from "./phone-call.ts";

const failed = z.object({ message: z.string() });

async function list(call: Call) {
  const order = queryOf(call.request).get("order");
  if (order !== null && order !== "lifo" && order !== "fifo")
    return { status: 400, body: { message: "The order is lifo or fifo." } } as const;
  const linked = await phoneOf(call);
  if (!isPhone(linked)) return linked;
  const items = await call.core.phones.pull(linked, order === "lifo");
  return items === null ? notAuthenticated : ({ status: 200, body: items } as const);
}

async function report(call: Call) {
  const linked = await phoneOf(call);
  if (!isPhone(linked)) return linked;
  const read = await readJson(call);
  if (read === null || isProblem(read)) return read;
  switch (await call.core.phones.report(linked, read.value)) {
    case "malformed":
      return problem("malformed_body");
    case "revoked":
      return notAuthenticated;
    case "stored":
      return { status: 204, body: "" } as const;
  }
}

const endpointsOf = (name: "message" | "messages"): Endpoint[] => [
  endpoint({
    ...phoneHead,
    method: "GET",
    path: `${phonePath}/${name}`,
    name: `fetch_${name}`,
    summary: "Fetch what a phone is to send",
    replies: { 200: z.array(z.object({ id: z.string() })), 400: failed, 401: failed },
  })(list),
  endpoint({
    ...phoneHead,
    method: "PATCH",
    path: `${phonePath}/${name}`,
    name: `report_${name}`,
    summary: "Report what became of messages",
    replies: { 204: z.literal(""), 401: failed },
  })(report),
];

export const phoneMessageEndpoints: readonly Endpoint[] = [
  ...endpointsOf("message"),
  ...endpointsOf("messages"),
];
