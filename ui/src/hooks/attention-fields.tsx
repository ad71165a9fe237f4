// What a hook reports of what needs attention on the overview.

import type { HookAttention } from "#ui/api/schema.ts";
import { Check, Field } from "#ui/parts/form/field.tsx";

export const defaultAttention: HookAttention = {
  severities: ["error"],
  after_minutes: 5,
  ended: true,
  per_hour: 20,
};

const severityWords = { error: "Errors", doubt: "Unknown outcomes", warning: "Warnings" } as const;
const severities = ["error", "doubt", "warning"] as const;

/** `Errors, Warnings after 5 min`. */
export const attentionWords = ({ severities: of, after_minutes }: HookAttention): string =>
  `${severities.flatMap((each) => (of.includes(each) ? severityWords[each] : [])).join(", ")} after ${after_minutes} min`;

export function AttentionFields({
  of,
  onChange,
  fault,
}: {
  of: HookAttention;
  onChange: (attention: HookAttention) => void;
  fault: (path: string) => string | null;
}) {
  const amount = (name: "after_minutes" | "per_hour", max: number, label: string, hint: string) => (
    <Field label={label} hint={hint} fault={fault(`attention.${name}`)}>
      <input
        type="number"
        required
        min={1}
        max={max}
        value={of[name] || ""}
        onChange={(event) => onChange({ ...of, [name]: Number(event.target.value) })}
      />
    </Field>
  );
  return (
    <fieldset>
      <legend>What needs attention</legend>
      {severities.map((each) => (
        <Check
          key={each}
          label={severityWords[each]}
          checked={of.severities.includes(each)}
          onChange={(on) =>
            onChange({
              ...of,
              severities: severities.filter((one) => (one === each ? on : of.severities.includes(one))),
            })
          }
        />
      ))}
      {fault("attention.severities") === null ? null : (
        <p className="fault">{fault("attention.severities")}</p>
      )}
      {amount(
        "after_minutes",
        1_440,
        "Report after (minutes)",
        "What has not persisted for this long is not reported.",
      )}
      <Check
        label="Report when it has ended"
        checked={of.ended}
        onChange={(ended) => onChange({ ...of, ended })}
      />
      {amount("per_hour", 600, "Maximum reports per hour", "Further ones wait.")}
    </fieldset>
  );
}
