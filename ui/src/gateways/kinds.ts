// The kinds of gateways in groups: those that send nothing, phones, and the rest.

import type { Channel, GatewayKind } from "#ui/api/schema.ts";

interface KindGroup {
  title: string;
  kinds: GatewayKind[];
}

const titles = ["Providers", "Devices that you link", "To try it out"] as const;

const groupOf = ({ test, links }: GatewayKind): (typeof titles)[number] =>
  test ? "To try it out" : links ? "Devices that you link" : "Providers";

/** The kinds of a channel whose name or summary contains the text; empty groups are omitted. */
export function groupsOf(kinds: readonly GatewayKind[], channel: Channel, search: string): KindGroup[] {
  const text = search.trim().toLowerCase();
  const found = kinds.filter(
    ({ channels, kind, title, summary }) =>
      channels.includes(channel) && `${kind} ${title} ${summary}`.toLowerCase().includes(text),
  );
  return titles.flatMap((title) => {
    const members = found
      .filter((kind) => groupOf(kind) === title)
      .toSorted((a, b) => a.title.localeCompare(b.title));
    return members.length === 0 ? [] : [{ title, kinds: members }];
  });
}
