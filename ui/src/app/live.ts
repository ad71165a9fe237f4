// Live updates: reads displayed data again on the hints of the account's stream.

import { useEffect, useRef } from "react";
import { ApiError, type OperationName } from "#ui/api/client.ts";
import { wait, watchAccount } from "#ui/api/events.ts";
import { session, setFreshness } from "#ui/api/freshness.ts";
import { readAgain } from "#ui/api/queries.ts";
import { usePreference } from "#ui/parts/preferences.ts";
import { createThrottle } from "./throttle.ts";

/** The operations that show each topic. An unknown topic, from a newer server, refreshes everything. */
const shownBy: Readonly<Record<string, readonly OperationName[]>> = {
  account: ["getAccount", "listAccounts", "listNamedKeys", "getNamedKey", "getOverview"],
  calls: [
    "listPoolCalls",
    "getPoolCallContent",
    "listPoolDeferred",
    "listPoolKeys",
    "getPoolUsage",
    "getPoolStatistics",
    "getAiUsage",
    "getPoolHealth",
  ],
  credit: ["getCredit", "listCreditEntries", "getOverview"],
  deliveries: [
    "listDeliveries",
    "listMessageDeliveries",
    "countFailedDeliveries",
    "getWebhookRetries",
    "getDelivery",
    "listWebhooks",
    "getWebhook",
    "getOverview",
  ],
  domains: ["listSendingDomains", "getSendingDomain", "getOverview"],
  gateways: ["listGateways", "getGateway", "listGatewayPauses", "getGatewayLink", "getOverview"],
  hooks: ["listHooks", "getHook"],
  keys: ["listPoolKeys"],
  links: ["getGatewayLink", "getGateway", "listGateways", "getOverview"],
  messages: [
    "listAccountMessages",
    "getAccountMessage",
    "getAccountRequest",
    "listGateways",
    "getGateway",
    "getOverview",
  ],
  pools: ["listPools", "getPool", "getPoolMember", "getPoolHealth", "getOverview"],
  received: ["listAccountReceivedMessages"],
  suppressions: ["listSuppressions"],
  webhooks: ["listWebhooks", "getWebhook", "getOverview"],
};

/** The minimum interval between two reads of a query, ms. */
const readMs = 2_000;
/** A tab that is hidden for this long closes its stream: a browser allows six connections to a host. */
const hiddenMs = 10_000;
const firstRetryMs = 1_000;
const maxRetryMs = 30_000;

/**
 * Watches until the signal aborts; while the stream is down, everything is polled. `isFirst`: what the page shows is being read at the same
 * time, so that the first hello has nothing to add.
 */
async function follow(account: string, isFirst: boolean, signal: AbortSignal): Promise<void> {
  const throttle = createThrottle(readMs, (names) => readAgain(names));
  signal.addEventListener("abort", throttle.end);
  let retryMs = firstRetryMs;
  let isNew = isFirst;
  while (!signal.aborted) {
    if (!session.hasEnded) {
      try {
        await watchAccount(account, signal, {
          onOpen: () => {
            retryMs = firstRetryMs;
            setFreshness("live");
            if (!isNew) readAgain("all");
            isNew = false;
          },
          onChanged: (topics) =>
            throttle.add(topics.flatMap((topic) => shownBy[topic] ?? Object.values(shownBy).flat())),
        });
      } catch (error) {
        // The account does not belong to this person, or no longer does: there is no point in retrying.
        if (error instanceof ApiError && (error.status === 403 || error.status === 404)) {
          setFreshness("polling");
          return;
        }
      }
    }
    if (signal.aborted) return;
    isNew = false;
    // Nothing else notices at once that the service has gone.
    if (setFreshness("polling")) readAgain("all");
    await wait(retryMs, signal);
    retryMs = Math.min(maxRetryMs, retryMs * 2);
  }
}

/** Refreshes the pages of an account. `account`: undefined on pages without one, which are polled. */
export function useLive(account: string | undefined): void {
  const live = usePreference("live");
  const wasPaused = useRef(false);
  useEffect(() => {
    if (live === "off") {
      wasPaused.current = true;
      setFreshness("paused");
      return;
    }
    setFreshness("polling");
    if (wasPaused.current) readAgain("all");
    if (account === undefined) return;
    let open = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const start = (isFirst: boolean) => {
      open = new AbortController();
      void follow(account, isFirst, open.signal);
    };
    const look = () => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => open.abort(), hiddenMs);
      else if (open.signal.aborted) start(false);
    };
    document.addEventListener("visibilitychange", look);
    start(!wasPaused.current);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
      open.abort();
    };
  }, [account, live]);
}
