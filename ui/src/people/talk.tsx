// A conversation: sent messages at the right, received ones at the left, the newest visible.

import { Link, useSearch } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { textOf } from "#ui/messages/words.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { channelNames } from "#ui/parts/channels.ts";
import { Empty } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Moment, WithTimes } from "#ui/parts/time.tsx";
import { suppressionReasons } from "#ui/words/reasons.ts";
import type { Entry } from "./conversation.ts";

type Of<K extends Entry["kind"]> = Extract<Entry, { kind: K }>;

function Sent({ entry: { record } }: { entry: Of<"sent"> }) {
  const { id: account } = useAccount();
  return (
    <>
      <p dir="auto">{textOf(record)}</p>
      {record.error === null ? null : (
        <p className="small">
          <WithTimes text={record.error.message} />
        </p>
      )}
      <p className="small">
        <Status of={record.status} /> {channelNames[record.channel]}
        {record.gateway_identifier === null ? "" : ` · ${record.gateway_identifier}`} ·{" "}
        <Moment at={record.created_at} /> ·{" "}
        <Link to="/a/$account/messages/$message" params={{ account, message: record.id }}>
          what happened
        </Link>
      </p>
    </>
  );
}

function Received({ entry: { record, caused } }: { entry: Of<"received"> }) {
  const { id: account } = useAccount();
  return (
    <>
      <p dir="auto">{record.message}</p>
      {record.reply === null ? null : <p className="small">chose {record.reply.title ?? record.reply.id}</p>}
      {record.media.map(({ url, content_type }) => (
        <p key={url} className="small">
          <a href={url} rel="noreferrer noopener" target="_blank">
            {content_type ?? "file"} (leaves this server)
          </a>
        </p>
      ))}
      <p className="small soft">
        {channelNames[record.channel]} · {record.gateway_identifier} · <Moment at={record.received_at} />
        {record.opt === "in" ? " · wants messages again" : ""}
        {record.opt === "out" && caused === null ? " · wanted no more messages" : ""}
        {record.in_reply_to === null ? null : (
          <>
            {" · answers "}
            <Link to="/a/$account/messages/$message" params={{ account, message: record.in_reply_to }}>
              a message
            </Link>
          </>
        )}
      </p>
      {caused === null ? null : (
        <p className="caused">
          <Status of="suppressed">suppressed</Status> Since then nothing goes out by{" "}
          {channelNames[caused.channel]}.
        </p>
      )}
    </>
  );
}

const faces: { [K in Entry["kind"]]: (props: { entry: Of<K> }) => ReactNode } = {
  sent: Sent,
  received: Received,
  suppressed: ({ entry: { suppression } }) => (
    <p className="small">
      <Status of="suppressed">suppressed</Status> {channelNames[suppression.channel]}:{" "}
      {suppressionReasons[suppression.reason]} · <Moment at={suppression.created_at} />
    </p>
  ),
};

function Face({ entry }: { entry: Entry }) {
  // The type of a bubble follows from the entry's kind.
  const Of = faces[entry.kind] as (props: { entry: Entry }) => ReactNode;
  return <Of entry={entry} />;
}

/** How many pages are read automatically for the entry that the page's address names. */
const maxPages = 20;

/** `onOlder`: reads earlier entries; null if this is all. The entry that `at` of the page's address names is scrolled into view. */
export function Talk({
  entries,
  isReading,
  hasUpdates,
  onNews,
  onOlder,
}: {
  entries: readonly Entry[];
  isReading: boolean;
  hasUpdates: boolean;
  onNews: () => void;
  onOlder: (() => void) | null;
}) {
  const { at } = useSearch({ strict: false });
  const ref = useRef<HTMLElement>(null);
  const pages = useRef(0);
  const isThere = at === undefined || entries.some(({ id }) => id === at);
  const isBare = entries.length === 0;
  useEffect(() => {
    if (onOlder === null || isReading || (isThere && !isBare) || pages.current >= maxPages) return;
    pages.current += 1;
    onOlder();
  }, [onOlder, isReading, isThere, isBare]);
  useEffect(() => {
    if (isThere) ref.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }, [isThere]);
  if (isBare && onOlder === null)
    return (
      <Empty icon={MessagesSquare}>
        <p>Nothing was sent to them and nothing came from them, as far as messages are kept.</p>
      </Empty>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by keyboard */}
      <section className="talk" ref={ref} tabIndex={0} aria-label="What was sent and received">
        <ol>
          {onOlder === null ? null : (
            <li className="between">
              <Button disabled={isReading} onClick={onOlder}>
                {isReading ? "Reading on…" : "Show older"}
              </Button>
            </li>
          )}
          {entries.map((entry) => (
            <li
              key={entry.id}
              className={entry.kind === "suppressed" ? "between" : entry.kind}
              {...(entry.id === at ? { "aria-current": "true" as const } : {})}
            >
              <Face entry={entry} />
            </li>
          ))}
        </ol>
      </section>
      {hasUpdates ? (
        <Button className="newer" onClick={onNews}>
          The conversation has changed
        </Button>
      ) : null}
    </>
  );
}
