// The navigation: every page, in groups, ordered by how often it is needed.

import type { LinkProps } from "@tanstack/react-router";
import {
  Ban,
  Bot,
  Building2,
  CalendarClock,
  Coins,
  Globe,
  House,
  Inbox,
  KeyRound,
  type LucideIcon,
  Mail,
  Plug,
  RadioTower,
  ScrollText,
  Send,
  Server,
  Settings,
  Siren,
  Users,
  Webhook,
} from "lucide-react";

export interface Place {
  to: Exclude<NonNullable<LinkProps["to"]>, "." | "..">;
  title: string;
  icon: LucideIcon;
  /** Opens it after `g`. */
  key?: string;
}

interface Group {
  title: string | null;
  places: readonly Place[];
}

export const accountPages: readonly Group[] = [
  { title: null, places: [{ to: "/a/$account", title: "Overview", key: "o", icon: House }] },
  {
    title: "Messaging",
    places: [
      { to: "/a/$account/send", title: "Send", key: "n", icon: Send },
      { to: "/a/$account/messages", title: "Messages", key: "m", icon: Mail },
      { to: "/a/$account/scheduled", title: "Scheduled", key: "z", icon: CalendarClock },
      { to: "/a/$account/inbox", title: "Inbox", key: "i", icon: Inbox },
      { to: "/a/$account/gateways", title: "Gateways", key: "g", icon: RadioTower },
      { to: "/a/$account/domains", title: "Domains", key: "d", icon: Globe },
      { to: "/a/$account/suppressions", title: "Suppressions", key: "s", icon: Ban },
    ],
  },
  {
    title: "AI and events",
    places: [
      { to: "/a/$account/pools", title: "AI pools", key: "p", icon: Bot },
      { to: "/a/$account/hooks", title: "Hooks", key: "h", icon: Siren },
      { to: "/a/$account/webhooks", title: "Webhooks", key: "w", icon: Webhook },
    ],
  },
  {
    title: "Account",
    places: [
      { to: "/a/$account/credit", title: "Credit", key: "c", icon: Coins },
      { to: "/a/$account/audit", title: "Audit", key: "a", icon: ScrollText },
      { to: "/a/$account/connect", title: "Connect", key: "k", icon: Plug },
      { to: "/a/$account/api-keys", title: "API keys", key: "y", icon: KeyRound },
      { to: "/a/$account/settings", title: "Settings", key: "e", icon: Settings },
    ],
  },
];

/** Letters after `g` that open a page. */
export const keyedPages = accountPages.flatMap(({ places }) => places);

/** The entries of the bar at the bottom of a phone; the rest is behind More. */
export const phonePages = keyedPages.filter(({ key }) => "omgp".includes(key ?? "-"));

export const operatorPages: Group = {
  title: "Installation",
  places: [
    { to: "/accounts", title: "All accounts", icon: Building2 },
    { to: "/users", title: "Users", icon: Users },
    { to: "/tokens", title: "Tokens", icon: KeyRound },
    { to: "/audit", title: "Audit log", icon: ScrollText },
    { to: "/installation", title: "Installation", icon: Server },
  ],
};
