// Stores what a provider reports, by a callback or through a session. Receipts and engagements are stored once and applied to their
// messages. Inbound messages are stored, and a consent keyword in them takes effect.

import { consentKeyword } from "#contract/messages/consent.ts";
import type { ReceivedDetails } from "#contract/messages/received/details.ts";
import type { Core } from "#core/core.ts";
import type { AccountUpdate, Engagement, InboundDetails, InboundMessage } from "#gateways/callback.ts";
import type { ReceivedFile } from "#gateways/received-file.ts";
import type { SessionReport } from "#gateways/session.ts";
import { messageChannels } from "#messaging/channels.ts";
import { receivedFileUrl } from "#messaging/message-urls.ts";
import { findAccount } from "#store/accounts/accounts.ts";
import { storeEngagements } from "#store/feedback/engagements.ts";
import { fileSecretContext, type IncomingMessage, storeInbound } from "#store/feedback/inbound.ts";
import { storeReceipts } from "#store/feedback/receipts.ts";
import { keepUnknownWord } from "#store/feedback/unknown-words.ts";
import { storeAccountUpdate } from "#store/gateways/account-updates.ts";
import { noteReport } from "#store/gateways/reports.ts";
import type { GatewaysTable } from "#store/schema/schema.ts";
import { engagementFrom, receiptFrom, toDbText } from "./normalise.ts";
import { countRefusals } from "./refusals-in-row.ts";
import { compareReceipts } from "./unmatched-receipts.ts";

export interface StoreReportDeps
  extends Pick<Core, "clock" | "crashPoint" | "database" | "log" | "metrics" | "newId" | "sealer"> {
  /** The public address: the files of messages are below it. */
  publicUrl: string | null;
}

/** The gateway of the report. */
type ReportingGateway = Pick<GatewaysTable, "id" | "identifier" | "account_id" | "channel">;

/** If the provider does not name the message that a reply answers, it is the latest one of the last week. */
const answeredWithinMs = 7 * 86_400_000;

/** Resolves when everything is stored. A repeated report changes nothing, so a failed call may be repeated. */
export async function storeReport(
  deps: StoreReportDeps,
  gateway: ReportingGateway,
  report: SessionReport,
): Promise<void> {
  const { receipts = [], inbound = [], engagements = [], accountUpdates = [], unknownWords = [] } = report;
  const { database, clock, crashPoint } = deps;
  const at = clock.now();
  const account = inbound.length > 0 ? await database.run(findAccount, gateway.account_id) : null;
  const country = account?.country ?? null;
  crashPoint("receipt.before");
  await Promise.all([
    ...receipts.map((receipt) => database.run(storeReceipts, receiptFrom(gateway.id, receipt, at))),
    storeMessages(
      database,
      inbound.map((message) => toIncomingMessage(deps, gateway, country, message, at)),
    ),
    ...engagements.map((engagement) => storeEngagement(deps, gateway, engagement, at)),
    ...(receipts.length + inbound.length + engagements.length > 0
      ? [database.run(noteReport, { gateway_id: gateway.id, at })]
      : []),
  ]);
  crashPoint("receipt.after");
  await compareReceipts(deps, gateway, { receipts, unmatched: report.unmatched ?? false });
  if (gateway.channel === "email") await countRefusals(deps, gateway, receipts);
  if (unknownWords.length > 0) await noteUnknownWords(deps, gateway, unknownWords);
  for (const update of accountUpdates) await keepAccountUpdate(deps, gateway, update);
  deps.metrics.receipts(gateway.identifier, receipts.length);
  if (inbound.length > 0) {
    // The received message may be an opt-out word.
  }
}

/** Counts statuses that no table of the adapter has, stores the last one, and logs it once a day. */
async function noteUnknownWords(
  { clock, database, log, metrics }: StoreReportDeps,
  { id, identifier }: ReportingGateway,
  words: readonly string[],
): Promise<void> {
  const word = toDbText(words.at(-1) ?? "");
  const isNew = await database.run(keepUnknownWord, { gateway_id: id, word, at: clock.now() });
  metrics.unknownWords(identifier, words.length);
  if (!isNew) return;
  log.warn(
    { event: "receipt.word_unknown", gateway: identifier, word },
    "A provider reported a status that is not known; it changes nothing.",
  );
}

/** Stores what the provider reports about the gateway, and notifies the owner of its lane if that pauses it. */
async function keepAccountUpdate(
  { clock, database, log }: StoreReportDeps,
  { id, identifier }: ReportingGateway,
  { at, facts = {}, aboutNumber, notice, pauseUntil, lifted }: AccountUpdate,
): Promise<void> {
  if (notice !== undefined)
    log.warn({ event: "gateway.notice", gateway: identifier, notice }, "A provider reported on a gateway.");
  const pauseChanged = await database.run(storeAccountUpdate, {
    gatewayId: id,
    at,
    facts,
    aboutNumber: aboutNumber ?? null,
    notice: notice === undefined ? null : toDbText(notice),
    pauseUntil: pauseUntil ?? null,
    lifted: lifted ?? false,
    now: clock.now(),
  });
  if (!pauseChanged) return;
}

/** Opt-outs, opt-ins and changes of senders in the order in which they were received: concurrent calls may be stored in any order. */
async function storeMessages(
  database: StoreReportDeps["database"],
  incoming: readonly IncomingMessage[],
): Promise<void> {
  const decides = ({ message, formerSenders }: IncomingMessage) =>
    message.consent_keyword !== null || formerSenders !== undefined;
  const withConsent = incoming.filter(decides);
  const others = incoming.filter((message) => !decides(message));
  const inOrder = async () => {
    for (const message of withConsent) await database.run(storeInbound, message);
  };
  await Promise.all([...others.map((message) => database.run(storeInbound, message)), inOrder()]);
}

async function storeEngagement(
  { database, log }: StoreReportDeps,
  gateway: ReportingGateway,
  engagement: Engagement,
  at: number,
): Promise<void> {
  const stored = await database.run(storeEngagements, engagementFrom(gateway.id, engagement, at));
  if (stored !== "unknown") return;
  // It belongs to another application's mail, to a removed one, or to one whose reference is not stored yet.
  const { kind, reference } = engagement;
  log.info(
    { event: "engagement.unmatched", gateway: gateway.identifier, kind, reference },
    "A provider reported on an unknown mail.",
  );
}

/** An inbound message as it is stored. Its sender is normalised as recipients are, so that both compare as equal. */
function toIncomingMessage(
  { newId, publicUrl, sealer }: StoreReportDeps,
  gateway: ReportingGateway,
  country: string | null,
  inbound: InboundMessage,
  at: number,
): IncomingMessage {
  const { channel } = gateway;
  const from = toDbText(inbound.from);
  const body = toDbText(inbound.message);
  const { normalise, senderOf, hasConsentKeywords } = messageChannels[channel].recipients;
  const { sender, readings, spellings } = senderOf(from, country);
  const id = newId("in");
  const { file } = inbound;
  const media = inbound.media.map(({ url, contentType }) => ({
    url: toDbText(url),
    content_type: contentType,
  }));
  if (file !== undefined)
    media.push({
      url: receivedFileUrl(publicUrl, id),
      content_type: file.contentType === null ? null : toDbText(file.contentType),
    });
  return {
    message: {
      id,
      account_id: gateway.account_id,
      gateway_id: gateway.id,
      channel,
      reference: toDbText(inbound.reference),
      sender,
      recipient: toDbText(inbound.to),
      body,
      media: JSON.stringify(media),
      received_at: at,
      consent_keyword: inbound.optedOut ? "out" : hasConsentKeywords ? consentKeyword(body) : null,
      details: inbound.details === undefined ? null : detailsText(inbound.details),
      ...(file === undefined ? {} : { file: fileText(sealer, gateway.id, file) }),
    },
    gatewayIdentifier: gateway.identifier,
    ...(readings.length === 0 ? {} : { readings }),
    ...(spellings.length === 0 ? {} : { spellings }),
    replyTo: inbound.replyTo ?? null,
    sentSince: at - answeredWithinMs,
    ...(inbound.alike === undefined ? {} : { alike: inbound.alike }),
    ...(inbound.formerSenders === undefined
      ? {}
      : {
          formerSenders: inbound.formerSenders.map(
            (former) => normalise(toDbText(former), country) ?? toDbText(former),
          ),
        }),
    ...(inbound.sentAt === undefined ? {} : { sentAt: Math.min(inbound.sentAt, at) }),
  };
}

/** Details as JSON, with the record's names. */
function fileText(sealer: Core["sealer"], gatewayId: string, file: ReceivedFile): string {
  const { secret, ...open } = file;
  const sealed = secret === undefined ? {} : { secret: sealer.seal(secret, fileSecretContext(gatewayId)) };
  return toDbText(JSON.stringify({ ...open, ...sealed }));
}

function detailsText({ type, reply, profileName, userId, forwarded }: InboundDetails): string {
  const details: ReceivedDetails = { type, reply, profile_name: profileName, user_id: userId, forwarded };
  return JSON.stringify(details, (_name, value) => (typeof value === "string" ? toDbText(value) : value));
}
