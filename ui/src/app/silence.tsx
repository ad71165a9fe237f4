import { useEffect, useState } from "react";
import { onAnswer } from "#ui/api/client.ts";
import { useZone } from "#ui/parts/account.ts";
import { instant } from "#ui/words/instants.ts";

/** The bar over the page while the service is silent. */
export function Silence() {
  const zone = useZone();
  const [since, setSince] = useState<string | null>(null);
  useEffect(
    () =>
      onAnswer((status) => {
        if (status === 0 || status === 503) setSince((already) => already ?? new Date().toISOString());
        else setSince(null);
      }),
    [],
  );
  return since === null ? null : (
    <div className="silence" role="status">
      No answer since {instant(since, zone, Date.now())}. What you see is from then.
    </div>
  );
}
