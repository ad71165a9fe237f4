// An account as requests use it: its plan, its limits and its gateways.

import type { KeyScope } from "#contract/manage/keys/named-keys.ts";
import type { Channel } from "#contract/messages/channel.ts";
import type { ContentKind } from "#contract/messages/content.ts";

interface Plan {
  name: string;
  /** Epoch ms; null: no end. */
  expiresAt: number | null;
}

/** A gateway as acceptance needs it, without its settings. */
export interface AccountGateway {
  id: string;
  /** The public `gateway_identifier`. */
  identifier: string;
  channel: Channel;
  kind: string;
  /** What it can send; empty for a kind that does not exist any more. */
  contents: readonly ContentKind[];
  /** Whether it takes new messages. */
  active: boolean;
  /** It is being deleted: it sends what it has, and takes nothing new. */
  isDraining?: boolean;
  isDefault: boolean;
  /** A sandbox: sending costs nothing, and its messages are marked `test`. */
  test: boolean;
  /** How the parts of its texts are counted, by its kind's `PartCounting`; absent: as GSM or UCS-2. */
  counting?: string;
}

/** What a named key of an account allows. */
interface NamedKey {
  id: string;
  scopes: readonly KeyScope[];
  /** Whether it may send through some of the account's gateways alone. */
  boundToGateways: boolean;
  /** Its own, beside the account's; null: no bound. */
  requestsPerMinute: number | null;
}

export interface Account {
  id: string;
  name: string;
  /** IANA name. */
  timeZone: string;
  /** ISO 3166 alpha-2, the default country of phone numbers; null: none. */
  country: string | null;
  plan: Plan;
  /** Requests a minute on the channel endpoints; null: no bound. */
  requestsPerMinute: number | null;
  /** How many files a request may have, and how large each may be, bytes. */
  attachments: { maxFiles: number; maxBytes: number };
  /** Oldest first; of a caller whose key names gateways, these alone. */
  gateways: readonly AccountGateway[];
  /** Of a caller whose key names gateways: their ids. What it moves or has sent again is on one of them. */
  gatewayIds?: readonly string[];
  /** Of a caller whose key reads its own gateways alone: their ids. It looks up and cancels messages of no other. */
  readableGatewayIds?: readonly string[];
  /** The named key that its caller shows; absent: the personal key or a person, with every right. */
  key?: NamedKey;
}

/** The gateways on which a caller may change messages, for the storage; nothing: on all. */
export const onlyOn = ({ gatewayIds }: Pick<Account, "gatewayIds">): { gatewayIds?: readonly string[] } =>
  gatewayIds === undefined ? {} : { gatewayIds };

/** Whether the plan's end has passed. */
export function planExpired(account: Account, now: number): boolean {
  return account.plan.expiresAt !== null && account.plan.expiresAt <= now;
}

/**
 * The gateway of a channel for a message that names none: of the active ones that can send its content, the default one
 * or else the oldest. Null when no gateway can.
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
