// GET /api/mobile/v1/settings, /webhooks and /events: how a phone is to be set, where it posts what it receives, and the stream
// that tells it when to ask.

import { z } from "zod";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { type EventSource, eventStreamHeaders } from "#http/reply/sse.ts";
import { isPhone, phoneHead, phoneOf, phonePath } from "./phone-call.ts";

const failed = z.object({ message: z.string() });

export const phoneConfigurationEndpoints: readonly Endpoint[] = [
  endpoint({
    ...phoneHead,
    method: "GET",
    path: `${phonePath}/settings`,
    name: "getPhoneSettings",
    summary: "Get the settings of a phone",
    replies: { 200: z.looseObject({}), 401: failed },
  })(async (call) => {
    const linked = await phoneOf(call);
    if (!isPhone(linked)) return linked;
    return { status: 200, body: { ...(await call.core.phones.settings(linked)) } };
  }),
  endpoint({
    ...phoneHead,
    method: "GET",
    path: `${phonePath}/webhooks`,
    name: "getPhoneWebhooks",
    summary: "Get the webhooks of a phone",
    replies: { 200: z.array(z.looseObject({})), 401: failed },
  })(async (call) => {
    const linked = await phoneOf(call);
    if (!isPhone(linked)) return linked;
    return { status: 200, body: (await call.core.phones.webhooks(linked)).map((hook) => ({ ...hook })) };
  }),
  endpoint({
    ...phoneHead,
    method: "GET",
    path: `${phonePath}/events`,
    name: "streamPhoneEvents",
    summary: "Stream what a phone is to ask for",
    replies: { 200: z.custom<EventSource>(), 401: failed },
    replyType: "text/event-stream",
  })(async (call) => {
    const linked = await phoneOf(call);
    if (!isPhone(linked)) return linked;
    return { status: 200, body: call.core.phones.events(linked), headers: { ...eventStreamHeaders } };
  }),
];
