// Why a gateway is paused, since when, what happens automatically, and what a person can do.

import { Link } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import type { Gateway } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { Section, Waiting } from "#ui/parts/page.tsx";
import { Due, Time, WithTimes } from "#ui/parts/time.tsx";
import { duration, number } from "#ui/words/numbers.ts";
import { adviceFor } from "./advice.ts";

const waits = ({ due, more }: Gateway["queue"]) =>
  `${number(due)}${more ? "+" : ""} ${due === 1 ? "message waits" : "messages wait"}`;

/** The last refused message, which shows why. */
function useRefused(gateway: Gateway) {
  const { id: account } = useAccount();
  const query = { gateway: gateway.identifier, order: "due", brief: "true", limit: 20 } as const;
  const read = useRead(
    "listAccountMessages",
    { params: { account }, query },
    { enabled: gateway.state === "paused" },
  );
  return read.data?.data.find(({ error }) => error !== null);
}

export function PauseNotice({ gateway }: { gateway: Gateway }) {
  const { id: account } = useAccount();
  const refused = useRefused(gateway);
  const { pause, queue, pauses_in_row } = gateway;
  if (pause === null) return null;
  const advice = gateway.state === "paused" ? adviceFor(refused?.error?.code) : null;
  return (
    <div className="notice warn" role="status">
      <strong>
        <WithTimes text={pause.reason} />
      </strong>
      <p>
        Since <Time at={pause.since} />
        {pauses_in_row > 1 ? `, tried ${pauses_in_row} times` : ""}.{" "}
        {pause.until === null ? (
          "It stays paused until a person resumes it."
        ) : (
          <>
            The next try: <Due at={pause.until} over="with the next message that is due" />.
          </>
        )}{" "}
        {waits(queue)} meanwhile
        {queue.oldest_due_at === null ? null : (
          <>
            , the first since <Time at={queue.oldest_due_at} brief />
          </>
        )}
        ; retries stand still, and nothing is lost.
      </p>
      {advice === null ? null : (
        <p>
          {advice.text}{" "}
          {advice.settings ? (
            <Link
              to="/a/$account/gateways/$gateway/settings"
              params={{ account, gateway: gateway.identifier }}
            >
              Edit the settings
            </Link>
          ) : null}
        </p>
      )}
      {refused === undefined ? null : (
        <p>
          <Link to="/a/$account/messages/$message" params={{ account, message: refused.id }}>
            The message that was refused
          </Link>
        </p>
      )}
    </div>
  );
}

/** An active gateway whose attempts all fail. */
export function DeferringNotice({ gateway: { deferring, identifier } }: { gateway: Gateway }) {
  const { id: account } = useAccount();
  if (deferring === null) return null;
  return (
    <div className="notice bad" role="status">
      <strong>
        Every attempt fails{deferring.reason === null ? "" : ": "}
        <WithTimes text={deferring.reason ?? ""} />
      </strong>
      <p>
        Since <Time at={deferring.since} />. {number(deferring.count)}
        {deferring.more ? "+" : ""} {deferring.count === 1 ? "message is" : "messages are"} tried again, the
        next one <Due at={deferring.next_attempt_at} over="now" />.{" "}
        <Link
          to="/a/$account/messages"
          params={{ account }}
          search={{ gateway: identifier, status: "queued" }}
        >
          See the messages
        </Link>
      </p>
    </div>
  );
}

/** Past pauses, newest first. */
export function Pauses({ gateway }: { gateway: string }) {
  const { id: account } = useAccount();
  const read = useRead("listGatewayPauses", { params: { account, gateway }, query: { limit: 10 } });
  const pauses = read.data?.data ?? [];
  if (read.isPending) return <Waiting error={null} />;
  if (pauses.length === 0) return null;
  return (
    <Section title="Pauses">
      <Table
        label="Pauses"
        rows={pauses}
        id={({ since }) => since}
        columns={[
          { head: "Since", cell: ({ since }) => <Time at={since} /> },
          {
            head: "For",
            cell: ({ since, until }) =>
              until === null ? "still" : duration(Date.parse(until) - Date.parse(since)),
          },
          {
            head: "Why",
            look: "text",
            cell: ({ reason }) => (reason === null ? "" : <WithTimes text={reason} />),
          },
        ]}
      />
      {read.data?.next_cursor === null ? null : <p className="soft small">The latest ten.</p>}
    </Section>
  );
}
