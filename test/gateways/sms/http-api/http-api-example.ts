// An `http-api` gateway with a secret in every place that may hold one, and how its provider calls back.

import type { Receipt } from "#gateways/callback.ts";
import type { CallbackCases, Unsigned } from "../../conformance-callbacks.ts";
import { callbackUrl } from "../../conformance-samples.ts";

export const token = "callback token/1";

export const settings = {
  url: "https://api.provider.test/v1/tenant-9f3ab/send?api_key=q%2Fsecret-key&unicode=1",
  headers: { Authorization: "Bearer header-secret", "X-Trace": "{{id}}" },
  body: {
    account: "body-secret",
    messages: [{ to: "{{to}}", text: "{{message}}", ref: "{{id}}" }],
    from: "{{from}}",
  },
  from: "Acme",
  success: { status: "2xx", reference: "$.messages[0].id" },
  definite: [503],
  callback: {
    token,
    reference: "$.id",
    id: "$.ref",
    status: "$.state",
    sent: ["ACCEPTD"],
    delivered: ["DELIVRD", 0],
    undelivered: ["UNDELIV", "EXPIRED"],
    failed: ["REJECTD"],
    error: "$.err",
  },
};

export const secrets = [
  "tenant-9f3ab",
  "q/secret-key",
  "q%2Fsecret-key",
  "Bearer header-secret",
  "header-secret",
  "body-secret",
  token,
];

export function sign({ method, query, contentType, body }: Unsigned) {
  const parameters = new URLSearchParams([...query, ["token", token]]);
  return {
    method,
    url: `${callbackUrl}?${parameters}`,
    query: parameters,
    headers: contentType === "" ? {} : { "content-type": contentType },
    body,
  };
}

export const json = (value: unknown) => ({
  contentType: "application/json",
  body: Buffer.from(JSON.stringify(value)),
});
export const form = (value: Record<string, string>) => ({
  body: Buffer.from(new URLSearchParams(value).toString()),
});
export const received = (...receipts: Receipt[]) => ({ kind: "received" as const, receipts, inbound: [] });

export const callbacks: CallbackCases = {
  sign,
  covers: { body: false, url: false },
  readsQuery: true,
  withoutSecret: (own: object) => ({ ...own, callback: undefined }),
  cases: [
    {
      name: "JSON",
      unsigned: json({ id: 1234567890, state: "DELIVRD" }),
      received: received({ status: "delivered", reference: "1234567890" }),
    },
    {
      name: "JSON with an id above 2^53 and ours beside it",
      unsigned: {
        contentType: "application/json; charset=utf-8",
        body: Buffer.from('{"id":9007199254740993,"state":0,"ref":"msg_01test"}'),
      },
      received: received({ status: "delivered", reference: "9007199254740993", messageId: "msg_01test" }),
    },
    {
      name: "a form with an error",
      unsigned: form({ id: "00AF", state: "UNDELIV", err: "027" }),
      received: received({ status: "undelivered", reference: "00AF", code: "027", reason: "027" }),
    },
    {
      name: "an error in words, with a secret in them",
      unsigned: form({ id: "00AF", state: "REJECTD", err: "key header-secret\r\nrevoked" }),
      received: received({ status: "failed", reference: "00AF", reason: "key *** revoked" }),
    },
    {
      name: "a query",
      unsigned: {
        method: "GET",
        query: [
          ["id", "7"],
          ["state", "ACCEPTD"],
          ["err", "000"],
        ],
      },
      received: received({ status: "sent", reference: "7" }),
    },
    {
      name: "a POST with everything in its query",
      unsigned: {
        query: [
          ["id", "7"],
          ["state", "EXPIRED"],
        ],
      },
      received: received({ status: "undelivered", reference: "7" }),
    },
    {
      name: "several reports in a list",
      unsigned: json([
        { id: "1", state: "DELIVRD" },
        { state: "DELIVRD" },
        { id: "2", state: "BUFFRED" },
        { id: "3", state: "REJECTD" },
      ]),
      received: {
        ...received({ status: "delivered", reference: "1" }, { status: "failed", reference: "3" }),
        unknownWords: ["BUFFRED"],
      },
    },
    {
      name: "a status that the settings do not name",
      unsigned: json({ id: "1", state: "delivrd" }),
      received: { ...received(), unknownWords: ["delivrd"] },
    },
    { name: "no reference at all", unsigned: json({ state: "DELIVRD" }), received: received() },
    {
      name: "our id alone",
      unsigned: json({ ref: "msg_01test", state: "DELIVRD" }),
      received: received({ status: "delivered", reference: null, messageId: "msg_01test" }),
    },
    { name: "an empty list", unsigned: json([]), received: received() },
    {
      name: "no status anywhere",
      unsigned: json({ event: "ping" }),
      received: { kind: "malformed", reason: "The callback has no $.state." },
    },
    {
      name: "half of a JSON text",
      unsigned: { contentType: "application/json", body: Buffer.from('{"id":') },
      received: { kind: "malformed", reason: "The callback is not readable." },
    },
  ],
};
