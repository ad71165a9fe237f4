// Any provider with an HTTP interface, described by settings: what to send, how to recognise acceptance, and how to read the provider's
// reports. They are compiled to what a vendor's own file contains (`defineHttpSms`). Secrets may be anywhere in url, headers and body, so
// nothing of these may appear in a reason.

import { type Json, parseJson, readPath, textAt } from "#gateways/json-path.ts";
import type { SmsCallback } from "#gateways/sms/engine/callback.ts";
import { defineHttpSms } from "#gateways/sms/engine/http-sms.ts";
import type { SmsRequest } from "#gateways/sms/engine/request.ts";
import type { Sms } from "#gateways/sms/engine/sms.ts";
import type { Answer, AnswerFormat, Verdict } from "#gateways/vendor-outcome.ts";
import { callbackOf } from "./callback.ts";
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

export const httpApi = defineHttpSms({
  kind: "http-api",
  title: "HTTP API",
  summary:
    "Any SMS provider with an HTTP interface: the settings describe its requests, answers and callbacks.",
  settings: httpApiSettings,
  url: (settings) => fillUrl(settings.url, sampleValues) ?? settings.url,
  request: requestOf,
  answer: answerOf,
  callback: (settings): SmsCallback<HttpApiSettings> => callbackOf(settings.callback),
  secrets: secretsOf,
});

/** The request for a message; null if its text would change the URL's path. */
function requestOf(sms: Sms, settings: HttpApiSettings): SmsRequest | null {
  const values: Values = { to: sms.to, message: sms.text, id: sms.id, from: settings.from ?? "" };
  const url = fillUrl(settings.url, values);
  if (url === null) return null;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings.headers)) headers[name] = fillHeader(value, values);
  const request: SmsRequest = { method: settings.method, url, headers };
  if (settings.body === undefined) return request;
  if (settings.encoding === "query") {
    const query = fillForm(settings.body, values);
    return query === "" ? request : { ...request, url: `${url}${url.includes("?") ? "&" : "?"}${query}` };
  }
  const isJson = settings.encoding === "json";
  if (!Object.keys(headers).some((name) => name.toLowerCase() === "content-type")) {
    headers["content-type"] = isJson ? "application/json" : "application/x-www-form-urlencoded";
  }
  return { ...request, body: isJson ? fillJson(settings.body, values) : fillForm(settings.body, values) };
}

/**
 * What the provider's answers mean; failures are read as everywhere (`outcomeOfFailure`). For a 2xx:
 * - a status outside `success.status`: `unknown`, the provider has neither accepted nor refused
 * - `path` or `reference` given and the answer not JSON (a login page, a cut answer): `unknown`
 * - the value at `path` not there: `unknown`; one of `equals`: `accepted`; one of `deferred` or
 *   `refused`: `deferred` (the latter with the lane's trouble); any other: `rejected`, for the provider
 *   did answer, in its settings error codes
 * - no `reference` in a good answer: `accepted` without one; receipts then need `callback.id`
 */
function answerOf({ success, definite }: HttpApiSettings): AnswerFormat {
  return {
    vendor: "The provider",
    reference: (json) => {
      const value = success.reference === undefined ? null : readPath(json, success.reference);
      return typeof value === "string" ? value : null;
    },
    referenceOptional: true,
    verdict: (json, answer) => verdictOf(json, answer, success),
    notAcceptedStatuses: () => definite,
  };
}

function verdictOf(json: Json | undefined, { status }: Answer, success: HttpApiSettings["success"]): Verdict {
  if (!isSuccessStatus(status, success.status)) return { kind: "unexpected" };
  if (success.path === undefined && success.reference === undefined) return { kind: "taken" };
  if (json === undefined) return { kind: "unreadable", why: ", but not with JSON" };
  if (success.path === undefined) return { kind: "taken" };
  const value = textAt(json, success.path);
  if (value === null) return { kind: "unreadable", why: ` without ${success.path}` };
  if (isOneOf(value, success.equals ?? [])) return { kind: "taken" };
  const isLater = isOneOf(value, success.deferred);
  const fault = isOneOf(value, success.refused) ? "configuration" : isLater ? "transient" : "unclear";
  return { kind: "refused", code: value, fault };
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

/**
 * Everything in the settings that may be a secret: header values (also without their scheme, and a Basic pair decoded), the URL after its
 * host, texts of the body, the callback's token.
 */
function secretsOf(settings: HttpApiSettings): string[] {
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
