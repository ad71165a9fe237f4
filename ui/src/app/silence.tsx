// Whether the service answers, and since when it does not.

import { useSyncExternalStore } from "react";
import { onAnswer } from "#ui/api/client.ts";
import { createListeners } from "#ui/api/listeners.ts";
import { useZone } from "#ui/parts/account.ts";
import { instant } from "#ui/words/instants.ts";

let since: string | null = null;
const changes = createListeners();

onAnswer((status) => {
  const isSilent = status === 0 || status === 503;
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

/** The bar over the page while the service is silent. */
export function Silence() {
  const text = useSilence();
  return (
    <div role="status">
      {text === null ? null : (
        <div className="silence">No answer since {text}. What you see is from then.</div>
      )}
    </div>
  );
}
