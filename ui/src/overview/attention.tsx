// What needs a person, as the rows of a table: its state, its name, why, since when, what happens automatically, and what helps.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Attention } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Act } from "#ui/parts/act.tsx";
import type { Column } from "#ui/parts/list/table.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time, WithTimes } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

export interface Line {
  key: string;
  severity: Attention["severity"];
  /** The shape and colour, and the word beside it. */
  state: readonly [look: string, word: string];
  name: ReactNode;
  why: ReactNode;
  since: string | null;
  next: ReactNode;
  act: ReactNode;
}

export const columns: readonly Column<Line>[] = [
  { head: "State", cell: ({ state: [look, word] }) => <Status of={look}>{word}</Status> },
  { head: "What", cell: ({ name }) => name },
  { head: "Why", cell: ({ why }) => why },
  { head: "Since", look: "when", cell: ({ since }) => (since === null ? null : <Time at={since} brief />) },
  { head: "Next", cell: ({ next }) => <span className="soft">{next}</span> },
  { head: "What helps", look: "act", cell: ({ act }) => act },
];

const rank: Readonly<Record<Attention["severity"], number>> = { error: 0, doubt: 1, warning: 2 };

export const bySeverity = (lines: readonly Line[]): Line[] =>
  lines.toSorted((one, other) => rank[one.severity] - rank[other.severity]);

/** `812 messages`, `1 message`; "1,000 or more messages" if the API stopped counting. */
function counted({ count }: Attention): string {
  const { n, more } = count ?? { n: 0, more: false };
  return `${number(n)}${more ? " or more" : ""} ${n === 1 && !more ? "message" : "messages"}`;
}

/** `: 812 messages wait`; empty if none does. */
const waits = (item: Attention): string =>
  item.count === null || item.count.n === 0
    ? ""
    : `${counted(item)} ${item.count.n === 1 && !item.count.more ? "waits" : "wait"}`;

/** A link to the page that says most about the item: usually the one for its path in the API. */
function Place({
  item,
  button = false,
  children,
}: {
  item: Attention;
  button?: boolean;
  children: ReactNode;
}) {
  const [path = "", query = ""] = item.href.split("?");
  const page = path.replace("/api/manage/v1/accounts/", "/a/").replace("/sending-domains/", "/domains/");
  const to =
    item.kind === "not_linked" || item.kind === "link_lost"
      ? `${page}/link`
      : // The pool's page shows why a member is down and which one answers now; the member's own page has its settings.
        item.kind === "member_down"
        ? page.replace(/\/members\/[^/]+$/, "")
        : page;
  return (
    <Link
      to={to}
      search={Object.fromEntries(new URLSearchParams(query)) as never}
      {...(button ? { className: "button" } : {})}
    >
      {children}
    </Link>
  );
}

/** Resumes the gateway of the item. */
function Resume({ item, verb }: { item: Attention; verb: string }) {
  const { id: account } = useAccount();
  const gateway = item.subject?.name ?? "";
  return (
    <Act of="resumeGateway" input={{ params: { account, gateway } }} aria-label={`${verb} ${gateway}`}>
      {verb}
    </Act>
  );
}

const memberReasons: Readonly<Record<string, string>> = {
  open: "Its calls fail, so it gets no requests",
  unauthorized: "It refused the key, so it gets no requests",
};

interface Kind {
  state: readonly [look: string, word: string];
  /** Without it: the reason of the item, and how many messages wait. */
  why?: (item: Attention) => ReactNode;
  /** The name of the item's `until`, and the text that replaces it once it is over. */
  next?: readonly [what: string, over: string];
  /** The verb of the button, which leads to the item's page. */
  verb?: string;
  act?: (item: Attention) => ReactNode;
  name?: string;
}

/** Every kind of the API's; one that is missing does not compile. */
const kinds: Readonly<Record<Attention["kind"], Kind>> = {
  gateway_paused: {
    state: ["paused", "paused"],
    next: ["next try", "with the next message that is due"],
    act: (item) => <Resume item={item} verb="Retry now" />,
  },
  gateway_stopped: { state: ["stopped", "stopped"], act: (item) => <Resume item={item} verb="Resume" /> },
  gateway_deferring: { state: ["failed", "all attempts fail"], next: ["next attempt", "now"] },
  link_lost: { state: ["unlinked", "no longer linked"], verb: "Link it" },
  not_linked: {
    state: ["unlinked", "not linked"],
    why: () => "No device is linked, so nothing is sent through it",
    verb: "Link it",
  },
  backlog: {
    state: ["doubtful", "late"],
    why: (item) => `${counted(item)} should have been sent more than five minutes ago`,
  },
  unknown_messages: {
    state: ["unknown", "unknown"],
    name: "Messages",
    why: (item) => `${counted(item)} may or may not have been sent`,
    verb: "Answer",
  },
  failures: {
    state: ["failed", "failed"],
    name: "Messages",
    why: (item) => `${counted(item)} of the last 24 hours failed`,
  },
  webhook_failing: {
    state: ["open", "webhook failing"],
    why: ({ reason }) => <WithTimes text={reason ?? "The endpoint does not accept what is posted to it"} />,
  },
  webhook_disabled: { state: ["off", "webhook off"] },
  credit_low: {
    state: ["doubtful", "credit"],
    why: ({ count }) => (count?.n === 0 ? "None is left" : `Only ${number(count?.n ?? 0)} left`),
  },
  plan_ending: { state: ["doubtful", "plan"], name: "Plan", next: ["its end:", "it has ended"] },
  member_down: {
    state: ["open", "down"],
    why: ({ reason }) => memberReasons[reason ?? ""] ?? reason,
    next: ["tried again", "now"],
  },
  domain_unverified: {
    state: ["doubtful", "not verified"],
    why: () => "No key of this domain signs mail yet",
    verb: "Check",
  },
  held: {
    state: ["paused", "held"],
    name: "Restored backup",
    why: (item) => `${counted(item)} wait for an operator`,
  },
  alerts_blocked: { state: ["failed", "not reported"] },
  no_public_url: {
    state: ["doubtful", "no public address"],
    name: "Installation",
    why: () => (
      <>
        A gateway receives reports, but the installation has no public address for them (
        <code>TRUNKLINE_PUBLIC_URL</code>)
      </>
    ),
  },
};

/** The reason in the words of its source, and what waits because of it. */
function Why({ item }: { item: Attention }) {
  const reason = (item.reason ?? "").replace(/\.$/, "");
  return (
    <>
      <WithTimes text={reason} />
      {reason === "" || waits(item) === "" ? "" : " · "}
      {waits(item)}
    </>
  );
}

/** The row of one item. */
export function lineOf(item: Attention): Line {
  const kind = kinds[item.kind];
  const name = item.subject?.name ?? kind.name ?? "Account";
  return {
    key: `${item.kind} ${item.subject?.id}`,
    severity: item.severity,
    state: kind.state,
    name: <Place item={item}>{name}</Place>,
    why: kind.why === undefined ? <Why item={item} /> : kind.why(item),
    since: item.since,
    next:
      kind.next === undefined || item.until === null ? null : (
        <>
          {kind.next[0]} <Due at={item.until} over={kind.next[1]} />
        </>
      ),
    act: kind.act?.(item) ?? (
      <Place item={item} button>
        {kind.verb ?? "View"}
        <span className="unseen"> {name}</span>
      </Place>
    ),
  };
}
