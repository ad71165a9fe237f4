// The reference page of errors: every code in replies and records. The codes of the HTTP edge come from its catalogues;
// the tables here have the others. A test reads the source for codes and fails for each that this page does not have,
// so a new code is a new line here.

import { clientApis } from "#ai/apis/apis.ts";
import { aiProblem, aiProblems } from "#contract/ai/openai-error.ts";
import { problems, refusals, validationFailed } from "#contract/problem.ts";
import { code, table } from "./docs-tables.ts";

/** For AI endpoints, besides `aiProblems`: the result of calling the pool's members. Status and when. */
export const poolCodes: Record<string, readonly [status: string, when: string]> = {
  unsupported_parameter: ["400", "No member of the pool can do what a parameter asks for; `param` names it."],
  context_length_exceeded: ["400", "The request is too long for every available member."],
  content_filter: ["400", "A member's safety rules refuse the request or its answer."],
  provider_denied: [
    "502",
    "The members' own keys, balances or permissions were refused. Nothing is wrong with the caller's key.",
  ],
  bad_upstream_answer: ["502", "A member answered with something that cannot be read, or is too long."],
  empty_answer: ["502", "A member's answer was empty."],
  malformed_frame: ["502", "A member's stream contains something that cannot be parsed."],
  upstream_cut: [
    "502",
    "A member's answer broke off. In a stream that had begun, the error is its last event; the events before it stay valid.",
  ],
  upstream_timeout: ["504", "A member did not answer, or not go on answering, in the time that it has."],
  upstream_unreachable: ["502", "No connection to a member came about."],
  url_not_allowed: [
    "502",
    "A member's address leads where requests may not go (`TRUNKLINE_OUTBOUND_ALLOW`).",
  ],
  no_member: ["503", "The pool has no member that could serve this."],
  ...Object.assign({}, ...clientApis.map(({ codes }) => codes)),
  expired: ["failed", "Of a deferred completion: 24 hours after its time it has no answer."],
  restored: [
    "failed",
    "Of a deferred completion: it waited when the copy was made that the installation was restored from.",
  ],
  sandbox_failing: ["503", "The sandbox's model `failing` was called, which never works."],
};

/** `error.code` of messages, and `code` of their events: Trunkline's own codes. */
export const messageCodes: Record<string, string> = {
  suppressed: "The recipient is on the suppression list, ours or the vendor's. Nothing was sent.",
  too_late: "It was found due longer ago than the account's `lateness_ms` allows. Nothing was sent.",
  too_late_to_repeat:
    "It may have been sent, and the vendor would not notice any more that another try is a repetition.",
  interrupted: "The process that was sending it ended before the outcome was known.",
  phone_gone:
    "The phone that had it was replaced, or its link was ended, before it reported whether the message was sent.",
  unreported: "The phone that had it did not report whether it was sent.",
  send_failed: "The phone did not send it and gave no reason that has a name.",
  sim_not_found: "The phone has no SIM in the slot of the gateway. Nothing was sent; the gateway pauses.",
  permission_missing:
    "The app lacks a permission on the phone, to send SMS or to choose the SIM. Nothing was sent; the gateway pauses.",
  expired: "The phone got to it when its time (`keep_for_h`) was over. Nothing was sent.",
  cancelled: "The message was cancelled on the phone. Nothing was sent.",
  undelivered: "The network reports that the message did not arrive.",
  restored: "It was being sent when the copy was made that the installation was restored from.",
  adapter_error: "The gateway's adapter failed; the log says how. It may have been sent.",
  not_composed:
    "The message, its mail, its files or its payload could not be read when it was due. It is tried again.",
  from_not_allowed:
    "The mail's `from_email` is not of the domain of its gateway's `from`, which was changed.",
  unsubscribe_needs_one_recipient:
    "The mail has several recipients, and its gateway was changed to add an unsubscribe link.",
  too_large: "The mail is larger than its gateway accepts.",
  outside_window:
    "The person did not write to the number within 24 hours, and the gateway sends such messages no more, or only as a template.",
  caption_not_sent: "WhatsApp shows no text with audio, and the gateway refuses to leave it out.",
  media_too_large:
    "The file is larger than WhatsApp takes as this `media`, or than the gateway's `max_media_bytes`.",
  media_type_mismatch: "The content of the file is not of this `media`.",
  media_type_not_supported:
    "WhatsApp takes no upload of this type of document, and the gateway sends no links.",
  media_unreachable: "The server of the file refused it, sent nothing, or did not answer.",
  message_too_long:
    "The text is longer than its gateway takes: WhatsApp's Cloud API takes 4096 characters, and 1024 as a caption.",
  content_not_supported:
    "The gateway was changed to a kind that cannot send such messages, so this attempt sent nothing.",
  too_long: "The text needs more than 255 short messages.",
  partial:
    "The SMSC took some parts of a long text and not the others. It is not sent again, because some of it was.",
  opted_out: "The recipient has opted out at the vendor, which sends nothing. No list of ours is changed.",
  refused: "The provider refused it in an answer that names no code; the reason has its words.",
  not_sendable: "The text cannot stand where the gateway's settings put it.",
  aborted: "It was stopped before it was sent. It is retried.",
  unreachable: "The provider's address did not answer. Nothing was sent; the gateway pauses.",
  url_not_allowed:
    "The provider's address leads where requests may not go (`TRUNKLINE_OUTBOUND_ALLOW`). The gateway pauses. Of a file: the message fails alone.",
  not_connected:
    "The gateway had no connection at that moment, or could not open its session. Nothing was sent; it is tried again.",
  disconnected: "The gateway's connection ended before the outcome was known. It may have been sent.",
  no_ack:
    "WhatsApp's server did not answer the linked device's message. It may have been sent; a later report settles it.",
  media_not_uploaded:
    "The linked device got no access to upload the file, or WhatsApp took no upload. Nothing was sent; it is tried again.",
  not_on_whatsapp: "The number is not on WhatsApp. Nothing was sent.",
  no_devices: "WhatsApp knows no device of the number. It is tried once more.",
  check_failed:
    "WhatsApp did not say whether the number is on WhatsApp. Nothing was sent; it is tried again.",
  throttled: "WhatsApp answers no questions about numbers for a moment. Nothing was sent; it is tried again.",
  not_encrypted:
    "The linked device could not encrypt it for the recipient. Nothing was sent; it is tried twice more.",
  new_chats_used_up:
    "The linked device may begin no more chats that day (`new_chats_per_day`). It is tried again the next day.",
  no_answer: "The provider took the request and did not answer. It may have been sent.",
  unreadable_answer:
    "The provider answered that it took it, without the id that it should have. It may have been sent.",
  "http_…": "The provider answered with this HTTP status, such as `http_503`, and with no code of its own.",
  timeout: "The mail server did not answer in time.",
  connection_lost: "The connection to the mail server broke.",
  tls_failed: "The mail server's TLS is missing, or its certificate is not right.",
  bad_reply: "The mail server answered something that makes no sense there.",
  no_auth: "The mail server offers no way to sign in, but the gateway has credentials.",
  sandbox_undelivered: "The sandbox did not deliver it, as its recipient asks for.",
  sandbox_bounced: "The sandbox bounced it, as its recipient asks for.",
  sandbox_refused: "The sandbox refused it, as its recipient asks for.",
  sandbox_deferred: "The sandbox put it off, as its recipient asks for.",
  sandbox_unknown: "The sandbox gave no answer, as its recipient asks for.",
  sandbox_aborted: "It was stopped while the sandbox was being slow, as its recipient asks for.",
};

/** Codes of vendors that adapters know by name and pass on unchanged. */
export const vendorCodes: Record<string, string> = {
  Reject: "Amazon SES found a virus in it.",
  RenderingFailure: "Amazon SES could not fill in its template.",
  blocked: "Brevo did not send it: the recipient is on its block list.",
  invalid_email: "Brevo did not send it: it calls the address invalid.",
  error: "Brevo did not send it because of an error of its own.",
  invalid_number: "Plivo does not accept the recipient's number.",
  no_route: "Jasmin has no route for the message. The gateway pauses.",
  canceled: "It was cancelled at Twilio.",
  domain_not_allowed: "Mailgun: the account may not send for this domain.",
  domain_not_found: "Mailgun does not know the domain.",
  headers_too_large: "Mailgun: the headers are too large.",
  invalid_recipient: "Mailgun does not accept the recipient's address.",
  invalid_sender: "Mailgun does not accept the sender's address.",
  no_body: "Mailgun: the mail has no text.",
  rejected: "Mailgun did not send it.",
  dropped: "SendGrid did not send it.",
  failed: "Resend could not send it.",
};

const shown = (body: object) => `\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``;

/** Some codes are in two tables, so an anchor begins with the kind of its table. */
export type CodeKind = "problem" | "ai" | "message" | "vendor";

/** Where the page explains a code: `errors.md#ai-empty_answer`. */
export const anchorOf = (kind: CodeKind, name: string) => `${kind}-${name.replace("…", "")}`;

const anchored = (kind: CodeKind, name: string) => `<a id="${anchorOf(kind, name)}"></a>${code(name)}`;

const rowsOf = (kind: CodeKind, codes: Record<string, string>) =>
  Object.entries(codes).map(([name, when]) => [anchored(kind, name), when]);

/** The whole page. `mark`: the line that marks it as generated. */
export function errorsPage(mark: string): string {
  const rows = Object.entries(problems).map(([name, { status, message, when }]) => [
    String(status),
    anchored("problem", name),
    when,
    message,
  ]);
  const refusal = (when: string, { status, body }: { status: number; body: object }) =>
    `${when} (${status}):\n\n${shown(body)}`;
  const invalid = validationFailed([
    { path: ["contact", 0, "number"], message: "The contact.0.number field is required." },
  ]);
  return `# Errors

${mark}

What the endpoints for messages answer when a request did not succeed. Any 4xx or 5xx means that nothing of the
request was accepted, with one exception: \`commit_unknown\`. Every answer has an \`X-Request-Id\`; quote it when asking.

## Problems

Most errors have the body \`{"success": false, "message": "…", "code": "…"}\`. Go by \`code\`; the message is for people
and may be more precise than the one here.

${table(["Status", "`code`", "When", "`message`"], rows)}

## The request has faults

All faults of all contacts are reported together, by the path of their field:

${shown(invalid.body)}

The status is ${invalid.status}. A second \`Idempotency-Key\` of the same spelling for another request has
<a id="${anchorOf("problem", "idempotency_mismatch")}"></a>\`"code": "idempotency_mismatch"\` beside \`errors\`.

## The key is refused

Authentication comes before everything else about a request. An API key in \`Authorization: Bearer\` is not read: the AI endpoints and the management API
have their keys and tokens there, the messaging endpoints do not.

${refusal("No key was given", refusals.missing)}

${refusal("An unknown key", refusals.invalid)}

${refusal("The account's plan has ended", refusals.expired)}

${refusal("A named key lacks the scope", refusals.notAllowed)}

## AI endpoints

Below \`/api/ai/v1\` every error has OpenAI's form, so that its clients understand it:

${shown(aiProblem("rate_limit_exceeded").body)}

These are Trunkline's own. A provider's error about the request itself (400, 413, 422) is passed on as it was; when no member of the
pool could answer, it is the most useful of their errors (502 \`provider_denied\` where they refuse the pool's own keys), and
\`service_pool\` is beside it and names the member whose error it is. A 429, 502, 503 or 504 has \`Retry-After\`, of at
least 1 s; \`retry-after-ms\` says it exactly where that is known.

${table(
  ["Status", "`code`", "`type`", "When", "`message`"],
  Object.entries(aiProblems).map(([name, { status, type, when, message }]) => [
    String(status),
    anchored("ai", name),
    code(type),
    when,
    message,
  ]),
)}

When the members of the pool were asked in vain, the error may be the provider's own, or one of these. \`message\` says more:

${table(
  ["Status", "`code`", "When"],
  Object.entries(poolCodes).map(([name, [status, when]]) => [status, anchored("ai", name), when]),
)}

## Messages

A message that fails later has its reason in the record's \`error\`, in its timeline and in webhook events, as a
\`code\` and a \`message\` for people:

${table(["`code`", "When"], rowsOf("message", messageCodes))}

Any other code is the vendor's own, as it came: a number (Twilio's \`30003\`), a word (Postmark's \`SpamNotification\`), \`hard_bounce\` and \`soft_bounce\`,
or the code of a mail server (\`550\`, \`5.1.1\`). The vendor's documentation explains it. These are words that Trunkline knows by name:

${table(["`code`", "When"], rowsOf("vendor", vendorCodes))}
`;
}
