// The table of pages. A page's code is loaded when it is first shown; the previous page stays until then.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { isCovered } from "#ui/parts/keys.ts";
import { BrokenPage } from "./broken.tsx";
import { loaded } from "./code.ts";
import { NoSuchPage, NoSuchPath } from "./not-found.tsx";
import { SignedIn } from "./session.tsx";
import { AccountShell, OperatorShell } from "./shell.tsx";

/** Filters in the URL, with the API's own names and as text. */
type Search = Readonly<Record<string, string | undefined>>;
type Load = () => Promise<{ Page: ComponentType }>;

const root = createRootRoute({
  component: SignedIn,
  notFoundComponent: NoSuchPath,
  validateSearch: (search): Search => search as Search,
});
const home = createRoute({ getParentRoute: () => root, path: "/" });
const account = createRoute({
  getParentRoute: () => root,
  path: "/a/$account",
  component: AccountShell,
  notFoundComponent: NoSuchPage,
});
const operator = createRoute({ getParentRoute: () => root, id: "operator", component: OperatorShell });

const at = <P extends string>(path: P) => createRoute({ getParentRoute: () => account, path });
const above = <P extends string>(path: P) => createRoute({ getParentRoute: () => operator, path });

const accountPages = {
  overview: at("/"),
  messages: at("/messages"),
  message: at("/messages/$message"),
  request: at("/requests/$request"),
  scheduled: at("/scheduled"),
  send: at("/send"),
  gateways: at("/gateways"),
  newGateway: at("/gateways/new"),
  gateway: at("/gateways/$gateway"),
  gatewayLink: at("/gateways/$gateway/link"),
  gatewaySettings: at("/gateways/$gateway/settings"),
  pools: at("/pools"),
  pool: at("/pools/$pool"),
  calls: at("/pools/$pool/calls"),
  call: at("/pools/$pool/calls/$call"),
  usage: at("/pools/$pool/usage"),
  keys: at("/pools/$pool/keys"),
  playground: at("/pools/$pool/playground"),
  poolSettings: at("/pools/$pool/settings"),
  newMember: at("/pools/$pool/members/new"),
  member: at("/pools/$pool/members/$member"),
  inbox: at("/inbox"),
  person: at("/people/$recipient"),
  domains: at("/domains"),
  domain: at("/domains/$domain"),
  suppressions: at("/suppressions"),
  credit: at("/credit"),
  audit: at("/audit"),
  connect: at("/connect"),
  apiKeys: at("/api-keys"),
  settings: at("/settings"),
  hooks: at("/hooks"),
  hook: at("/hooks/$hook"),
  webhooks: at("/webhooks"),
  webhook: at("/webhooks/$webhook"),
  delivery: at("/webhooks/$webhook/deliveries/$event"),
};

const operatorPages = {
  accounts: above("/accounts"),
  users: above("/users"),
  tokens: above("/tokens"),
  auditOfAll: above("/audit"),
  installation: above("/installation"),
};

const pool = () => import("#ui/pools/pool-page.tsx");
const member = () => import("#ui/pools/member-page.tsx");

/** The code of each page. It is not part of the routes' types, against which links in the same pages are checked. */
const code: Readonly<Record<keyof typeof accountPages | keyof typeof operatorPages, Load>> = {
  overview: () => import("#ui/overview/overview-page.tsx"),
  messages: () => import("#ui/messages/messages-page.tsx"),
  message: () => import("#ui/messages/message-page.tsx"),
  request: () => import("#ui/messages/request-page.tsx"),
  scheduled: () => import("#ui/messages/scheduled-page.tsx"),
  send: () => import("#ui/send/send-page.tsx"),
  gateways: () => import("#ui/gateways/gateways-page.tsx"),
  newGateway: () => import("#ui/gateways/new-gateway-page.tsx"),
  gateway: () => import("#ui/gateways/gateway-page.tsx"),
  gatewayLink: () => import("#ui/gateways/link-page.tsx"),
  gatewaySettings: () => import("#ui/gateways/gateway-settings-page.tsx"),
  pools: () => import("#ui/pools/pools-page.tsx"),
  pool,
  calls: () => import("#ui/pools/calls-page.tsx"),
  call: () => import("#ui/pools/call-page.tsx"),
  usage: () => import("#ui/pools/usage-page.tsx"),
  keys: () => import("#ui/pools/keys-page.tsx"),
  playground: () => import("#ui/pools/playground-page.tsx"),
  poolSettings: () => import("#ui/pools/settings-page.tsx"),
  newMember: member,
  member,
  inbox: () => import("#ui/inbox/inbox-page.tsx"),
  person: () => import("#ui/people/person-page.tsx"),
  domains: () => import("#ui/domains/domains-page.tsx"),
  domain: () => import("#ui/domains/domain-page.tsx"),
  suppressions: () => import("#ui/suppressions/suppressions-page.tsx"),
  credit: () => import("#ui/credit/credit-page.tsx"),
  audit: () => import("#ui/audit/audit-page.tsx"),
  connect: () => import("#ui/connect/connect-page.tsx"),
  apiKeys: () => import("#ui/settings/api-keys-page.tsx"),
  settings: () => import("#ui/settings/settings-page.tsx"),
  hooks: () => import("#ui/hooks/hooks-page.tsx"),
  hook: () => import("#ui/hooks/hook-page.tsx"),
  webhooks: () => import("#ui/webhooks/webhooks-page.tsx"),
  webhook: () => import("#ui/webhooks/webhook-page.tsx"),
  delivery: () => import("#ui/webhooks/delivery-page.tsx"),
  accounts: () => import("#ui/accounts/accounts-page.tsx"),
  users: () => import("#ui/users/users-page.tsx"),
  tokens: () => import("#ui/users/tokens-page.tsx"),
  auditOfAll: () => import("#ui/audit/audit-page.tsx"),
  installation: () => import("#ui/installation/installation-page.tsx"),
};

const tree = root.addChildren([home, account.addChildren(accountPages), operator.addChildren(operatorPages)]);

home.update({ component: lazyRouteComponent(() => loaded(() => import("./home.tsx")), "Page") });
for (const [name, route] of Object.entries({ ...accountPages, ...operatorPages }))
  route.update({ component: lazyRouteComponent(() => loaded(code[name as keyof typeof code]), "Page") });

/** Texts as in the URL: a filter is the API's own value, never JSON. Pages compute with the times, so what is no time is left out. */
const parseSearch = (search: string) =>
  Object.fromEntries(
    [...new URLSearchParams(search)].filter(
      ([name, value]) =>
        !/^(created_from|created_to|after|before)$/.test(name) || !Number.isNaN(Date.parse(value)),
    ),
  );
const stringifySearch = (search: Record<string, unknown>) => {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
};

export const router = createRouter({
  routeTree: tree,
  defaultErrorComponent: BrokenPage,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/** After a change of page its heading has the focus, so that screen readers announce the page and the keyboard starts there. */
router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
  if (fromLocation === undefined || !pathChanged || isCovered()) return;
  document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
});
