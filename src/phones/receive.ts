// The calls that a phone posts to the callback URL of its gateway: received messages, and its state. The phone signs each call separately.

import { createHmac, hash } from "node:crypto";
import type { Core } from "#core/core.ts";
import type { CallbackRequest, InboundMessage } from "#gateways/callback.ts";
import { constantTimeEqual } from "#runtime/constant-time-equal.ts";
import { describePhone, readPhone } from "#store/phones/phones.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { linesOf } from "./lines.ts";
import { signingKeyOf } from "./phones.ts";
import { readEvent, reportsTwice } from "./wire.ts";

/** Maximum difference between the two times at which an old app reports one message, ms. */
const reportedTwiceWithinMs = 10_000;

/** The result of reading a callback. `done`: nothing else needs to be stored. `received`: a message to a gateway of the phone. */
type FromPhone =
  | { kind: "done" | "forbidden" | "malformed" | "not_found" }
  | { kind: "received"; gateway: GatewaysTable; message: InboundMessage };

/** Verifies and reads a callback, and stores what it reports about the phone itself. */
export async function receiveFromPhone(
  deps: Pick<Core, "clock" | "database" | "log" | "sealer">,
  gateway: GatewaysTable,
  { method, headers, body }: CallbackRequest,
): Promise<FromPhone> {
  const { clock, database, log, sealer } = deps;
  const phone = await database.run(readPhone, gateway.id);
  if (phone === null || phone.token_hash === null || method !== "POST") return { kind: "not_found" };
  const timestamp = headers["x-timestamp"] ?? "";
  const expected = createHmac("sha256", signingKeyOf(sealer, phone))
    .update(body)
    .update(timestamp)
    .digest("hex");
  const sentAt = /^[0-9]{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  const skewMs = sentAt - clock.now();
  // Its age does not matter: a phone with a wrong clock would lose what it received, and a repeated message changes nothing.
  if (!constantTimeEqual(headers["x-signature"] ?? "", expected) || Number.isNaN(sentAt)) {
    const reason = Number.isNaN(sentAt) ? "Its timestamp is no number." : "Its signature is wrong.";
    log.warn(
      { event: "callback.refused", gateway: gateway.identifier, reason },
      "A phone's callback was refused.",
    );
    return { kind: "forbidden" };
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    return { kind: "malformed" };
  }
  const event = readEvent(parsed);
  if (event === null) return { kind: "malformed" };
  const battery = event.kind === "ping" ? event.battery : null;
  await database.run(describePhone, {
    id: phone.gateway_id,
    tokenHash: phone.token_hash,
    at: clock.now(),
    description: { clock_skew_ms: Math.round(skewMs), ...(battery !== null && { battery }) },
  });
  if (event.kind !== "message") return { kind: "done" };
  const lines = await linesOf(deps, phone);
  const owner = lines.find(({ settings }) => settings.sim === event.sim);
  const receiving = owner?.gateway ?? gateway;
  const alike = `${phone.gateway_id} ${digest(JSON.stringify([event.sender, event.text]))}`;
  // The same sender and text in the order of the phone's time: equal messages form a range.
  const referenceAt = (at: number | null, end = "") =>
    `${alike} ${at === null ? "-" : String(at).padStart(15, "0")} ${end}`;
  return {
    kind: "received",
    gateway: receiving,
    message: {
      reference: referenceAt(event.receivedAt, digest(event.identity)),
      from: event.sender,
      to: event.recipient ?? "",
      message: event.text,
      media: [],
      ...(event.receivedAt !== null &&
        reportsTwice(phone.app_version) && {
          alike: {
            phoneId: phone.gateway_id,
            gatewayIds: [...new Set([gateway.id, ...lines.map((line) => line.gateway.id)])],
            from: referenceAt(Math.max(0, event.receivedAt - reportedTwiceWithinMs)),
            before: referenceAt(event.receivedAt + reportedTwiceWithinMs + 1),
          },
        }),
    },
  };
}

const digest = (text: string) => hash("sha256", text, "base64url");
