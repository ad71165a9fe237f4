// Outcomes by the codes of Graph errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "#gateways/outcome.ts";
import { outcomeOf } from "#gateways/whatsapp/cloud/outcome.ts";
import { now } from "../../conformance-samples.ts";
import { answer } from "../../scripted-outbound.ts";
import { graphError } from "../graph-simulator.ts";
import { parsedSettings } from "./cloud-example.ts";

const failure = (status: number, code: number, details?: string) => {
  const { body } = graphError({
    status,
    code,
    message: `(#${code}) Failed`,
    ...(details === undefined ? {} : { details }),
  });
  return answer(status, body);
};

const send = (result: ReturnType<typeof answer>, attempt = 1): Outcome =>
  outcomeOf(result, { settings: parsedSettings(), attempt, now });

/** What decides: the kind, whose fault it is, and how long to wait or pause. */
const verdict = (outcome: Outcome) => {
  if (outcome.kind === "rejected" && outcome.mayBeGatewayFault) return "unclear";
  if (outcome.kind !== "deferred") return outcome.kind;
  const { gatewayFault, retryAfterMs, pauseMs } = outcome;
  if (gatewayFault !== undefined) return pauseMs === undefined ? "gateway" : `gateway, ${pauseMs} ms`;
  return retryAfterMs === undefined ? "later" : `later, ${retryAfterMs} ms`;
};

const verdicts: readonly [status: number, code: number, verdict: string, details?: string][] = [
  [401, 190, "gateway"],
  [401, 0, "gateway"],
  [500, 3, "gateway"],
  [403, 10, "gateway"],
  [403, 200, "gateway"],
  [403, 299, "gateway"],
  [400, 1, "unclear"],
  [500, 1, "unknown"],
  [503, 2, "later"],
  [400, 4, "gateway, 900000 ms"],
  [429, 80007, "gateway, 900000 ms"],
  [400, 33, "gateway"],
  [400, 100, "unclear", "Invalid parameter"],
  [400, 100, "gateway", "Object with ID '1' does not exist"],
  [400, 100, "gateway", "Invalid appsecret_proof provided"],
  [403, 368, "gateway, 900000 ms"],
  [403, 131031, "gateway, 900000 ms"],
  [400, 130429, "later, 1000 ms"],
  [400, 130472, "rejected"],
  [403, 130497, "rejected"],
  [500, 131000, "unknown"],
  [400, 131000, "unknown"],
  [403, 131005, "gateway"],
  [400, 131008, "unclear"],
  [500, 131016, "later"],
  [503, 133004, "later"],
  [400, 131026, "rejected"],
  [400, 131030, "rejected"],
  [400, 131037, "gateway"],
  [400, 131042, "gateway"],
  [500, 131045, "gateway"],
  [400, 131047, "rejected"],
  [400, 131048, "gateway, 900000 ms"],
  [400, 131049, "rejected"],
  [400, 131053, "rejected"],
  [400, 131056, "later, 4000 ms"],
  [500, 131057, "later, 60000 ms"],
  [404, 132001, "rejected"],
  [400, 132015, "rejected"],
  [400, 132069, "later, 1000 ms"],
  [500, 133000, "gateway"],
  [400, 133010, "gateway"],
  [400, 135000, "later, 1000 ms"],
  [400, 999999, "unclear"],
  [404, 999999, "unclear"],
  [401, 999999, "gateway"],
  [429, 999999, "later"],
  [500, 999999, "unknown"],
  [408, 999999, "unknown"],
];

for (const [status, code, expected, details] of verdicts) {
  test(`error ${code} with ${status}${details === undefined ? "" : ` (${details})`}: ${expected}`, () => {
    const outcome = send(failure(status, code, details));
    assert.equal(verdict(outcome), expected);
    if (outcome.kind !== "accepted") assert.equal(outcome.code, String(code));
  });
}

test("the wait for one recipient's pace grows with the attempt, and ends at an hour", async () => {
  const waits = [1, 2, 3, 5, 6, 50].map(async (attempt) =>
    verdict(await send(failure(400, 131056), attempt)),
  );
  assert.deepEqual(await Promise.all(waits), [
    "later, 4000 ms",
    "later, 16000 ms",
    "later, 64000 ms",
    "later, 1024000 ms",
    "later, 3600000 ms",
    "later, 3600000 ms",
  ]);
});

test("Meta's catch-all is tried once more", () => {
  assert.equal(verdict(send(failure(400, 135000), 2)), "unclear");
});

test("the timeline notes another number that WhatsApp knows, and a template that Meta holds back", () => {
  const names: unknown[] = [];
  const noteOf = (recipient: string, waId: string, messageStatus?: string) => {
    const message = { id: "wamid.1", ...(messageStatus !== undefined && { message_status: messageStatus }) };
    const body = { contacts: [{ input: recipient, wa_id: waId }], messages: [message] };
    const outcome = outcomeOf(answer(200, body), { settings: parsedSettings(), attempt: 1, recipient, now });
    if (outcome.kind === "accepted") names.push(outcome.knownAs);
    return outcome.kind === "accepted" ? outcome.note : outcome;
  };
  assert.equal(noteOf("+5511987654321", "551187654321"), "WhatsApp knows the number as +551187654321.");
  assert.equal(noteOf("+5511987654321", "5511987654321", "accepted"), undefined);
  assert.equal(noteOf("US.1349", "1349"), undefined);
  assert.equal(noteOf("US.1349", "4915112345678"), undefined);
  assert.deepEqual(names, ["+551187654321", undefined, undefined, "+4915112345678"]);
  assert.equal(
    noteOf("+551198765432", "551198765432", "held_for_quality_assessment"),
    "Meta holds the template until it has assessed its quality.",
  );
  assert.match(String(noteOf("+551198765432", "551198765432", "paused")), /^Meta has paused/);
});
