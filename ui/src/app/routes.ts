// The table of pages. A page's code is loaded when it is first shown; the page before stays until then.

import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { NoSuchPage, NoSuchPath } from "./not-found.tsx";
import { SignedIn } from "./session.tsx";
import { AccountShell, OperatorShell } from "./shell.tsx";

type Load = () => Promise<{ Page: ComponentType }>;

const root = createRootRoute({ component: SignedIn, notFoundComponent: NoSuchPath });
const account = createRoute({
  getParentRoute: () => root,
  path: "/a/$account",
  component: AccountShell,
  notFoundComponent: NoSuchPage,
});
const operator = createRoute({ getParentRoute: () => root, id: "operator", component: OperatorShell });

const accountTable: Readonly<Record<string, Load>> = {
  "/": () => import("#ui/overview/overview-page.tsx"),
  "/messages": () => import("#ui/messages/messages-page.tsx"),
  "/messages/$message": () => import("#ui/messages/message-page.tsx"),
  "/gateways": () => import("#ui/gateways/gateways-page.tsx"),
  "/gateways/new": () => import("#ui/gateways/new-gateway-page.tsx"),
  "/gateways/$gateway": () => import("#ui/gateways/gateway-page.tsx"),
  "/gateways/$gateway/settings": () => import("#ui/gateways/gateway-settings-page.tsx"),
  "/pools": () => import("#ui/pools/pools-page.tsx"),
  "/pools/$pool": () => import("#ui/pools/pool-page.tsx"),
  "/pools/$pool/calls": () => import("#ui/pools/calls-page.tsx"),
  "/pools/$pool/usage": () => import("#ui/pools/usage-page.tsx"),
  "/pools/$pool/keys": () => import("#ui/pools/keys-page.tsx"),
  "/pools/$pool/playground": () => import("#ui/pools/playground-page.tsx"),
  "/pools/$pool/settings": () => import("#ui/pools/settings-page.tsx"),
  "/pools/$pool/members/new": () => import("#ui/pools/member-page.tsx"),
  "/pools/$pool/members/$member": () => import("#ui/pools/member-page.tsx"),
  "/inbox": () => import("#ui/inbox/inbox-page.tsx"),
  "/domains": () => import("#ui/domains/domains-page.tsx"),
  "/domains/$domain": () => import("#ui/domains/domain-page.tsx"),
  "/suppressions": () => import("#ui/suppressions/suppressions-page.tsx"),
  "/credit": () => import("#ui/credit/credit-page.tsx"),
  "/audit": () => import("#ui/audit/account-audit-page.tsx"),
  "/settings": () => import("#ui/settings/settings-page.tsx"),
  "/webhooks": () => import("#ui/webhooks/webhooks-page.tsx"),
  "/webhooks/$webhook": () => import("#ui/webhooks/webhook-page.tsx"),
  "/webhooks/$webhook/deliveries/$event": () => import("#ui/webhooks/delivery-page.tsx"),
};

const operatorTable: Readonly<Record<string, Load>> = {
  "/accounts": () => import("#ui/accounts/accounts-page.tsx"),
  "/users": () => import("#ui/users/users-page.tsx"),
  "/tokens": () => import("#ui/users/tokens-page.tsx"),
  "/audit": () => import("#ui/audit/audit-page.tsx"),
  "/installation": () => import("#ui/installation/installation-page.tsx"),
};

const component = (load: Load) => lazyRouteComponent(load, "Page");
const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: component(() => import("./home.tsx")),
});

const tree = root.addChildren([
  home,
  account.addChildren(
    Object.entries(accountTable).map(([path, load]) =>
      createRoute({ getParentRoute: () => account, path, component: component(load) }),
    ),
  ),
  operator.addChildren(
    Object.entries(operatorTable).map(([path, load]) =>
      createRoute({ getParentRoute: () => operator, path, component: component(load) }),
    ),
  ),
]);

/** Texts as they stand in the URL: a filter is the API's own value, never JSON. */
const parseSearch = (search: string) => Object.fromEntries(new URLSearchParams(search));
const stringifySearch = (search: Record<string, unknown>) => {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
};

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  scrollRestoration: true,
});
