// The secrets that are planted, by the place where they come in, and the peers that know some of them and repeat
// them in their answers, as badly written providers do.

import type { OutboundRequest, OutboundResult } from "#runtime/runtime.ts";
import { canary, wild } from "./search.ts";

const key = (name: string) => `tl_${canary(name, 32)}`;
const token = (name: string) => `tlm_${canary(name, 43)}`;
/** Its key's bytes are the canary's own letters. */
const webhookSecret = (name: string) => `whsec_${Buffer.from(canary(name)).toString("base64")}`;
/** Of a header's value: plain ASCII. */
const ascii = (name: string) => `${canary(name).slice(0, 12)}+/=%"&${canary(name).slice(12)}`;

export const planted = {
  // Channel API.
  apiKeyInHeader: key("apiKeyInHeader"),
  apiKeyInQuery: key("apiKeyInQuery"),
  apiKeyInBody: key("apiKeyInBody"),
  apiKeyBeforeTheLast: key("apiKeyBeforeTheLast"),
  wrongKeyInHeader: key("wrongKeyInHeader"),
  wrongKeyInQuery: key("wrongKeyInQuery"),
  wrongKeyInBody: key("wrongKeyInBody"),
  wrongKeyInForm: key("wrongKeyInForm"),
  keyInMalformedBody: key("keyInMalformedBody"),
  keyOfUnknownPath: key("keyOfUnknownPath"),
  keyOfWrongMethod: key("keyOfWrongMethod"),
  authorizationOfChannelCall: ascii("authorizationOfChannelCall"),
  cookieOfChannelCall: canary("cookieOfChannelCall"),
  // Gateways.
  gatewayPassword: canary("gatewayPassword"),
  gatewayBearer: canary("gatewayBearer"),
  gatewayHeader: ascii("gatewayHeader"),
  gatewayBodyField: wild("gatewayBodyField"),
  gatewayUrlQuery: canary("gatewayUrlQuery"),
  gatewayUrlPath: canary("gatewayUrlPath"),
  replacedGatewayHeader: canary("replacedGatewayHeader"),
  refusedGatewaySetting: canary("refusedGatewaySetting"),
  gatewayUrlPassword: canary("gatewayUrlPassword"),
  twilioAuthToken: canary("twilioAuthToken"),
  callbackToken: canary("callbackToken"),
  wrongCallbackToken: canary("wrongCallbackToken"),
  authorizationOfCallback: canary("authorizationOfCallback"),
  // Webhooks.
  webhookSecret: webhookSecret("webhookSecret"),
  webhookSecretBefore: webhookSecret("webhookSecretBefore"),
  refusedWebhookSecret: canary("refusedWebhookSecret"),
  webhookUrlPassword: canary("webhookUrlPassword"),
  webhookUrlQuery: canary("webhookUrlQuery"),
  webhookUrlPath: canary("webhookUrlPath"),
  // Incoming hooks.
  hookKey: canary("hookKey", 43),
  wrongHookKey: canary("wrongHookKey", 43),
  passwordInHookBody: canary("passwordInHookBody"),
  // Management.
  managementToken: token("managementToken"),
  wrongManagementToken: token("wrongManagementToken"),
  managementTokenInQuery: token("managementTokenInQuery"),
  basicPasswordOfManagementCall: canary("basicPasswordOfManagementCall"),
  operatorPassword: wild("operatorPassword"),
  changedPassword: wild("changedPassword"),
  memberPassword: wild("memberPassword"),
  wrongPassword: wild("wrongPassword"),
  wrongCurrentPassword: wild("wrongCurrentPassword"),
  refusedPassword: `${wild("refusedPassword")}${canary("refusedPassword", 200)}`,
  passwordAsAddress: canary("passwordAsAddress"),
  passwordOfMalformedBody: canary("passwordOfMalformedBody"),
  wrongSetupCode: `tls_${canary("wrongSetupCode", 43)}`,
  wrongSessionCookie: canary("wrongSessionCookie", 43),
  wrongCsrfToken: canary("wrongCsrfToken"),
  // The AI gateway.
  memberKey: canary("memberKey"),
  memberHeader: ascii("memberHeader"),
  replacedMemberKey: canary("replacedMemberKey"),
  refusedMemberSetting: canary("refusedMemberSetting"),
  memberClientSecret: canary("memberClientSecret"),
  memberAccessToken: canary("memberAccessToken"),
  poolKey: `tlp_${canary("poolKey", 43)}`,
  wrongPoolKey: `tlp_${canary("wrongPoolKey", 43)}`,
  poolKeyInQuery: `tlp_${canary("poolKeyInQuery", 43)}`,
  // What is asked for to be answered later: stored, and shown to the key that asked alone.
  deferringKey: `tlp_${canary("deferringKey", 43)}`,
  deferredPrompt: canary("deferredPrompt", 40),
  deferredMessage: canary("deferredMessage", 40),
  backgroundInput: canary("backgroundInput", 40),
  deferredHeader: canary("deferredHeader", 40),
  // Email.
  smtpPassword: wild("smtpPassword"),
  replacedSmtpPassword: wild("replacedSmtpPassword"),
  smtpCallbackToken: canary("smtpCallbackToken"),
  sesSecretKey: ascii("sesSecretKey"),
  sendgridApiKey: `SG.${canary("sendgridApiKey")}`,
  mailgunApiKey: ascii("mailgunApiKey"),
  mailgunSigningKey: wild("mailgunSigningKey"),
  postmarkServerToken: canary("postmarkServerToken"),
  postmarkCallbackToken: canary("postmarkCallbackToken"),
  resendApiKey: `re_${canary("resendApiKey")}`,
  resendWebhookSecret: webhookSecret("resendWebhookSecret"),
  brevoApiKey: canary("brevoApiKey"),
  brevoCallbackToken: canary("brevoCallbackToken"),
  wrongMailCallbackToken: canary("wrongMailCallbackToken"),
  refusedMailSetting: canary("refusedMailSetting"),
  refusedDkimKey: canary("refusedDkimKey", 64),
  // The installation.
  masterKey: wild("masterKey"),
  shortMasterKey: canary("shortMasterKey"),
  metricsToken: canary("metricsToken"),
  wrongMetricsToken: canary("wrongMetricsToken"),
  databasePassword: canary("databasePassword"),
  wrongDatabasePassword: canary("wrongDatabasePassword"),
  databasePasswordOfBadUrl: canary("databasePasswordOfBadUrl"),
  shortKeyOfProvisioning: canary("shortKeyOfProvisioning"),
  secretInWrongField: canary("secretInWrongField"),
  secretInWrongEnum: canary("secretInWrongEnum"),
  secretInBrokenYaml: canary("secretInBrokenYaml"),
} as const;

/**
 * What an account's owner sees where endpoints are shown is no leak there: the paths of their URLs. A list of endpoints without
 * them is of no use. Queries are masked.
 */
export const shownToTheirOwner: ReadonlySet<string> = new Set(["webhookUrlPath"]);

/** What a peer knows of us, spelled as it was given it. */
function knownTo({ url, headers = {} }: OutboundRequest): string[] {
  if (url.includes(".customer.")) {
    const { webhookSecretBefore: first, webhookSecret: second } = planted;
    // Two signatures: the secret was changed.
    return headers["webhook-signature"]?.includes(" ") ? [second, first, url] : [first, url];
  }
  const basic = headers.authorization?.slice("Basic ".length) ?? "";
  const pair = Buffer.from(basic, "base64").toString();
  if (url.includes(".twilio.")) return [basic, pair, planted.twilioAuthToken, url];
  const { gatewayBodyField: field } = planted;
  return [
    basic,
    pair,
    planted.gatewayBearer,
    planted.gatewayHeader,
    field,
    encodeURIComponent(field),
    JSON.stringify(field),
    planted.gatewayUrlQuery,
    url,
    planted.gatewayUrlPath,
    planted.callbackToken,
  ];
}

/** What a provider of this name does; all of them say what they know, each something else first. */
export const providers = [
  ...[
    "ok",
    "noid",
    "nojson",
    "refused",
    "deferred",
    "denied",
    "code",
    "lost",
    "unsent",
    "html",
    "words",
    "long",
  ],
  ...[302, 400, 401, 402, 403, 404, 409, 413, 422, 425, 429, 500, 502, 503].map((status) => `s${status}`),
];

/** Settings of a gateway for the provider of this name, with a secret wherever one can stand. */
export function settingsFor(provider: string, index: number) {
  const { gatewayUrlPath, gatewayUrlQuery, gatewayBodyField, callbackToken } = planted;
  return {
    url: `https://${provider}.provider.test/${gatewayUrlPath}/send?token=${gatewayUrlQuery}&to={{to}}`,
    headers: {
      authorization: `Basic ${Buffer.from(`user:${planted.gatewayPassword}`).toString("base64")}`,
      "x-bearer": `Bearer ${planted.gatewayBearer}`,
      "x-api-key": planted.gatewayHeader,
    },
    encoding: (["json", "form", "query"] as const)[index % 3],
    body: { text: "{{message}}", ref: "{{id}}", key: gatewayBodyField },
    success: ["refused", "deferred", "denied", "code"].includes(provider)
      ? { path: "$.code", equals: ["OK"], refused: ["R"], deferred: ["D"] }
      : { reference: "$.id" },
    callback: {
      token: callbackToken,
      reference: "$.id",
      id: "$.ref",
      status: "$.state",
      delivered: ["DELIVRD"],
      undelivered: ["UNDELIV"],
      error: "$.err",
    },
  };
}

let answers = 0;

function answer(status: number, body: object | string, headers: Record<string, string>): OutboundResult {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { kind: "answer", status, headers, body: Buffer.from(text) };
}

/** The counterpart of every outbound request: providers, Twilio and customers' endpoints, by the name of the host. */
export function respond(request: OutboundRequest): OutboundResult {
  answers += 1;
  const name = new URL(request.url).hostname.split(".")[0] ?? "";
  const known = knownTo(request);
  const first = answers % known.length;
  const reply = [...known.slice(first), ...known.slice(0, first)].join(" ");
  const echo = { url: request.url, headers: request.headers, body: String(request.body) };
  const headers = {
    location: request.url,
    "www-authenticate": `Basic realm="${reply.replaceAll('"', "")}"`,
    "set-cookie": `key=${reply.replaceAll(";", "")}`,
    "retry-after": "1",
    "x-echo": encodeURIComponent(JSON.stringify(echo)),
  };
  const status = Number(/^\w+?(\d{3})$/.exec(name)?.[1] ?? 200);
  const error = { message: reply, echo };
  switch (name) {
    case "noid":
      return answer(200, { error, echo }, headers);
    case "nojson":
      return answer(200, reply, headers);
    case "refused":
      return answer(200, { code: "R", message: reply }, headers);
    case "deferred":
      return answer(200, { code: "D", message: reply }, headers);
    case "denied":
      return answer(200, { code: "N", message: reply }, headers);
    case "code":
      return answer(200, { code: known[first] ?? "", message: reply }, headers);
    case "html":
      return answer(400, `<html><body>${reply}</body></html>`, headers);
    case "words":
      return answer(400, reply, headers);
    case "long":
      // Where a text is cut, in the middle of a secret.
      return answer(400, { message: `${"x".repeat(140 + ((answers * 7) % 50))}${reply}` }, headers);
    case "lost":
      return { kind: "no_answer", reason: `The peer hung up, saying ${reply}` };
    case "unsent":
      return { kind: "not_sent", code: "unreachable", reason: `No server there that knows ${reply}` };
    default:
      if (status !== 200) return answer(status, { error, code: 20003 }, headers);
      return answer(200, { id: `p-${answers}`, sid: `SM${answers}`, status: "queued", echo }, headers);
  }
}
