// The senders of an account's gateways. Here a sender is a setting of a gateway; Twilio's clients name it in each request.

import { type Account, type AccountGateway, defaultGateway } from "#accounts/account.ts";
import type { ContentKind } from "#contract/messages/content.ts";
import { addressOf, readAddress, type TwilioChannel } from "#contract/twilio/addresses.ts";
import { idOfSid } from "#contract/twilio/sids.ts";
import type { HttpCore } from "#http/call.ts";
import { normaliseRecipient } from "#messaging/channels.ts";
import { openSettings, readGatewaySettings } from "#store/gateways/gateways.ts";
import { TwilioRefusal } from "./errors.ts";

type Deps = Pick<HttpCore, "database" | "sealer">;

/** By the identifier of a gateway, the sender in its settings. */
export type Senders = ReadonlyMap<string, string>;

/** The authenticator keeps an account for some seconds; its gateways' settings are read and unsealed once in that time. */
const known = new WeakMap<Account, Promise<Senders>>();

/** The senders of the account's gateways; of those that have none in their settings, nothing. */
export function sendersOf(deps: Deps, account: Account): Promise<Senders> {
  const read = known.get(account);
  if (read !== undefined) return read;
  const reading = readSenders(deps, account);
  known.set(account, reading);
  // A failed read is not kept.
  reading.catch(() => known.delete(account));
  return reading;
}

async function readSenders({ database, sealer }: Deps, account: Account): Promise<Senders> {
  const senders = new Map<string, string>();
  for (const row of await database.run(readGatewaySettings, account.id)) {
    try {
      const { from } = openSettings(sealer, row) as { from?: unknown };
      if (typeof from === "string" && from !== "") senders.set(row.identifier, from);
    } catch {
      // Sealed by another installation: its gateway cannot send either.
    }
  }
  return senders;
}

/** The sender of a gateway as an address: that of its settings, or else its identifier. */
export const senderAddress = (channel: TwilioChannel, identifier: string | null, senders: Senders) =>
  identifier === null ? null : addressOf(channel, senders.get(identifier) ?? identifier);

/** What a request says about its sender. */
interface SenderOfRequest {
  channel: TwilioChannel;
  content: ContentKind;
  from: string | null;
  service: string | null;
}

/** The identifier of the gateway that a request names; null for the default one. Throws the refusal of one that the account lacks. */
export async function gatewayFor(
  deps: Deps,
  account: Account,
  { channel, content, from, service }: SenderOfRequest,
): Promise<string | null> {
  const gateways = account.gateways.filter((gateway) => gateway.channel === channel);
  // Twilio takes the SID of a service as the sender too.
  const isService = from !== null && /^MG[0-9a-f]{32}$/i.test(from);
  const sid = service ?? (isService ? from : null);
  if (sid !== null) {
    const id = idOfSid("MG", sid, "gw");
    const named = gateways.find((gateway) => gateway.id === id || gateway.identifier === sid);
    if (named !== undefined && from !== null && from !== sid && !named.test)
      await checkSender(deps, account, { channel, from, gateway: named });
    if (named === undefined)
      throw new TwilioRefusal(
        "noSuchService",
        `The MessagingServiceSid is no ${channel} gateway of this account: give its identifier.`,
      );
    return named.identifier;
  }
  if (from === null) return null;
  const address = readAddress(from);
  if (address.channel !== channel)
    throw new TwilioRefusal("channelsDiffer", "The From and the To must be of the same channel.");
  const found = gatewayOfSender(account, gateways, address.text, await sendersOf(deps, account));
  if (found !== null) return found.identifier;
  // A sandbox sends nothing, so it has no sender that a request could miss.
  if (defaultGateway(account, channel, content)?.test === true) return null;
  throw new TwilioRefusal(
    channel === "sms" ? "invalidFrom" : "invalidWhatsappFrom",
    `The From is no ${channel} gateway of this account: give the identifier of one, the sender in its settings, or none for the default one.`,
  );
}

/** Refuses a sender that is not that of the service beside it, whose gateway would send from another one. */
async function checkSender(
  deps: Deps,
  account: Account,
  { channel, from, gateway }: { channel: TwilioChannel; from: string; gateway: AccountGateway },
): Promise<void> {
  const address = readAddress(from);
  const isIts =
    address.channel === channel &&
    gatewayOfSender(account, [gateway], address.text, await sendersOf(deps, account)) !== null;
  if (!isIts)
    throw new TwilioRefusal(
      channel === "sms" ? "invalidFrom" : "invalidWhatsappFrom",
      "The From is no sender of the MessagingServiceSid: leave out one of them.",
    );
}

/** The gateway with this identifier or sender: the default one of several, or else the first that is active. */
export function gatewayOfSender(
  { country }: Account,
  gateways: readonly AccountGateway[],
  text: string,
  senders: Senders,
): AccountGateway | null {
  const written = (sender: string) => normaliseRecipient("sms", sender, country) ?? sender.toLowerCase();
  const name = written(text);
  const named = gateways.filter(({ identifier }) => {
    const sender = senders.get(identifier);
    return identifier === text || (sender !== undefined && written(sender) === name);
  });
  const active = named.filter((gateway) => gateway.active);
  return active.find((gateway) => gateway.isDefault) ?? active[0] ?? named[0] ?? null;
}
