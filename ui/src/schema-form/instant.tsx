import { useState } from "react";
import { useZone } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Meant } from "#ui/parts/form/local-time.tsx";
import { instantIn, localIn } from "#ui/words/spans.ts";
import type { OneValue } from "./model.ts";

/** The instant of a local time, in the API's form; undefined until it is complete. */
function isoOf(local: string, zone: string): string | undefined {
  const at = instantIn(local, zone);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** An instant, entered on the account's clocks. A stored value keeps its seconds until another time is entered. */
export function Instant({ label, schema, required, value, fault, onChange }: OneValue) {
  const zone = useZone();
  const [local, setLocal] = useState(() =>
    typeof value === "string" ? localIn(Date.parse(value), zone) : "",
  );
  return (
    <Field
      label={`${label} (${zone})`}
      fault={fault}
      hint={
        <>
          {schema.description}{" "}
          {local === "" ? null : <Meant local={local} zone={zone} past="it ends at once" />}
        </>
      }
    >
      <input
        type="datetime-local"
        max="9999-12-31T23:59"
        required={required}
        value={local}
        onChange={(event) => {
          setLocal(event.target.value);
          onChange(isoOf(event.target.value, zone));
        }}
      />
    </Field>
  );
}
