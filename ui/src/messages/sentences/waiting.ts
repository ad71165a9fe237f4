// Why a message waits and what ends that, in sentences for a message and in words for a list. Instants in a sentence are shown in the
// account's zone.

import type { MessageRecord, WaitingFor } from "#ui/api/schema.ts";

type Reason = WaitingFor["reason"];
type Waiting = Pick<MessageRecord, "status" | "gateway_identifier" | "scheduled_for" | "waiting_for">;

const since = (at: string | null) => (at === null ? "" : ` since ${at}`);
const because = (detail: string | null) => (detail === null ? "" : ` (${detail.replace(/\.$/, "")})`);

/** `gateway`: "Its gateway sms-main", or without its name if that is not known. */
const sentences: Readonly<Record<Reason, (waiting: WaitingFor, gateway: string) => string>> = {
  held_after_restore: () =>
    "It came from a restored backup. It is sent when an operator releases it, and not before.",
  gateway_missing: () => "Its gateway no longer exists, so nothing sends it.",
  gateway_off: (_, gateway) => `${gateway} is switched off. It is sent when someone switches it on.`,
  gateway_stopped: ({ by, since: at, detail }, gateway) =>
    `${gateway} was stopped${by === null ? "" : ` by ${by}`}${at === null ? "" : ` at ${at}`}${because(detail)}. It is sent when someone resumes it.`,
  not_linked: (_, gateway) => `${gateway} has no linked device. It is sent when someone links one.`,
  not_connected: ({ since: at, detail }, gateway) =>
    `${gateway} has not been connected${since(at)}${because(detail)}. It is sent when the connection is back.`,
  gateway_paused: ({ since: at, until, detail }, gateway) =>
    `${gateway} has failed${since(at)}${because(detail)}. The gateway is tried again at ${until}, and the message is sent when it works.`,
  schedule: ({ until }) => `It is sent at ${until}. Until then it can be moved or cancelled.`,
  retry: ({ until }) => `Its last attempt did not send it. It is tried again at ${until}.`,
  sending_hours: ({ until }, gateway) =>
    `${gateway} is outside its sending hours. It is sent from ${until} on.`,
  daily_limit: ({ until }, gateway) => `${gateway} has reached its daily limit. It is sent from ${until} on.`,
  turn: (_, gateway) => `${gateway} sends it as soon as its pace and the messages ahead of it allow.`,
};

/** The sentence of a message that waits; null if it does not. */
export function waitingSentence({
  status,
  gateway_identifier,
  scheduled_for,
  waiting_for,
}: Waiting): string | null {
  if (!waiting_for) return null;
  const gateway = gateway_identifier === null ? "Its gateway" : `Its gateway ${gateway_identifier}`;
  const sentence = sentences[waiting_for.reason](waiting_for, gateway);
  const isLater = status === "scheduled" && scheduled_for !== null && waiting_for.reason !== "schedule";
  return isLater ? `${sentence} It is scheduled for ${scheduled_for}.` : sentence;
}

const words: Readonly<Record<Reason, string | null>> = {
  held_after_restore: "held after a restore",
  gateway_missing: "no gateway",
  gateway_off: "gateway off",
  gateway_stopped: "gateway stopped",
  not_linked: "no device linked",
  not_connected: "not connected",
  gateway_paused: "gateway fails",
  schedule: null,
  retry: "tried again later",
  sending_hours: "outside sending hours",
  daily_limit: "daily limit reached",
  turn: null,
};

/** Why it is not sent at its time, for a list; null if it is. */
export const waitingWord = ({ waiting_for }: Pick<Waiting, "waiting_for">): string | null =>
  waiting_for ? words[waiting_for.reason] : null;

const ofGateway: ReadonlySet<Reason> = new Set([
  "gateway_off",
  "gateway_stopped",
  "not_linked",
  "not_connected",
  "gateway_paused",
  "sending_hours",
  "daily_limit",
]);

/** The gateway on whose page a person finds out more, or changes it; null if that is not what the message waits for. */
export const gatewayInTheWay = ({ gateway_identifier, waiting_for }: Waiting): string | null =>
  waiting_for && ofGateway.has(waiting_for.reason) ? gateway_identifier : null;
