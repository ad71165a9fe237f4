// One line for each thing that needs a person: its name, its reason, and what happens automatically.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Attention } from "#ui/api/schema.ts";
import { Status } from "#ui/parts/status.tsx";
import { Due, Time, WithTimes } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

/** `812 messages`, `1 message`; "1,000 or more messages" if the API stopped counting. */
function counted({ count }: Attention, noun = "message"): string {
  const { n, more } = count ?? { n: 0, more: false };
  return `${number(n)}${more ? " or more" : ""} ${n === 1 && !more ? noun : `${noun}s`}`;
}

/** A link to the page that says most about the item: usually the one for its path in the API. */
function Place({ item, children }: { item: Attention; children: ReactNode }) {
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
    <Link to={to} search={Object.fromEntries(new URLSearchParams(query)) as never}>
      {children}
    </Link>
  );
}

/** Where the item comes from, and since when. */
function Reason({ item, since = item.since }: { item: Attention; since?: string | null }) {
  return (
    <>
      {item.reason === null || item.reason === "" ? null : (
        <>
          : <WithTimes text={item.reason} />
        </>
      )}
      {since === null ? null : (
        <>
          {" "}
          · since <Time at={since} />
        </>
      )}
    </>
  );
}

const memberReasons: Readonly<Record<string, string>> = {
  open: "its calls fail, so it gets none",
  unauthorized: "it refused the key, so it gets no calls",
};

function textOf(item: Attention): ReactNode {
  const named = <Place item={item}>{item.subject?.name ?? "Look"}</Place>;
  switch (item.kind) {
    case "gateway_paused":
      return (
        <>
          <Status of="paused" /> {named}
          <Reason item={item} />
          {item.until === null ? null : (
            <>
              {" "}
              · next try <Due at={item.until} over="with the next message that is due" />
            </>
          )}{" "}
          · {counted(item)} {item.count?.n === 1 ? "waits" : "wait"}
        </>
      );
    case "gateway_stopped":
      return (
        <>
          <Status of="stopped" /> {named}
          <Reason item={item} /> · {counted(item)} wait until a person resumes it
        </>
      );
    case "gateway_deferring":
      return (
        <>
          <Status of="failed">every attempt fails</Status> {named}
          <Reason item={item} />
          {item.until === null ? null : (
            <>
              {" "}
              · next attempt <Due at={item.until} over="now" />
            </>
          )}{" "}
          · {counted(item)} {item.count?.n === 1 ? "waits" : "wait"}
        </>
      );
    case "link_lost":
      return (
        <>
          <Status of="unlinked">not linked any more</Status> {named}
          <Reason item={item} /> · nothing goes out through it
        </>
      );
    case "not_linked":
      return (
        <>
          <Status of="unlinked">not linked</Status> {named}
          <Reason item={item} /> · no device is linked, so nothing goes out through it
        </>
      );
    case "backlog":
      return (
        <>
          <Status of="doubtful">late</Status> {named}: {counted(item)} should have gone out more than five
          minutes ago
          <Reason item={item} />
        </>
      );
    case "unknown_messages":
      return (
        <>
          <Status of="unknown">{counted(item)} unknown</Status> {item.count?.n === 1 ? "It" : "They"} may or
          may not have been sent. <Place item={item}>Answer</Place>
        </>
      );
    case "failures":
      return (
        <>
          <Status of="failed">{counted(item)} failed</Status> in the last 24 hours.{" "}
          <Place item={item}>Look</Place>
        </>
      );
    case "webhook_failing":
      return (
        <>
          <Status of="open">fails</Status> Webhook {named}
          <Reason item={item} />
        </>
      );
    case "webhook_disabled":
      return (
        <>
          <Status of="off">switched off</Status> Webhook {named}
          <Reason item={item} />
        </>
      );
    case "credit_low":
      return (
        <>
          <Status of="doubtful">credit</Status> {named}:{" "}
          {item.count?.n === 0 ? "none is left" : `only ${number(item.count?.n ?? 0)} left`}
        </>
      );
    case "plan_ending":
      return (
        <>
          <Status of="doubtful">plan</Status> {item.reason} {item.severity === "error" ? "ended" : "ends"}{" "}
          {item.until === null ? null : <Time at={item.until} />}
        </>
      );
    case "member_down":
      return (
        <>
          <Status of="open">down</Status> {named}: {memberReasons[item.reason ?? ""] ?? item.reason}
          {item.until === null ? null : (
            <>
              {" "}
              · to be tried again <Due at={item.until} over="now" />
            </>
          )}
        </>
      );
    case "domain_unverified":
      return (
        <>
          <Status of="doubtful">not verified</Status> {named}: no key of the domain signs mails yet
          <Reason item={item} />
        </>
      );
    case "held":
      return (
        <>
          <Status of="paused">held</Status> {counted(item)} of a restored backup wait for an operator.{" "}
          <Place item={item}>Look</Place>
        </>
      );
    case "no_public_url":
      return (
        <>
          <Status of="doubtful">no public address</Status> A gateway takes reports, and the installation has
          no address for them (<code>TRUNKLINE_PUBLIC_URL</code>). <Place item={item}>Look</Place>
        </>
      );
  }
}

/** One line about one item. */
export function AttentionLine({ item }: { item: Attention }) {
  return <p>{textOf(item)}</p>;
}
