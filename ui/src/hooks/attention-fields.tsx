// What a hook reports of what needs attention on the overview.

import type { ApiError } from "#ui/api/client.ts";
import forms from "#ui/api/forms.json";
import type { HookAttention } from "#ui/api/schema.ts";
import type { Schema } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";

const { severities, after_minutes, ended, per_hour } = forms.hook_attention.properties;

export const defaultAttention = {
  severities: severities.default,
  after_minutes: after_minutes.default,
  ended: ended.default,
  per_hour: per_hour.default,
} as HookAttention;

/** `Errors, Warnings after 5 min`. */
export const attentionWords = ({ severities: of, after_minutes }: HookAttention): string =>
  `${of.map((each) => severities.items.words[each]).join(", ")} after ${after_minutes} min`;

export function AttentionFields({
  of,
  onChange,
  error,
}: {
  of: HookAttention;
  onChange: (attention: HookAttention) => void;
  error: ApiError | null;
}) {
  return (
    <fieldset>
      <legend>What needs attention</legend>
      <SchemaForm
        schema={forms.hook_attention as Schema}
        path="attention"
        values={{ ...of }}
        error={error}
        onChange={(values) => onChange(values as unknown as HookAttention)}
      />
    </fieldset>
  );
}
