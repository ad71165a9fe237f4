// Any provider with an HTTP interface, described by settings: what to send, how to tell that it was accepted, and how to
// read the provider's reports. Secrets may be anywhere in url, headers and body, so nothing of these may reach a reason.

import { defineGateway, type GatewayTools } from "#gateways/gateway.ts";
import { type FailureContext, outcomeOfFailure, providerText } from "#gateways/http-outcome.ts";
import { parseJson, readPath, referenceFrom, textAt } from "#gateways/json-path.ts";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { cleanText } from "#settings/redact.ts";
import { receiveHttpApi } from "./callback.ts";
import { type HttpApiSettings, httpApiSettings } from "./settings.ts";
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
  contents: ["text"],
  title: "HTTP API",
  summary:
    "Any SMS provider with an HTTP interface: the settings describe its requests, answers and callbacks.",
  settings: httpApiSettings,
  urls: (settings) => [fillUrl(settings.url, sampleValues) ?? settings.url],
  timeoutMs: (settings) => settings.timeout_ms,
  async send(message, settings, tools): Promise<Outcome> {
    const request = requestOf(message, settings, tools);
    if (request === null) {
      const reason = "The text cannot be put into the path of the gateway's URL.";
      return { kind: "rejected", code: "not_sendable", reason };
    }
    const result = await tools.outbound.request(request);
    return outcomeOf(result, settings, tools.clock.now());
  },
  receive: (callback, settings) => receiveHttpApi(callback, settings.callback, () => secretsOf(settings)),
});

/** The request for a message; null when its text would change the URL's path. */
function requestOf(
  message: OutgoingMessage<"text">,
  settings: HttpApiSettings,
  tools: GatewayTools,
): OutboundRequest | null {
  const values: Values = {
    to: message.recipient,
    message: message.content.text,
    id: message.id,
    from: settings.from ?? "",
  };
  let url = fillUrl(settings.url, values);
  if (url === null) return null;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings.headers)) headers[name] = fillHeader(value, values);
  const request: OutboundRequest = {
    method: settings.method,
    url,
    headers,
    timeoutMs: tools.timeoutMs,
    signal: tools.signal,
  };
  if (settings.body === undefined) return request;
  if (settings.encoding === "query") {
    const query = fillForm(settings.body, values);
    if (query !== "") url += (url.includes("?") ? "&" : "?") + query;
    return { ...request, url };
  }
  const isJson = settings.encoding === "json";
  if (!Object.keys(headers).some((name) => name.toLowerCase() === "content-type")) {
    headers["content-type"] = isJson ? "application/json" : "application/x-www-form-urlencoded";
  }
  return { ...request, body: isJson ? fillJson(settings.body, values) : fillForm(settings.body, values) };
}

/**
 * What the provider's answer means; failures are read as everywhere (`outcomeOfFailure`). For a 2xx:
 * - a status outside `success.status`: `unknown`, the provider has said neither yes nor no
 * - `path` or `reference` given and the answer not JSON (a login page, a cut answer): `unknown`
 * - the value at `path` not there: `unknown`; one of `equals`: `accepted`; one of `deferred` or
 *   `refused`: `deferred` (the latter with the lane's trouble); any other: `rejected`, for the provider
 *   did answer, in its settings error codes
 * - no `reference` in a good answer: `accepted` without one; receipts then need `callback.id`
 */
function outcomeOf(result: OutboundResult, settings: HttpApiSettings, now: number): Outcome {
  const context: FailureContext = {
    notAcceptedStatuses: settings.definite,
    secrets: () => secretsOf(settings),
    now,
  };
  if (result.kind !== "answer" || result.status < 200 || result.status > 299) {
    return outcomeOfFailure(result, context);
  }
  const { success } = settings;
  if (!isSuccessStatus(result.status, success.status)) return outcomeOfFailure(result, context);
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
      return {
        kind: "unknown",
        code: "unreadable_answer",
        reason: cleanText(reason, secretsOf(settings), 290),
      };
    }
    if (!isOneOf(value, success.equals ?? [])) {
      const secrets = secretsOf(settings);
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

function isSuccessStatus(status: number, expected: string | number): boolean {
  if (expected === "2xx") return true;
  return String(expected)
    .split(",")
    .some((code) => Number(code) === status);
}

function isOneOf(value: string, words: readonly (string | number | boolean)[]): boolean {
  return words.some((word) => String(word) === value);
}

/** A provider's settings code, when it looks like one and is not a secret. */
function codeFrom(value: string, secrets: readonly string[]): string {
  return /^[\w.:-]{1,64}$/.test(value) && cleanText(value, secrets) === value ? value : "refused";
}

/**
 * Everything in the settings that may be a secret: header values (also without their scheme, and a Basic pair decoded),
 * the URL after its host, texts of the body, the callback's token.
 */
export function secretsOf(settings: HttpApiSettings): string[] {
  const secrets = settings.callback === undefined ? [] : [settings.callback.token];
  for (const header of Object.values(settings.headers)) {
    const [, scheme, credentials = ""] = /^(\S+) +(?! )(.*)$/s.exec(header) ?? [];
    secrets.push(...literals(header), ...literals(credentials));
    if (scheme?.toLowerCase() === "basic") {
      const pair = Buffer.from(credentials, "base64").toString("utf8");
      secrets.push(pair, ...pair.split(":"));
    }
  }
  const [, userinfo = "", path = "", query = ""] =
    /^https?:\/\/(?:([^/?]*)@)?[^/?@]*((?:\/[^?]*)?)(?:\?(.*))?$/is.exec(settings.url) ?? [];
  for (const part of [userinfo, ...userinfo.split(":"), ...path.split("/")]) secrets.push(...textsIn(part));
  secrets.push(...textsIn(query));
  for (const leaf of leaves(settings.body)) {
    const json = typeof settings.body === "string" ? parseJson(leaf) : undefined;
    secrets.push(...(json === undefined ? [leaf] : leaves(json)).flatMap(textsIn));
  }
  return secrets.filter((secret) => secret !== "");
}

/** A text and the values of its `name=value` pairs, without template fields, each as written and decoded. */
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
