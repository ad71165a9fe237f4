// What an endpoint answered last, how many deliveries wait for their next try, and the button that posts them now.

import type { ReactNode } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { DeliveryTry } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Act } from "#ui/parts/act.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Due, Time } from "#ui/parts/time.tsx";
import { duration, number } from "#ui/words/numbers.ts";

const maxShown = 200;

/** `500 in 12 ms`, or why there was no answer. */
export const answered = ({ status, reason, ms }: DeliveryTry): string =>
  `${status ?? (reason ?? "no answer").replace(/\.$/, "")} in ${duration(ms)}`;

/** The facts that say what is wrong with an endpoint, and what waits for it; null until they are known. */
export function useBacklog(webhook: string, gaveUp: number): Readonly<Record<string, ReactNode>> | null {
  const { id: account } = useAccount();
  const params = { account, webhook };
  const read = useRead("getWebhookRetries", { params });
  const known = read.data?.data;
  if (known === undefined) return read.isPending ? null : {};
  const { last_try: last, next_attempt_at: next, count, more } = known;
  return {
    "Last answer":
      last === null ? null : (
        <span>
          {answered(last)}, <Time at={last.at} brief />
          {last.reason === null || !last.answer ? null : (
            <>
              : <code dir="auto">{last.answer.slice(0, maxShown)}</code>
            </>
          )}
        </span>
      ),
    Waiting:
      count === 0 || next === null ? null : (
        <span className="row">
          <span>
            {number(count)}
            {more ? "+" : ""} for {count === 1 ? "its" : "their"} next try, the first{" "}
            <Due at={next} over="now" />
          </span>
          <Act
            of="retryDeliveries"
            input={{ params }}
            onDone={({ data: { retried, more } }) =>
              done(
                `${number(retried)} ${retried === 1 ? "is" : "are"} posted now${more ? "; there are more" : ""}`,
              )
            }
          >
            Post {count === 1 ? "it" : "them"} now
          </Act>
        </span>
      ),
    "Gave up": gaveUp === 0 ? null : `${number(gaveUp)} in 24\u00a0h; replay what failed`,
  };
}

/** What the endpoint answered to a test event, as soon as that is known. */
export function TestAnswer({ webhook, event }: { webhook: string; event: string }) {
  const { id: account } = useAccount();
  const read = useRead("getDelivery", { params: { account, webhook, event } }, { every: 1_000 });
  const last = read.data?.data.log.at(-1);
  return (
    <span role="status">
      {last === undefined
        ? "The test is on its way…"
        : `The test was ${last.reason === null ? "received" : "not received"}: ${answered(last)}.`}
    </span>
  );
}
