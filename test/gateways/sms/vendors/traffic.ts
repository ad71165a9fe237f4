// The recorded traffic of SMS vendors: `<kind>.json` in the folder of the vendor's subject. Requests, answers and callbacks are in the
// words of the vendors' documentation and SDKs; none was recorded from a live account.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import type { Received } from "#gateways/callback.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { callbackUrl, toolsWith } from "../../conformance-samples.ts";

export interface RecordedAnswer {
  status: number;
  headers?: Record<string, string>;
  /** A text, or a document that is sent as JSON. */
  body?: unknown;
  /** An earlier transmission may have reached the vendor. */
  repeated?: boolean;
  /** The outcome and its reference or code, such as `accepted 7`, `accepted 7 delivered`, `rejected 1022`, `unclear http_400`, `gateway http_401`, `deferred`, `unknown`. */
  outcome: string;
}

export interface RecordedCallback {
  method?: "GET" | "POST";
  query?: Record<string, string>;
  /** Default: JSON of a document, and a form of a text. */
  type?: string;
  body?: unknown;
  received: Partial<Extract<Received, { kind: "received" }>>;
}

export interface Traffic {
  settings: Record<string, unknown>;
  /** Secrets beside the fields that the schema marks. */
  secrets?: string[];
  /** `Basic user:password` is encoded. `{report}` and `{callback}` stand for our addresses. */
  request: { method?: string; url: string; headers: Record<string, string>; body?: unknown };
  /** 5xx with which the message has certainly not been taken. */
  definite?: number[];
  /** Classes of callbacks that the vendor does not have. */
  without?: string[];
  answers: Record<string, RecordedAnswer>;
  callbacks: Record<string, RecordedCallback>;
}

/** What every vendor's file has. */
const classes = {
  answers: ["accepted", "refused recipient", "refused account", "throttled", "doubt"],
  callbacks: ["delivered", "undelivered", "inbound"],
} as const;

/** The URL for reports about the sample message. */
export const reportUrl = toolsWith().messageUrl("msg_01test") ?? "";

const here = new URL("./", import.meta.url);

/** The traffic of every vendor by its kind. Fails for a file without every class of traffic. */
export function readTraffic(): Map<string, Traffic> {
  const files = readdirSync(here, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  const read = files.map((name) => {
    const kind = name.replace(/^.*\/|\.json$/g, "");
    const traffic: Traffic = JSON.parse(
      readFileSync(new URL(name, here), "utf8")
        .replaceAll("{report}", reportUrl)
        .replaceAll("{callback}", callbackUrl),
    );
    for (const [name, value] of Object.entries(traffic.request.headers)) {
      const pair = /^Basic (.+:.+)$/.exec(value)?.[1];
      if (pair === undefined) continue;
      const encoded = Buffer.from(pair).toString("base64");
      traffic.request.headers[name] = `Basic ${encoded}`;
      traffic.secrets = [...(traffic.secrets ?? []), encoded];
    }
    for (const list of ["answers", "callbacks"] as const)
      for (const name of classes[list])
        assert.ok(
          traffic[list][name] ?? traffic.without?.includes(name),
          `${kind}: ${list} without "${name}"`,
        );
    return [kind, traffic] as const;
  });
  return new Map(read);
}

/** The bytes of a body, and what they are. */
export function bytesOf(body: unknown, type?: string): { contentType: string; body: Buffer } {
  const isText = typeof body === "string" || body === undefined;
  return {
    contentType: type ?? (isText ? "application/x-www-form-urlencoded" : "application/json"),
    body: Buffer.from(isText ? (body ?? "") : JSON.stringify(body)),
  };
}

/** An outcome as the files have it. */
export function summary(outcome: Outcome): string {
  if (outcome.kind === "accepted") {
    const ended = outcome.receipt === undefined ? "" : ` ${outcome.receipt.status}`;
    return `accepted ${outcome.reference}${ended}`;
  }
  const isGateways = outcome.kind === "deferred" && outcome.gatewayFault === "refused";
  const isUnclear = outcome.kind === "rejected" && outcome.mayBeGatewayFault;
  const kind = isGateways ? "gateway" : isUnclear ? "unclear" : outcome.kind;
  return outcome.code === undefined ? kind : `${kind} ${outcome.code}`;
}
