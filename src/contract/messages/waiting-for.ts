// Why a message that is queued or scheduled has not been sent yet.

import { z } from "zod";
import { instant } from "#contract/envelope.ts";

/** The reasons, those that need a person first. */
export const waitingReasons = [
  "held_after_restore",
  "gateway_missing",
  "gateway_off",
  "gateway_stopped",
  "not_linked",
  "not_connected",
  "gateway_paused",
  "schedule",
  "retry",
  "sending_hours",
  "daily_limit",
  "turn",
] as const;
export type WaitingReason = (typeof waitingReasons)[number];

const described = [
  "`held_after_restore`: it came from a restored backup, and an operator has to release it",
  "`gateway_missing`: its gateway no longer exists",
  "`gateway_off`: its gateway is switched off, and no other gateway takes its messages",
  "`gateway_stopped`: a person paused its gateway, and has to resume it",
  "`not_linked`: no device is linked to its gateway",
  "`not_connected`: its gateway's connection or phone is away; it is sent when that is back",
  "`gateway_paused`: its gateway failed, and is tried again at `until`",
  "`schedule`: its time has not come",
  "`retry`: its last attempt did not send it, and the next one is due at `until`",
  "`sending_hours`: its gateway's sending hours begin at `until`",
  "`daily_limit`: its gateway has used up its daily limit, which restarts by `until`",
  "`turn`: messages ahead of it and the gateway's rate decide when it is sent",
];

export const waitingFor = z
  .object({
    reason: z.enum(waitingReasons).describe(`${described.join(". ")}.`),
    until: instant
      .nullable()
      .describe("When that ends by itself; null if it does not, or if the time is not known."),
    since: instant.nullable().describe("Since when the message or its gateway is in this state, if known."),
    by: z.string().nullable().describe("Who stopped the gateway, if that is known."),
    detail: z.string().nullable().describe("Why the gateway fails or is not connected, if that is known."),
  })
  .meta({ id: "WaitingFor" });
export type WaitingFor = z.output<typeof waitingFor>;
