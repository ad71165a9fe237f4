// The columns of every list of messages.

import { Link } from "@tanstack/react-router";
import { UserRound } from "lucide-react";
import type { MessageRecord } from "#ui/api/schema.ts";
import { RowLink } from "#ui/parts/link.tsx";
import type { Column } from "#ui/parts/list/table.tsx";
import { ChannelIcon, Recipient } from "#ui/parts/recipient.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Clock, Moment, WithTimes } from "#ui/parts/time.tsx";
import { waitingWord } from "./sentences/waiting.ts";
import { recipientOf, textOf } from "./words.ts";

/** The due time of a waiting message; otherwise when it was accepted. */
function When({ record }: { record: MessageRecord }) {
  if (record.status !== "scheduled" || record.scheduled_for === null) return <Clock at={record.created_at} />;
  return (
    <span className="info">
      due <Moment at={record.scheduled_for} />
    </span>
  );
}

export const messageColumns = (account: string): readonly Column<MessageRecord>[] => [
  {
    head: "Status",
    cell: (record) => {
      const why = waitingWord(record);
      return (
        <>
          <Status of={record.status} />
          {record.attempts > 1 ? <span className="soft"> {record.attempts}×</span> : null}
          {why === null ? null : <span className="soft small"> {why}</span>}
        </>
      );
    },
  },
  {
    head: "To",
    cell: (record) => (
      <>
        <ChannelIcon of={record.channel} />
        <RowLink to="/a/$account/messages/$message" params={{ account, message: record.id }}>
          <Recipient of={recipientOf(record)} />
        </RowLink>
        <Link
          to="/a/$account/people/$recipient"
          params={{ account, recipient: recipientOf(record) }}
          className="beside"
          aria-label="Everything about this recipient"
          title="Everything about this recipient"
        >
          <UserRound aria-hidden="true" />
        </Link>
      </>
    ),
  },
  {
    head: "Message",
    look: "text",
    cell: (record) =>
      record.error === null ? (
        <span dir="auto" className="soft">
          {textOf(record)}
        </span>
      ) : (
        <span title={textOf(record)}>
          <WithTimes text={record.error.message} />
        </span>
      ),
  },
  { head: "Gateway", look: "wide", cell: ({ gateway_identifier }) => gateway_identifier },
  { head: "When", look: "when", cell: (record) => <When record={record} /> },
];
