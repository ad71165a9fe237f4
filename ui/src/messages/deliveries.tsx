// The webhook deliveries of a message's events, and what the endpoints answered.

import { useChange, useRead } from "#ui/api/queries.ts";
import type { MessageDelivery } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { Table } from "#ui/parts/list/table.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due, WithTimes } from "#ui/parts/time.tsx";
import { duration } from "#ui/words/numbers.ts";

/** The endpoint's last answer. */
function Answered({ of: { last_try: last, next_attempt_at: next } }: { of: MessageDelivery }) {
  return (
    <>
      {last === null ? null : (
        <span>
          {last.status === null ? <WithTimes text={last.reason ?? "no answer"} /> : last.status} in{" "}
          {duration(last.ms)}
        </span>
      )}
      {next === null ? null : (
        <span className="soft">
          {" "}
          · next <Due at={next} over="now" />
        </span>
      )}
    </>
  );
}

export function Deliveries({ message }: { message: string }) {
  const { id: account } = useAccount();
  const read = useRead("listMessageDeliveries", { params: { account, message } });
  const webhooks = useRead("listWebhooks", { params: { account } }, { every: 60_000 });
  const replay = useChange("replayDelivery");
  const rows = read.data?.data;
  const nameOf = (id: string) => {
    const url = webhooks.data?.data.find((webhook) => webhook.id === id)?.url;
    // The path of an endpoint may itself be a secret.
    return url === undefined ? id : new URL(url).host;
  };
  return (
    <Section title="Webhook deliveries">
      {rows === undefined ? <Waiting error={read.error} /> : null}
      <Problem error={replay.error} />
      {rows?.length === 0 ? (
        <p className="soft">
          There are none: no webhook has subscribed to its events, or the events are older than they are kept.
        </p>
      ) : null}
      {rows === undefined || rows.length === 0 ? null : (
        <Table
          label="Webhook deliveries of this message"
          rows={rows}
          id={({ id, webhook }) => `${webhook} ${id}`}
          columns={[
            {
              head: "Event",
              cell: ({ id, type, webhook }) => (
                <RowLink
                  to="/a/$account/webhooks/$webhook/deliveries/$event"
                  params={{ account, webhook, event: id }}
                >
                  {type}
                </RowLink>
              ),
            },
            { head: "Webhook", cell: ({ webhook }) => nameOf(webhook) },
            { head: "State", cell: ({ status }) => <Status of={status} /> },
            { head: "Answer", look: "also", cell: (row) => <Answered of={row} /> },
            {
              head: "Replay",
              look: "act",
              cell: ({ id, type, webhook }) => (
                <button
                  type="button"
                  className="button"
                  disabled={replay.isPending}
                  aria-label={`Replay ${type} to ${nameOf(webhook)}`}
                  onClick={() =>
                    replay.mutate(
                      { params: { account, webhook, event: id } },
                      { onSuccess: () => done(`${type} is posted again`) },
                    )
                  }
                >
                  Replay
                </button>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}
