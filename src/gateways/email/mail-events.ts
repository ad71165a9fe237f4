// Reads the events of email vendors, as `receiveSms` reads the callbacks of SMS vendors: it verifies the proof, takes an event's facts from
// the configured paths, and translates the vendor's event types by a table.

import type { CallbackRequest, Engagement, Receipt, Received, ReplayGuard } from "#gateways/callback.ts";
import { tokenRefusal } from "#gateways/callback-token.ts";
import type { CallbackTools } from "#gateways/connection.ts";
import { type Json, parseJson, readPath, type TextReader, textAt, textOf } from "#gateways/json-path.ts";
import {
  clientInfo,
  type EventIds,
  eventIds,
  eventTime,
  omitUndefined,
  reasonText,
  receivedReports,
} from "#gateways/vendor-event.ts";

/** The callback may be read. `key`: distinguishes its event from others of its kind. */
type Verified = { kind: "verified"; key?: string; replayGuard?: ReplayGuard };

/** What an event says, besides its mail and its time. */
export type EventReport = Omit<Receipt, keyof EventIds> | Omit<Engagement, keyof EventIds>;

export interface MailEvents<Settings> {
  /** Verifies a callback by what the vendor signs or sends with it. An unset secret refuses. */
  proof(
    callback: CallbackRequest,
    settings: Settings,
    tools: CallbackTools,
  ): Verified | Exclude<Received, { kind: "received" }>;
  /**
   * Whether a callback may contain a list of events; those that name no mail are skipped. `always`: it contains nothing else, and a list
   * without any usable event is accepted too. Default: it contains one event.
   */
  lists?: "sometimes" | "always";
  /** Path of the event; default: the whole document. */
  event?: string;
  /** Path of the event type. */
  type: string;
  /** The vendor's id of the mail, and ours. */
  reference: TextReader;
  id: string;
  /** Paths of the time, of which the first with a value counts; or epoch ms. */
  at: readonly string[] | ((event: Json) => number | undefined);
  /** Distinguishes engagements, if the callback as a whole does not (`Verified.key`). */
  key?(event: Json): string | undefined;
  /** The reason of an engagement that is neither open nor click, in the vendor's words. */
  reason?: TextReader;
  /** Paths of the client of an open or a click. `url`: of a click only. */
  client?: { url: string; userAgent: string; ip: string };
  /** The address that the event is about. */
  recipient?: TextReader;
  /** The meaning of each event type; null if it has none. A type that is not listed changes nothing. */
  words: Readonly<Record<string, EventReport | ((event: Json) => EventReport | null)>>;
}

/** The proof of vendors that do not sign: the `callback_token` of the settings. */
export const tokenProof: MailEvents<{ callback_token?: string | undefined }>["proof"] = (
  callback,
  settings,
) => tokenRefusal(callback, settings.callback_token) ?? { kind: "verified" };

/** Returns the `receive` of an adapter whose vendor's events are described by a table. */
export function mailEventReceiver<Settings>(events: MailEvents<Settings>) {
  const read = mailEventReader(events);
  return (callback: CallbackRequest, settings: Settings, tools: CallbackTools): Received => {
    const proof = events.proof(callback, settings, tools);
    if (proof.kind !== "verified") return proof;
    const { key, replayGuard } = proof;
    return { ...read(callback.body, key), ...(replayGuard && { replayGuard }) };
  };
}

/** Returns a function that reads the body of a verified call. `callKey`: see `Verified.key`. */
export function mailEventReader(events: Omit<MailEvents<never>, "proof">) {
  const { lists, type, at } = events;
  const words = new Map(Object.entries(events.words));
  const timeOf =
    typeof at === "function"
      ? at
      : (event: Json) => at.map((path) => eventTime(textAt(event, path))).find((time) => time !== undefined);
  return (body: Buffer, callKey?: string): Extract<Received, { kind: "received" | "malformed" }> => {
    const found = readPath(parseJson(body) ?? null, events.event ?? "$") ?? null;
    if (lists === "always" && !Array.isArray(found))
      return { kind: "malformed", reason: "The callback is no list of events." };
    const reports: (Receipt | Engagement)[] = [];
    let problem = `The callback has no ${type.slice(2)}.`;
    let isRead = lists === "always";
    for (const event of lists !== undefined && Array.isArray(found) ? found : [found]) {
      const word = textAt(event, type);
      if (word === null) continue;
      const meaning = words.get(word);
      if (meaning === undefined) {
        isRead = true;
        continue;
      }
      const ids = eventIds(textOf(event, events.reference), textAt(event, events.id), timeOf(event));
      if (ids === null) {
        problem = "The event names no message.";
        continue;
      }
      isRead = true;
      const report = typeof meaning === "function" ? meaning(event) : meaning;
      if (report !== null)
        reports.push({
          ...aboutEngagement(events, event, report, callKey),
          ...report,
          ...ids,
          ...aboutRecipient(textOf(event, events.recipient)),
        });
    }
    return isRead ? receivedReports(reports) : { kind: "malformed", reason: problem };
  };
}

const aboutRecipient = (recipient: string | null): { recipient?: string } =>
  recipient === null || recipient.length > 320 ? {} : { recipient };

/** Fields of every engagement of a vendor. A report may have a reason of its own. */
function aboutEngagement(
  { key, reason, client }: Omit<MailEvents<never>, "proof">,
  event: Json,
  report: EventReport,
  callKey: string | undefined,
): Partial<Engagement> {
  if (!("kind" in report)) return {};
  const { kind } = report;
  const isVisit = kind === "opened" || kind === "clicked";
  return omitUndefined<Partial<Engagement>>({
    key: callKey ?? key?.(event),
    reason: isVisit ? undefined : reasonText(textOf(event, reason)),
    ...(isVisit &&
      client !== undefined &&
      clientInfo({
        url: kind === "clicked" ? textAt(event, client.url) : null,
        userAgent: textAt(event, client.userAgent),
        ip: textAt(event, client.ip),
      })),
  });
}
