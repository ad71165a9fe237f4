// The webhook deliveries of a message's events, and what the endpoints answered.

import { useChange, useRead } from "#ui/api/queries.ts";
import type { MessageDelivery } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
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
          {last === null ? "" : ", "}
          next <Due at={next} over="now" />
        </span>
      )}
    </>
  );
}

/** `3 of 4 received, 1 waits`. */
function outcomesOf(deliveries: readonly MessageDelivery[]): string {
  const of = (status: MessageDelivery["status"]) =>
    deliveries.filter((each) => each.status === status).length;
  const [pending, failed] = [of("pending"), of("failed")];
  return [
    `${of("delivered")} of ${deliveries.length} received`,
    ...(pending === 0 ? [] : [`${pending} ${pending === 1 ? "waits" : "wait"}`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(", ");
}

/** The deliveries to one endpoint: a line, which opens to the events. */
function Endpoint({ name, deliveries }: { name: string; deliveries: readonly MessageDelivery[] }) {
  const { id: account } = useAccount();
  const replay = useChange("replayDelivery");
  const trouble = deliveries.findLast(({ status }) => status !== "delivered");
  return (
    <details>
      <summary>
        <Status of={trouble?.status ?? "delivered"}>{name}</Status>{" "}
        <span className="soft">
          {outcomesOf(deliveries)}
          {trouble === undefined ? null : (
            <>
              : <Answered of={trouble} />
            </>
          )}
        </span>
      </summary>
      <Problem error={replay.error} />
      <Table
        label={`Deliveries to ${name}`}
        rows={deliveries}
        id={({ id }) => id}
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
          { head: "State", cell: ({ status }) => <Status of={status} /> },
          { head: "Answer", look: "also", cell: (row) => <Answered of={row} /> },
          {
            head: "Replay",
            look: "act",
            cell: ({ id, type, webhook }) => (
              <Button
                disabled={replay.isPending}
                aria-label={`Replay ${type} to ${name}`}
                onClick={() =>
                  replay.mutate(
                    { params: { account, webhook, event: id } },
                    { onSuccess: () => done(`${type} is posted again`) },
                  )
                }
              >
                Replay
              </Button>
            ),
          },
        ]}
      />
    </details>
  );
}

export function Deliveries({ message }: { message: string }) {
  const { id: account } = useAccount();
  const read = useRead("listMessageDeliveries", { params: { account, message } });
  const webhooks = useRead("listWebhooks", { params: { account } }, { every: 60_000 });
  const byEndpoint = Object.entries(Object.groupBy(read.data?.data ?? [], ({ webhook }) => webhook));
  const names = new Map(webhooks.data?.data.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => {
    const name = names.get(id) ?? id;
    const isShared = [...names.values()].filter((each) => each === name).length > 1;
    return isShared ? `${name} (…${id.slice(-6)})` : name;
  };
  return (
    <Section title="Webhook deliveries">
      {read.data === undefined || webhooks.isPending ? <Waiting error={read.error} /> : null}
      {read.data?.data.length === 0 ? (
        <p className="soft">None: no webhook subscribes to its events, or they are past their retention.</p>
      ) : null}
      {(webhooks.isPending ? [] : byEndpoint).map(([id, deliveries = []]) => (
        <Endpoint key={id} name={nameOf(id)} deliveries={deliveries} />
      ))}
    </Section>
  );
}
