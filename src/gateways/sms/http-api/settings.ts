// The settings of an `http-api` gateway: a provider's HTTP interface, described instead of programmed. Unknown fields, headers that would
// break the request framing, and templates without the recipient or the text are refused when saved, so that they cannot fail later.

import { z } from "zod";
import { timeoutField } from "#gateways/http-settings.ts";
import { parsePath } from "#gateways/json-path.ts";
import { headersField } from "#settings/headers.ts";
import { secret } from "#settings/secrets.ts";
import { urlMark } from "#settings/url.ts";
import { fillJson, fillUrl, hasField, sampleValues } from "./template.ts";

const path = () =>
  z.string().refine((text) => parsePath(text) !== null, {
    error: "Must be a path such as $.id, $.messages[0].id or $['message-id'].",
  });

/** One value of JSON; compared as text, so that 0 and "0" are the same. */
const word = z.union([z.string(), z.number(), z.boolean()], {
  error: "Must be a text, a number, true or false.",
});
const words = () => z.array(word);

const statusWords = 'Must be "2xx", or status codes from 200 to 299 such as "200,202".';

const success = z.strictObject({
  status: z
    .union([z.string(), z.number()], { error: statusWords })
    .refine((status) => /^(2xx|2\d\d(\s*,\s*2\d\d)*)$/.test(String(status)), { error: statusWords })
    .default("2xx")
    .describe('The HTTP status that means success: "2xx", or codes such as "200,202".'),
  reference: path().optional().describe("Path of the provider's message id in its JSON answer."),
  path: path()
    .optional()
    .describe("Path of the result in the JSON answer, for providers that answer 200 to everything."),
  equals: words()
    .min(1)
    .optional()
    .describe("The values at `path` that mean success. Any other value is a refusal."),
  deferred: words().default([]).describe("The values at `path` that mean: not accepted, try again later."),
  refused: words()
    .default([])
    .describe(
      "The values at `path` that mean that the gateway is at fault (credentials, balance): it pauses.",
    ),
});

const callback = z.strictObject({
  token: secret().min(8).describe("The token that the provider repeats in the callback's URL (`?token=…`)."),
  items: path().optional().describe("Path of the list, if one callback reports on several messages."),
  reference: path().optional().describe("Path of the provider's message id in a report."),
  id: path().optional().describe("Path of our id in a report, which the request sent as {{id}}."),
  status: path().describe("Path of the status in a report."),
  sent: words().default([]).describe("The statuses that mean: handed on, not delivered yet."),
  delivered: words().default([]).describe("The statuses that mean: delivered."),
  undelivered: words().default([]).describe("The statuses that mean: not delivered."),
  failed: words().default([]).describe("The statuses that mean: never sent."),
  error: path().optional().describe("Path of the reason in a report of a message that was not delivered."),
});

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const bodyField = z.union([z.string(), z.record(z.string(), z.json()), z.array(z.json())], {
  error: "Must be a text, an object or a list.",
});

export const httpApiSettings = z
  .strictObject({
    url: z
      .string()
      .regex(/^https?:\/\/[^/?#{}\s]+([/?][^#\s]*)?$/i, {
        error: "Must be an http or https URL, without a fragment and with no {{field}} in its host.",
      })
      .meta({ secret: true, ...urlMark })
      .describe("The URL that the message is sent to, with {{fields}} in the path and the query."),
    method: z.enum(["GET", "POST", "PUT", "PATCH"]).default("POST").describe("The HTTP method."),
    headers: headersField()
      .default({})
      .meta({ secret: true })
      .describe(
        "Headers of the request, such as the one with the provider's key. They may contain {{fields}}.",
      ),
    body: bodyField
      .optional()
      .meta({ secret: true })
      .describe("The body: fields that contain {{to}}, {{message}}, {{id}} and {{from}}, or a text."),
    encoding: z
      .enum(["json", "form", "query"])
      .default("json")
      .describe("How the body is sent. `json`: as JSON. `form`: as a form. `query`: appended to the URL."),
    from: z.string().min(1).optional().describe("The sender, which replaces {{from}}."),
    success: success.prefault({}).describe("How to recognise that the provider accepted the message."),
    definite: z
      .array(z.int().min(400).max(599))
      .default([])
      .describe("Status codes with which this provider certainly has not accepted the message, such as 503."),
    callback: callback.optional().describe("How to read the provider's delivery reports."),
    timeout_ms: timeoutField,
  })
  .superRefine((value, context) => {
    const addIssue = (path: string[], message: string) =>
      context.addIssue({ code: "custom", path, message, input: undefined });
    for (const field of ["to", "message"] as const) {
      if (!hasField(value, field)) addIssue(["body"], `{{${field}}} is missing from url, headers and body.`);
    }
    if (value.from === undefined && hasField(value, "from")) addIssue(["from"], "Needed for {{from}}.");
    if (!URL.canParse(fillUrl(value.url, sampleValues) ?? "")) addIssue(["url"], "Must be a valid URL.");
    if (value.body !== undefined) {
      if (value.method === "GET" && value.encoding !== "query") {
        addIssue(["encoding"], "A GET request has no body: use the encoding query.");
      }
      const problem = bodyProblem(value.body, value.encoding);
      if (problem !== null) addIssue(["body"], problem);
    }
    const { path, equals, deferred, refused } = value.success;
    if ((path === undefined) !== (equals === undefined)) {
      addIssue(["success", path === undefined ? "path" : "equals"], "`path` and `equals` go together.");
    }
    if (path === undefined && deferred.length + refused.length > 0) {
      addIssue(["success", "path"], "Needed for `deferred` and `refused`.");
    }
    if (
      value.callback !== undefined &&
      value.callback.reference === undefined &&
      value.callback.id === undefined
    ) {
      addIssue(["callback", "reference"], "Either `reference` or `id` is needed.");
    }
  });

export type HttpApiSettings = z.output<typeof httpApiSettings>;
export type HttpApiCallback = NonNullable<HttpApiSettings["callback"]>;

function bodyProblem(body: z.output<typeof bodyField>, encoding: "json" | "form" | "query"): string | null {
  if (encoding === "json") {
    if (typeof body !== "string") return null;
    try {
      JSON.parse(fillJson(body, sampleValues));
      return null;
    } catch {
      return "Not JSON, once its {{fields}} are filled in.";
    }
  }
  if (typeof body === "string") return null;
  const values = Array.isArray(body) ? null : Object.values(body).flat();
  return values?.every((value) => scalar.safeParse(value).success)
    ? null
    : "Must be a text, or fields with a text, a number, true, false or a list of these.";
}
