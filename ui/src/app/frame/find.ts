// Interprets a text in the global search field: pages, actions, records, and filters of the log.

import type { FoundRecord, Gateway, Session } from "#ui/api/schema.ts";
import { accountPages, operatorPages } from "#ui/app/pages.ts";
import { lookupOf } from "#ui/messages/lookup.ts";
import { inGroups } from "#ui/words/numbers.ts";
import type { Named } from "./recent-accounts.ts";

/** One entry of the list. `href`: its target within the dashboard; no two entries have the same. */
export interface Finding {
  href: string;
  title: string;
  /** Its kind, and its account. */
  note: string;
  /** The keyboard shortcut to it. */
  keys?: string;
  /** What is done in place, instead of opening a page. */
  run?: () => unknown;
}

export interface Findings {
  label: string;
  items: Finding[];
}

/** The session's role and the account of the page; null if it has none. */
interface Who {
  role: Session["role"];
  account: string | null;
}

const part = encodeURIComponent;
const at = (account: string, path: string) => `/a/${part(account)}${path}`;

/** The name of each kind of record, and its page in its account. */
const kinds: Readonly<
  Record<FoundRecord["kind"], { name: string; path: (id: string, pool: string, title: string) => string }>
> = {
  account: { name: "account", path: () => "" },
  message: { name: "message", path: (id) => `/messages/${id}` },
  request: { name: "request", path: (id) => `/requests/${id}` },
  call: { name: "AI request", path: (id, pool) => `/pools/${pool}/calls/${id}` },
  received: { name: "received message", path: (id, _pool, from) => `/people/${from}?at=${id}` },
  gateway: { name: "gateway", path: (id) => `/gateways/${id}` },
  pool: { name: "AI pool", path: (id) => `/pools/${id}` },
  member: { name: "member of a pool", path: (id, pool) => `/pools/${pool}/members/${id}` },
  pool_key: { name: "key of a pool", path: (_id, pool) => `/pools/${pool}/keys` },
  domain: { name: "sending domain", path: (id) => `/domains/${id}` },
};

/** A gateway or pool of the account. `title`: its name. */
export const namedFinding = (
  kind: "gateway" | "pool",
  account: string,
  id: string,
  title: string,
): Finding => ({ href: at(account, kinds[kind].path(part(id), "", "")), title, note: kinds[kind].name });

/** A record, as found by the API. */
export function findingOf({ kind, account, id, title, pool }: FoundRecord): Finding {
  const { name, path } = kinds[kind];
  return {
    href: at(account.id, path(part(id), part(pool ?? ""), part(title ?? ""))),
    title: kind === "gateway" ? id : (title ?? id),
    note: `${name} of ${account.name}`,
  };
}

const idPattern = /^[a-z]{2,5}_[0-9a-z]{20,32}$/;
/** No provider's reference is shorter: text that is typed to find a page is not looked up as one. */
const minReference = 6;

/** Whether the text is one complete id: it has only one meaning, so it is opened directly. */
export const isWholeId = (text: string): boolean => idPattern.test(text.trim());

function pagesFor({ role, account }: Who): Finding[] {
  const own = account === null ? [] : accountPages.flatMap(({ places }) => places);
  return [
    ...own.map(({ to, title, key }) => ({
      href: to.replace("$account", part(account ?? "")),
      title,
      note: "page",
      ...(key === undefined ? {} : { keys: `g ${key}` }),
    })),
    ...(role === "operator" ? operatorPages.places : []).map(({ to, title }) => ({
      href: to,
      title,
      note: "page of the installation",
    })),
  ];
}

/** What a page adds, by the title of its dialog, which is open when one arrives. */
const adds = (path: string, title: string): Finding => {
  return { href: `${path}?${new URLSearchParams({ open: title })}`, title, note: "action" };
};

/** The page that sends, filled in for the first gateway that can send now. */
export function testFindings(account: string, gateways: readonly Gateway[]): Finding[] {
  const working = gateways.find(
    ({ state, session }) => state === "active" && (session?.state ?? "connected") === "connected",
  );
  if (working === undefined) return [];
  const { channel, identifier: gateway, test } = working;
  const to = test ? { to: channel === "email" ? "delivered@example.com" : "+15550000001" } : {};
  const hello = "Hello from Trunkline";
  const search = new URLSearchParams({ channel, gateway, ...to, subject: hello, message: hello });
  return [{ href: `${at(account, "/send")}?${search}`, title: "Send a test message", note: "action" }];
}

const actionsFor = ({ role, account }: Who): Finding[] => [
  ...(account === null
    ? []
    : [
        { href: at(account, "/send"), title: "Send messages", note: "action", keys: "c" },
        { href: at(account, "/gateways/new"), title: "Add a gateway", note: "action" },
        {
          href: `${at(account, "/messages")}?status=unknown`,
          title: "Answer unknown messages",
          note: "action",
        },
        { href: `${at(account, "/messages")}?status=failed`, title: "See failed messages", note: "action" },
        { href: at(account, "/connect"), title: "Connect an application", note: "action" },
        adds(at(account, "/api-keys"), "Create an API key"),
        adds(at(account, "/webhooks"), "Add a webhook endpoint"),
        adds(at(account, "/hooks"), "Add a hook"),
        adds(at(account, "/domains"), "Add a domain"),
        adds(at(account, "/pools"), "Add a pool"),
        adds(at(account, "/suppressions"), "Suppress recipients"),
      ]),
  ...(role === "operator"
    ? [
        { href: "/accounts", title: "Switch to another account", note: "action" },
        adds("/accounts", "Add an account"),
        adds("/users", "Add a user"),
        adds("/tokens", "Create a token"),
      ]
    : []),
];

/** Messages that the log's own search understands. */
function inLog(text: string, account: string): Finding[] {
  const lookup = lookupOf(text);
  if ("page" in lookup || lookup.filter === "request") return [];
  const { filter, value } = lookup;
  if (filter === "reference" && (value.length < minReference || /\s/.test(value))) return [];
  const search = new URLSearchParams({ [filter]: value });
  const title =
    filter === "recipient"
      ? `Messages to ${inGroups(value)}`
      : `Messages with the provider’s reference ${value}`;
  return [{ href: `${at(account, "/messages")}?${search}`, title, note: "filter of the log" }];
}

/** The page of the recipient that the whole text names, or null. */
export function personFinding(text: string, account: string | null): Finding | null {
  const asked = text.trim();
  const lookup = lookupOf(asked);
  if (account === null || "page" in lookup || lookup.filter !== "recipient") return null;
  return { href: at(account, `/people/${part(lookup.value)}`), title: asked, note: "recipient" };
}

/** Whether every word of the text is in the title. */
const fits = (text: string, title: string) =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.toLowerCase().includes(word));

/** The contents of the list besides pages and actions. */
interface Known {
  /** The API's results for the text. */
  records: readonly FoundRecord[];
  /** Gateways and pools of the page's account whose names may contain the text. */
  named: readonly Finding[];
  /** Accounts whose names may contain the text. */
  accounts: readonly Named[];
  /** What is done in place. */
  acts: readonly Finding[];
  /** Recently opened entries: shown first while the text is empty. */
  recent: readonly Finding[];
}

/** The list for a text, group by group; empty groups are omitted, and no entry appears twice. */
export function findings(
  text: string,
  who: Who,
  { records, named, accounts, acts, recent }: Known,
): Findings[] {
  const asked = text.trim();
  const pages = pagesFor(who);
  const actions = [...actionsFor(who), ...acts];
  const person = personFinding(text, who.account);
  const groups: Findings[] =
    asked === ""
      ? [
          { label: "Opened last", items: [...recent] },
          { label: "Do", items: actions },
          { label: "Go to", items: pages },
        ]
      : [
          { label: "People", items: person === null ? [] : [person] },
          {
            label: "Records",
            items: [...records.map(findingOf), ...named.filter(({ title }) => fits(asked, title))],
          },
          { label: "Go to", items: pages.filter(({ title }) => fits(asked, title)) },
          { label: "Do", items: actions.filter(({ title }) => fits(asked, title)) },
          {
            label: "Accounts",
            items: accounts
              .filter(({ name }) => fits(asked, name))
              .map(({ id, name }) => ({ href: at(id, ""), title: name, note: "account" })),
          },
          { label: "In the log", items: who.account === null ? [] : inLog(asked, who.account) },
        ];
  const seen = new Set<string>();
  const once = ({ href }: Finding) => !seen.has(href) && seen.add(href) !== undefined;
  return groups
    .map(({ label, items }) => ({ label, items: items.filter(once) }))
    .filter(({ items }) => items.length > 0);
}

const kept = 5;
/** One person's entries in this tab are not shown to the next. */
const keyOf = (person: string) => `found by ${person}`;

/** Entries that this tab recently opened from the list. `person`: the id of the session's person. */
export const recentFindings = (person: string): Finding[] =>
  JSON.parse(sessionStorage.getItem(keyOf(person)) ?? "[]") as Finding[];

export function rememberFinding(person: string, finding: Finding): void {
  const others = recentFindings(person).filter(({ href }) => href !== finding.href);
  sessionStorage.setItem(keyOf(person), JSON.stringify([finding, ...others].slice(0, kept)));
}
