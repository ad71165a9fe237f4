import { Link } from "@tanstack/react-router";
import { CalendarClock } from "lucide-react";
import { useEffect, useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import { usePages, useRead } from "#ui/api/queries.ts";
import type { MessageRecord } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { channels } from "#ui/parts/channels.ts";
import { FirstSend } from "#ui/parts/first-send.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { List } from "#ui/parts/list/list.tsx";
import { picked } from "#ui/parts/list/query.ts";
import { FilterChoice, GatewayFilter } from "#ui/parts/list/search.tsx";
import { type Column, Table } from "#ui/parts/list/table.tsx";
import { PageHead, Section, Waiting } from "#ui/parts/page.tsx";
import { Recipient } from "#ui/parts/recipient.tsx";
import { useIsOver, useNow } from "#ui/parts/time.tsx";
import { relative } from "#ui/words/instants.ts";
import { clockOf, exactClockOf, hourOf, hourTitle, localIn } from "#ui/words/spans.ts";
import { ManyActions, type Results, ResultsDialog } from "./many.tsx";
import { WaitingActions } from "./move.tsx";
import { FoldedActions, FoldedDue, FoldedName } from "./requests/folded.tsx";
import { firstOf, type Line, lineId, lineOf } from "./requests/folds.ts";
import { useLines } from "./requests/lines.ts";
import { waitingWord } from "./sentences/waiting.ts";
import { useRememberedTrail } from "./trail.ts";
import { dueOf, recipientOf, textOf } from "./words.ts";

const dayMs = 86_400_000;
/** The largest page of the API: a campaign is one row of this list. */
const perPage = 200;
const maxOverdue = 50;
/** A list that was not paged through begins anew after this time, without the messages that are due by then. */
const beginsAnewMs = 60_000;
/** One who comes back within this time finds the same list. */
const sameListMs = 600_000;

type Listed = { data: MessageRecord[]; next_cursor: string | null };

let begunAt = 0;

/** When the list begins, epoch ms; one that began earlier than `maxMs` ago begins now. */
function beginning(maxMs: number): number {
  const now = Date.now();
  if (now - begunAt > maxMs) begunAt = now;
  return begunAt;
}

/** The account's clock, and how far away the first of the list is. */
function NowAndNext({ first }: { first: MessageRecord | undefined }) {
  const zone = useZone();
  const now = useNow();
  const next = first === undefined ? null : dueOf(first);
  const why = first === undefined ? null : waitingWord(first);
  const far =
    next === null
      ? ""
      : next <= now
        ? ` · next ${why === null ? "is due now" : `waits: ${why}`}`
        : ` · next ${relative(new Date(next).toISOString(), now)}`;
  return <p className="soft">{`now ${clockOf(now, zone)}${far}`}</p>;
}

/** Its time on the account's clocks, and the requested one if that differs. */
function At({ record }: { record: MessageRecord }) {
  const zone = useZone();
  const at = dueOf(record);
  if (at === null) return null;
  const asked = record.schedule_at?.slice(0, 16) ?? null;
  const why = waitingWord(record);
  const iso = new Date(at).toISOString();
  return (
    <>
      <time dateTime={iso} title={`${iso} (shown in ${zone})`} className="whole">
        {exactClockOf(at, zone)}
      </time>
      {asked === null || asked === localIn(at, zone).replace("T", " ") ? null : (
        <span className="soft"> · asked for {asked}</span>
      )}
      {why === null ? null : <span className="warn"> · {why}</span>}
    </>
  );
}

/** How to schedule, by an API call and by the send page. */
function None({ isFiltered }: { isFiltered: boolean }) {
  const { id: account } = useAccount();
  const zone = useZone();
  if (isFiltered) return <p>Nothing that fits waits for its time.</p>;
  return (
    <>
      <p>
        Nothing waits for its time. A message with <code>schedule_at</code> on the clocks of {zone} is here
        until it goes out, and so does one that is{" "}
        <Link to="/a/$account/send" params={{ account }}>
          sent from here at a time
        </Link>
        .
      </p>
      <FirstSend at={`${localIn(Date.now() + dayMs, zone).slice(0, 10)} 09:00:00`} />
    </>
  );
}

const columnsOf = (
  account: string,
  show: (request: string, isOpen: boolean) => void,
): readonly Column<Line>[] => [
  {
    head: "Due",
    cell: (line) => (line.kind === "request" ? <FoldedDue line={line} /> : <At record={line.record} />),
  },
  {
    head: "To",
    cell: (line) =>
      line.kind === "request" ? (
        <FoldedName line={line} />
      ) : (
        <RowLink to="/a/$account/messages/$message" params={{ account, message: line.record.id }}>
          <Recipient of={recipientOf(line.record)} />
        </RowLink>
      ),
  },
  {
    head: "Message",
    look: "text",
    cell: (line) => (
      <span dir="auto" className="soft">
        {textOf(firstOf(line))}
      </span>
    ),
  },
  { head: "Gateway", look: "wide", cell: (line) => firstOf(line).gateway_identifier },
  {
    head: "What can be done",
    look: "act",
    cell: (line) =>
      line.kind === "request" ? (
        <FoldedActions line={line} onOpen={(isOpen) => show(line.request, isOpen)} />
      ) : (
        <span className="row">
          <WaitingActions record={line.record} />
        </span>
      ),
  },
];

/** Their time has come, and something else keeps them. One read finds them, which never goes through what else is due. */
function Overdue({ read }: { read: { error: ApiError | null; data: Listed | undefined } }) {
  const { id: account } = useAccount();
  if (read.data === undefined) return <Waiting error={read.error} />;
  const { data, next_cursor } = read.data;
  if (data.length === 0 && next_cursor === null) return null;
  return (
    <Section title="Overdue">
      {data.length === 0 ? null : (
        <Table label="Overdue" rows={data.map(lineOf)} id={lineId} columns={columnsOf(account, () => {})} />
      )}
      {next_cursor === null ? null : (
        <p className="soft">
          Many messages are due, and there may be more scheduled ones among them.{" "}
          <Link to="/a/$account/messages" params={{ account }} search={{ status: "scheduled" }}>
            See all that are scheduled
          </Link>
        </p>
      )}
    </Section>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const zone = useZone();
  const [filter] = useFilter();
  const chosen = picked(filter, ["channel", "gateway"]);
  const query = { status: "scheduled", order: "due", ...chosen } as const;
  const [begins, setBegins] = useState(() => beginning(sameListMs));
  const from = new Date(begins).toISOString();
  const isOld = useIsOver(new Date(begins + beginsAnewMs).toISOString());
  const pages = usePages("listAccountMessages", {
    params: { account },
    query: { ...query, brief: "true", limit: perPage, due_from: from },
  });
  const overdue = useRead("listAccountMessages", {
    params: { account },
    query: { ...query, brief: "true", limit: maxOverdue, due_to: from },
  });
  const isLong = (pages.data?.pages.length ?? 0) > 1;
  useEffect(() => {
    if (!isLong && isOld) setBegins(beginning(beginsAnewMs));
  }, [isLong, isOld]);
  const { items } = pages;
  // Messages of a request may use several gateways: its row would also count, move and cancel messages that the filter excludes.
  const { lines, show } = useLines(pages, chosen.gateway === undefined);
  const [results, setResults] = useState<Results | null>(null);
  useRememberedTrail({ account, list: "scheduled", search: filter, query }, pages);
  const hours = items.map((record) => hourOf(dueOf(record) ?? 0, zone));
  const counts = new Map<string, number>();
  for (const hour of hours) counts.set(hour, (counts.get(hour) ?? 0) + 1);
  const first = overdue.data?.data[0] ?? items[0];
  return (
    <>
      <PageHead title="Scheduled" under={<NowAndNext first={first} />} />
      <div className="filters">
        <FilterChoice name="channel" label="Channel" of={channels} />
        <GatewayFilter />
      </div>
      <Overdue read={overdue} />
      <List<Line>
        label="Scheduled messages"
        pages={lines}
        id={lineId}
        choosable={({ kind }) => kind === "message"}
        more="Show later ones"
        // A row may represent a request of many pages, which would all be read at each change.
        follows={false}
        group={(line) => {
          const at = dueOf(firstOf(line)) ?? 0;
          const key = hourOf(at, zone);
          const more = pages.hasNextPage && key === hours.at(-1) ? "+" : "";
          return { key, title: `${hourTitle(at, zone, Date.now())} · ${counts.get(key) ?? 0}${more}` };
        }}
        actions={(chosen, clear) => (
          <ManyActions chosen={chosen.map(firstOf)} clear={clear} onResults={setResults} />
        )}
        icon={CalendarClock}
        empty={<None isFiltered={Object.keys(chosen).length > 0} />}
        columns={columnsOf(account, show)}
      />
      {results === null ? null : <ResultsDialog {...results} onClose={() => setResults(null)} />}
    </>
  );
}
