// A phone's reports about a message that it was handed, and the meaning of its failures.

const ranks: Readonly<Record<string, number>> = { Pending: 1, Processed: 2, Sent: 3, Delivered: 4 };

/** How far a message is on the phone; failures and unknown states have no rank. */
export const phoneStateRank = (state: string): number => ranks[state] ?? 0;

/**
 * Why a phone failed to send a message.
 * - `phone`: the phone or its SIM cannot send at the moment; certainly not sent.
 * - `limited`: the phone may not send so fast; certainly not sent.
 * - `rejected`: the message can never be sent.
 * - `vague`: not sent, for no reason that would say what to do.
 * - `expired`: its time was over before the phone got to it; certainly not sent.
 * - `delivery`: it was sent, and did not arrive.
 *
 * `nothingLeft`: no part of a long text can have been sent either, since the phone failed before it sent the first. Each part
 * is sent by itself, so of other failures some parts may have gone before.
 */
export interface PhoneFailure {
  kind: "phone" | "limited" | "rejected" | "vague" | "expired" | "delivery";
  code: string;
  reason: string;
  nothingLeft?: boolean;
}
