// Settings of a gateway: those of its kind from the kind's schema, and those that all gateways have.

import { type FormEvent, useState } from "react";
import type { ApiError } from "#ui/api/client.ts";
import type { Gateway, GatewayKind } from "#ui/api/schema.ts";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { Problem } from "#ui/parts/page.tsx";
import type { Schema, Values } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

/** What the form changes; an empty control is null where null means "no limit", and left out elsewhere. */
interface GatewayValues {
  settings: Values;
  pace: { per_second: number | null; per_day: number | null; hours: string | null; concurrency?: number };
  on_unknown: "hold" | "resend" | null;
}

const unlimited = { per_second: null, per_day: null, hours: null };

export function GatewayForm({
  kind,
  gateway,
  error,
  busy,
  verb,
  onSubmit,
  children,
}: {
  kind: GatewayKind;
  gateway?: Gateway;
  error: ApiError | null;
  busy: boolean;
  verb: string;
  onSubmit: (values: GatewayValues) => void;
  children?: React.ReactNode;
}) {
  const [settings, setSettings] = useState<Values>(gateway?.settings ?? {});
  const [pace, setPace] = useState<GatewayValues["pace"]>(gateway?.pace ?? unlimited);
  const [onUnknown, setOnUnknown] = useState(gateway?.on_unknown ?? null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ settings, pace, on_unknown: onUnknown });
  };
  const numeric = (name: "per_second" | "per_day", label: string, hint: string) => (
    <Field label={label} hint={hint} fault={faultAt(error, `pace.${name}`)}>
      <input
        type="number"
        step="any"
        min={0}
        placeholder="no limit"
        value={pace[name] ?? ""}
        onChange={(event) =>
          setPace({ ...pace, [name]: event.target.value === "" ? null : Number(event.target.value) })
        }
      />
    </Field>
  );
  return (
    <form className="form" onSubmit={submit}>
      {children}
      <section className="stack" aria-labelledby="settings">
        <h2 id="settings">Settings of {kind.title}</h2>
        <p className="soft">{kind.summary}</p>
        <SchemaForm
          schema={kind.settings as Schema}
          path="settings"
          values={settings}
          error={error}
          onChange={setSettings}
        />
      </section>
      <section className="stack" aria-labelledby="pace">
        <h2 id="pace">Pace</h2>
        {numeric(
          "per_second",
          "Messages per second",
          "What the provider allows. Messages wait for their turn.",
        )}
        {numeric("per_day", "Messages per day", "The day is the account's.")}
        <Field
          label="Hours"
          hint="Such as 08:00-20:00, in the account's zone."
          fault={faultAt(error, "pace.hours")}
        >
          <input
            placeholder="at any time"
            value={pace.hours ?? ""}
            onChange={(event) =>
              setPace({ ...pace, hours: event.target.value === "" ? null : event.target.value })
            }
          />
        </Field>
        <Choice
          label="When it is not known whether a message was sent"
          any="as this kind does by default"
          of={[
            ["hold", "keep it unknown until a person answers"],
            ["resend", "send it once more"],
          ]}
          value={onUnknown ?? ""}
          onChange={(word) => setOnUnknown(word === "" ? null : (word as "hold" | "resend"))}
          fault={faultAt(error, "on_unknown")}
        />
      </section>
      <Problem error={error} />
      <div>
        <button type="submit" className="button first" disabled={busy}>
          {verb}
        </button>
      </div>
    </form>
  );
}
