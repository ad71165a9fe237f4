// What a hook reports of what needs attention on the overview.

import forms from "#ui/api/forms.json";
import type { HookAttention } from "#ui/api/schema.ts";

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
