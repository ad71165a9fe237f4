// What the navigation offers: every page that exists, in the order of how often it is needed.

/** Pages of an account, by what follows `/a/{account}`; `key` leads there after `g`. */
export const accountPages: readonly { path: string; title: string; key: string }[] = [
  { path: "", title: "Overview", key: "o" },
  { path: "/messages", title: "Messages", key: "m" },
  { path: "/gateways", title: "Gateways", key: "g" },
  { path: "/pools", title: "AI pools", key: "p" },
  { path: "/webhooks", title: "Webhooks", key: "w" },
  { path: "/inbox", title: "Inbox", key: "i" },
  { path: "/domains", title: "Domains", key: "d" },
  { path: "/suppressions", title: "Suppressions", key: "s" },
  { path: "/credit", title: "Credit", key: "c" },
  { path: "/audit", title: "Audit", key: "a" },
  { path: "/settings", title: "Settings", key: "e" },
];

export const operatorPages: readonly { path: string; title: string }[] = [
  { path: "/accounts", title: "Accounts" },
  { path: "/users", title: "Users" },
  { path: "/tokens", title: "Tokens" },
  { path: "/audit", title: "Audit of everything" },
  { path: "/installation", title: "Installation" },
];
