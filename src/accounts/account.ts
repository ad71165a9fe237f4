// An account as requests see it: its plan, its limits and its gateways.

import type { KeyScope } from "#contract/manage/keys/named-keys.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";

interface Plan {
  name: string;
  /** Epoch ms; null if it does not end. */
  expiresAt: number | null;
}

/** What acceptance needs of the settings of an email gateway. */
export interface MailTerms {
  /** The domain of its sender; null if any sender will do. */
  domain: string | null;
  /** It adds an unsubscribe link, which is one recipient's. */
  unsubscribe: boolean;
}

/** A gateway as acceptance needs it, without its settings. */
export interface AccountGateway {
  id: string;
  /** The public `gateway_identifier`. */
  identifier: string;
  channel: Channel;
  kind: string;
  /** What it can send; empty for a kind that no longer exists. */
  contents: readonly ContentKind[];
  /** Whether it takes new messages. */
  active: boolean;
  /** It is being deleted: it sends what is queued and accepts nothing new. */
  isDraining?: boolean;
  isDefault: boolean;
  /** A sandbox: sending costs nothing, and its messages are marked `test`. */
  test: boolean;
  /** How the parts of its texts are counted, by its kind's `PartCounting`; absent: as GSM or UCS-2. */
  counting?: string;
  /** For an email gateway, once it is known: what acceptance needs of its settings. */
  mail?: MailTerms;
}

/** What a named key of an account allows. */
interface NamedKey {
  id: string;
  scopes: readonly KeyScope[];
  /** Whether it may send only through some of the account's gateways. */
  boundToGateways: boolean;
  /** The key's own limit, in addition to the account's; null if it has none. */
  requestsPerMinute: number | null;
}

export interface Account {
  id: string;
  name: string;
  /** IANA name. */
  timeZone: string;
  /** ISO 3166 alpha-2, the default country of phone numbers; null if there is none. */
  country: string | null;
  plan: Plan;
  /** Requests a minute on the channel endpoints; null for no limit. */
  requestsPerMinute: number | null;
  /** How many files a request may have, and how large each may be, bytes. */
  attachments: { maxFiles: number; maxBytes: number };
  /** Oldest first. If the caller's key names gateways, only those. */
  gateways: readonly AccountGateway[];
  /** The ids of the gateways that the caller's key names. The caller may reschedule or resend messages only through them. */
  gatewayIds?: readonly string[];
  /** The ids of the gateways whose messages the caller's key may read. It looks up and cancels no others. */
  readableGatewayIds?: readonly string[];
  /** The caller's named key; absent for the personal key and for a signed-in person, who have every right. */
  key?: NamedKey;
}

/** The gateways on which a caller may change messages, for the storage; undefined for all. */
export const onlyOn = ({ gatewayIds }: Pick<Account, "gatewayIds">): { gatewayIds?: readonly string[] } =>
  gatewayIds === undefined ? {} : { gatewayIds };

/** Whether the plan has ended. */
export function planExpired(account: Account, now: number): boolean {
  return account.plan.expiresAt !== null && account.plan.expiresAt <= now;
}

/**
 * The gateway of a channel for a message that names none: of the active gateways that can send its content, the default one or else the
 * oldest. Null if none can.
 */
export function defaultGateway(
  account: Account,
  channel: Channel,
  content: ContentKind,
): AccountGateway | null {
  const able = account.gateways.filter(
    (gateway) => gateway.channel === channel && gateway.active && gateway.contents.includes(content),
  );
  return able.find((gateway) => gateway.isDefault) ?? able[0] ?? null;
}
