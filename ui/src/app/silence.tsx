// Whether the service answers, and since when it does not.

import { notifyManager, type Query, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { ApiError, onAnswer } from "#ui/api/client.ts";
import { isAway } from "#ui/api/freshness.ts";
import { createListeners } from "#ui/api/listeners.ts";
import { useZone } from "#ui/parts/account.ts";
import { instant } from "#ui/words/instants.ts";

let since: string | null = null;
const changes = createListeners();

onAnswer((status) => {
  const isSilent = isAway(status);
  if (isSilent === (since !== null)) return;
  since = isSilent ? new Date().toISOString() : null;
  changes.call();
});

/** Since when the service has not answered, as text in the account's zone; null if it answers. */
export function useSilence(): string | null {
  const at = useSyncExternalStore(changes.listen, () => since);
  const zone = useZone();
  return at === null ? null : instant(at, zone, Date.now());
}

// The sign-in covers a page without a session.
const isOutdated = ({ state: { data, error } }: Query) =>
  data !== undefined && error instanceof ApiError && error.status !== 401;

/** The bar over a page that is not current: the service is silent, or what is shown could not be read again. */
export function Silence() {
  const silent = useSilence();
  const zone = useZone();
  const cache = useQueryClient().getQueryCache();
  const old = useSyncExternalStore(
    useCallback((listen: () => void) => cache.subscribe(notifyManager.batchCalls(listen)), [cache]),
    () => cache.findAll({ type: "active", predicate: isOutdated })[0]?.state,
  );
  const from = instant(new Date(old?.dataUpdatedAt ?? 0).toISOString(), zone, Date.now());
  const text =
    silent === null
      ? old && `A part of this page is from ${from}, and could not be read again: ${old.error?.message}`
      : `No answer since ${silent}. What you see is from then.`;
  return <div role="status">{text && <div className="silence">{text}</div>}</div>;
}
