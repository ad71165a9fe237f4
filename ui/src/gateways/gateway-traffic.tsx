// A gateway's traffic: what waits, what its pace allows, and how the messages of the last day ended.

import { useRead } from "#ui/api/queries.ts";
import type { Gateway } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { gatewayOutcomes, hourlyOutcomes } from "#ui/parts/charts/outcomes.ts";
import { TimeColumns } from "#ui/parts/charts/time-columns.tsx";
import { Figures, Section, Waiting } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { duration, number } from "#ui/words/numbers.ts";

const counted = (count: number, more: boolean) => `${number(count)}${more ? "+" : ""}`;

export function Now({ gateway }: { gateway: Gateway }) {
  const { queue, today, opens_at, pace } = gateway;
  return (
    <Figures
      of={[
        {
          name: "Due now",
          value: counted(queue.due, queue.more && queue.due >= 1_000),
          note:
            queue.oldest_due_at === null ? null : (
              <>
                first since <Time at={queue.oldest_due_at} brief />
              </>
            ),
        },
        {
          name: "Due later",
          value: counted(queue.later, queue.more && queue.later >= 1_000),
          note: queue.next_due_at === null ? null : <Time at={queue.next_due_at} brief />,
        },
        {
          name: "Today",
          value: today === null ? null : number(today.sent),
          note:
            today === null ? null : (
              <>
                of {number(today.per_day)}
                {today.sent < today.per_day ? null : (
                  <>
                    , goes on <Time at={today.restarts_at} brief />
                  </>
                )}
              </>
            ),
        },
        {
          name: "Pace",
          value: pace.per_second === null ? "no limit" : `${number(pace.per_second)}/s`,
          note: `${number(pace.concurrency)} at once`,
        },
        {
          name: "Hours",
          value: pace.hours,
          note:
            opens_at === null ? (
              "open now"
            ) : (
              <>
                opens <Time at={opens_at} brief />
              </>
            ),
        },
      ]}
    />
  );
}

/** The last 24 hours; nothing if no message was sent. */
export function Traffic({ gateway }: { gateway: string }) {
  const { id: account } = useAccount();
  const read = useRead(
    "getMessageStatistics",
    { params: { account }, query: { gateway } },
    { every: 30_000, keep: true },
  );
  if (read.isPending) return <Waiting error={null} />;
  const statistics = read.data?.data;
  const [series] = statistics?.series ?? [];
  if (statistics === undefined || series === undefined) return null;
  const { total } = series;
  const p95 = (ms: number | null) => (ms === null ? "–" : duration(ms));
  return (
    <Section lead title="Traffic">
      <Figures
        of={[
          { name: "Accepted", value: number(total.accepted) },
          {
            name: "Deferred",
            value: total.deferred === 0 ? null : number(total.deferred),
            note: "attempts, repeated later",
          },
          { name: "Due → sent, p95", value: p95(total.wait_ms.p95) },
          { name: "Sent → delivered, p95", value: p95(total.delivery_ms.p95) },
        ]}
      />
      <TimeColumns
        title="Messages of the last 24 hours by outcome"
        range="last 24 hours"
        series={gatewayOutcomes}
        columns={hourlyOutcomes(statistics, series)}
        open={({ from, to }) => ({
          to: "/a/$account/messages",
          params: { account },
          search: {
            gateway,
            created_from: new Date(from).toISOString(),
            created_to: new Date(to).toISOString(),
          },
        })}
      />
    </Section>
  );
}
