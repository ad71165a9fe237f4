// Any provider with an HTTP interface, described by settings: what to send, how to tell that it was
// taken, and how to read the provider's reports. The settings hold the provider's secrets wherever the
// provider wants them, so nothing of url, headers and body may reach a reason.

import { defineGateway, type GatewayTools, type Outcome, type OutgoingMessage } from "#gateways/gateway.ts";
import { cleanText, type FailureContext, outcomeOfFailure, providerText } from "#gateways/http-outcome.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { receiveHttpApi } from "./callback.ts";
import { parseJson, readPath, referenceFrom, textAt } from "./json-path.ts";
import { type HttpApiSettings, settings } from "./settings.ts";
import {
  fillForm,
  fillHeader,
  fillJson,
  fillUrl,
  leaves,
  literals,
  sampleValues,
  type Values,
} from "./template.ts";

export const httpApi = defineGateway({
  kind: "http-api",
  channels: ["sms"],
  title: "HTTP API",
  summary:
    "Any SMS provider with an HTTP interface: the settings describe its requests, answers and callbacks.",
  settings,
  urls: (own) => [fillUrl(own.url, sampleValues) ?? own.url],
  async send(message, own, tools): Promise<Outcome> {
    const request = requestOf(message, own, tools);
    if (request === null) {
      const reason = "The text cannot stand in the path of the gateway's URL.";
      return { kind: "rejected", code: "not_sendable", reason };
    }
    const result = await tools.outbound.request(request);
    return outcomeOf(result, own, tools.clock.now());
  },
  receive: (callback, own) => receiveHttpApi(callback, own.callback, () => secretsOf(own)),
});

/** The request for a message; null when its text would change the URL's path. */
function requestOf(
  message: OutgoingMessage,
  own: HttpApiSettings,
  tools: GatewayTools,
): OutboundRequest | null {
  const values: Values = {
    to: message.recipient,
    message: message.message,
    id: message.id,
    from: own.from ?? "",
  };
  let url = fillUrl(own.url, values);
  if (url === null) return null;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(own.headers)) headers[name] = fillHeader(value, values);
  const request: OutboundRequest = {
    method: own.method,
    url,
    headers,
    timeoutMs: tools.timeoutMs,
    signal: tools.signal,
  };
  if (own.body === undefined) return request;
  if (own.encoding === "query") {
    const query = fillForm(own.body, values);
    if (query !== "") url += (url.includes("?") ? "&" : "?") + query;
    return { ...request, url };
  }
  const isJson = own.encoding === "json";
  if (!Object.keys(headers).some((name) => name.toLowerCase() === "content-type")) {
    headers["content-type"] = isJson ? "application/json" : "application/x-www-form-urlencoded";
  }
  return { ...request, body: isJson ? fillJson(own.body, values) : fillForm(own.body, values) };
}

/**
 * What the provider's answer means; failures are read as everywhere (`outcomeOfFailure`). For a 2xx:
 * - a status outside `success.status`: `unknown`, the provider has said neither yes nor no
 * - `path` or `reference` given and the answer not JSON (a login page, a cut answer): `unknown`
 * - the value at `path` not there: `unknown`; one of `equals`: `accepted`; one of `deferred` or
 *   `refused`: `deferred` (the latter with the lane's trouble); any other: `rejected`, for the provider
 *   did answer, in its own error codes
 * - no `reference` in a good answer: `accepted` without one; receipts then need `callback.id`
 */
function outcomeOf(result: OutboundResult, own: HttpApiSettings, now: number): Outcome {
  const reading: FailureContext = { notAcceptedStatuses: own.definite, secrets: () => secretsOf(own), now };
  if (result.kind !== "answer" || result.status < 200 || result.status > 299) {
    return outcomeOfFailure(result, reading);
  }
  const { success } = own;
  if (!isSuccessStatus(result.status, success.status)) return outcomeOfFailure(result, reading);
  if (success.path === undefined && success.reference === undefined)
    return { kind: "accepted", reference: null };
  const json = parseJson(result.body);
  if (json === undefined) {
    const reason = `The provider answered ${result.status}, but not with JSON.`;
    return { kind: "unknown", code: "unreadable_answer", reason };
  }
  if (success.path !== undefined) {
    const value = textAt(json, success.path);
    if (value === null) {
      const reason = `The provider answered ${result.status} without ${success.path}.`;
      return { kind: "unknown", code: "unreadable_answer", reason: cleanText(reason, secretsOf(own), 290) };
    }
    if (!isOneOf(value, success.equals ?? [])) {
      const secrets = secretsOf(own);
      const text = providerText(result.body, secrets);
      const code = codeFrom(value, secrets);
      const reason = `The provider refused it${text === "" ? "." : `: ${text}`}`;
      if (isOneOf(value, success.refused)) return { kind: "deferred", code, reason, gatewayFault: "refused" };
      if (isOneOf(value, success.deferred)) return { kind: "deferred", code, reason };
      return { kind: "rejected", code, reason };
    }
  }
  const reference = success.reference === undefined ? null : readPath(json, success.reference);
  return { kind: "accepted", reference: referenceFrom(typeof reference === "string" ? reference : null) };
}

function isSuccessStatus(status: number, wanted: string | number): boolean {
  if (wanted === "2xx") return true;
  return String(wanted)
    .split(",")
    .some((code) => Number(code) === status);
}

function isOneOf(value: string, wanted: readonly (string | number | boolean)[]): boolean {
  return wanted.some((word) => String(word) === value);
}

/** A provider's own code, when it looks like one and is not a secret. */
function codeFrom(value: string, secrets: readonly string[]): string {
  return /^[\w.:-]{1,64}$/.test(value) && cleanText(value, secrets) === value ? value : "refused";
}

/**
 * Everything the operator wrote that may be a secret: header values (without their scheme too, and a
 * Basic pair decoded), what stands in the URL after the host, texts of the body, the callback's token.
 */
export function secretsOf(own: HttpApiSettings): string[] {
  const secrets = own.callback === undefined ? [] : [own.callback.token];
  for (const header of Object.values(own.headers)) {
    const [, scheme, credentials = ""] = /^(\S+) +(?! )(.*)$/s.exec(header) ?? [];
    secrets.push(...literals(header), ...literals(credentials));
    if (scheme?.toLowerCase() === "basic") {
      const pair = Buffer.from(credentials, "base64").toString("utf8");
      secrets.push(pair, ...pair.split(":"));
    }
  }
  const [, userinfo = "", path = "", query = ""] =
    /^https?:\/\/(?:([^/?]*)@)?[^/?@]*((?:\/[^?]*)?)(?:\?(.*))?$/is.exec(own.url) ?? [];
  for (const part of [userinfo, ...userinfo.split(":"), ...path.split("/")]) secrets.push(...textsIn(part));
  secrets.push(...textsIn(query));
  for (const leaf of leaves(own.body)) {
    const json = typeof own.body === "string" ? parseJson(leaf) : undefined;
    secrets.push(...(json === undefined ? [leaf] : leaves(json)).flatMap(textsIn));
  }
  return secrets.filter((secret) => secret !== "");
}

/** A text as it stands, and the values of its `name=value` pairs; without fields, and decoded too. */
function textsIn(text: string): string[] {
  const values = text.split(/[&;]/).map((pair) => pair.slice(pair.indexOf("=") + 1));
  return [text, ...values].flatMap(literals).flatMap((literal) => [literal, decoded(literal)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
