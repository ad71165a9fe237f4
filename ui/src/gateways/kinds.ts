// The kinds of gateways in groups: those that send nothing, phones, and the rest.

import type { Channel, GatewayKind } from "#ui/api/schema.ts";
import type { CardGroup } from "#ui/parts/list/card.ts";

const titles = ["Providers", "Devices that you link", "To try it out"] as const;

const groupOf = ({ test, links }: GatewayKind): (typeof titles)[number] =>
  test ? "To try it out" : links ? "Devices that you link" : "Providers";

/** The kinds of a channel, by name; empty groups are omitted. */
export const groupsOf = (kinds: readonly GatewayKind[], channel: Channel): CardGroup[] =>
  titles
    .map((title) => ({
      title,
      cards: kinds
        .filter((each) => each.channels.includes(channel) && groupOf(each) === title)
        .map(({ kind, title: name, summary }) => ({ name, summary, search: { channel, kind } }))
        .toSorted((a, b) => a.name.localeCompare(b.name)),
    }))
    .filter(({ cards }) => cards.length > 0);
