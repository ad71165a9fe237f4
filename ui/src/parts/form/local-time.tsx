// A time on the account's clocks, with the instant that it means.

import { useZone } from "#ui/parts/account.ts";
import { useNow } from "#ui/parts/time.tsx";
import { instant, relative } from "#ui/words/instants.ts";
import { instantIn, localIn } from "#ui/words/spans.ts";
import { Field } from "./field.tsx";

/** The instant that the entered time means: in local terms, in UTC, and how far away it is. `past`: the consequence if it has passed. */
export function Meant({ local, zone, past }: { local: string; zone: string; past: string }) {
  const now = useNow();
  const at = instantIn(local, zone);
  if (Number.isNaN(at)) return <>In the account's time zone.</>;
  const iso = new Date(at).toISOString();
  const means = `${instant(iso, zone, now)}, which is ${instant(iso, "UTC", now)} UTC`;
  if (at <= now)
    return (
      <>
        {means}. That is past: {past}.
      </>
    );
  return (
    <>
      {localIn(at, zone) === local.slice(0, 16) ? "" : "That time does not exist on that day. "}
      {means}, {relative(iso, now)}.
    </>
  );
}

/** `value`: `2026-11-24T09:00`. */
export function LocalTime({
  value,
  fault,
  onChange,
}: {
  value: string;
  fault: string | null;
  onChange: (value: string) => void;
}) {
  const zone = useZone();
  return (
    <Field
      label={`At (${zone})`}
      hint={<Meant local={value} zone={zone} past="it goes out at once" />}
      fault={fault}
    >
      <input
        required
        type="datetime-local"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
