// The parameters of a question besides the conversation, as entered.

import type { ApiError } from "#ui/api/client.ts";
import type { Pool } from "#ui/api/schema.ts";
import { Field, faultAt } from "#ui/parts/form/field.tsx";
import type { Asked } from "./asked.ts";

export const noSettings = { model: "", temperature: "", maxTokens: "", stop: "" };
type Entered = typeof noSettings;

const numberIn = (text: string) => (text.trim() === "" ? null : Number(text));

/** In the API's form; absent ones are the model's own. */
export const settingsOf = ({ model, temperature, maxTokens, stop }: Entered): Omit<Asked, "messages"> => ({
  model: model.trim() === "" ? null : model.trim(),
  temperature: numberIn(temperature),
  max_tokens: numberIn(maxTokens),
  stop: stop.split("\n").filter((line) => line !== ""),
});

/** The API's messages about the stop sequences, which it names individually. */
const stopFault = (error: ApiError | null) =>
  Object.entries(error?.errors ?? {})
    .filter(([path]) => path === "stop" || path.startsWith("stop."))
    .flatMap(([, messages]) => messages)
    .join(" ") || null;

export function Settings({
  pool,
  value,
  error,
  onChange,
}: {
  pool: Pool;
  value: Entered;
  error: ApiError | null;
  onChange: (value: Entered) => void;
}) {
  const models = [...new Set(pool.members.flatMap((member) => member.models))];
  const enter = (name: keyof Entered) => (event: { target: { value: string } }) =>
    onChange({ ...value, [name]: event.target.value });
  return (
    <>
      <div className="filters">
        <Field label="Model" fault={faultAt(error, "model")}>
          <input
            list="models"
            placeholder="the pool's choice"
            autoComplete="off"
            value={value.model}
            onChange={enter("model")}
          />
        </Field>
        <datalist id="models">
          {models.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field label="Temperature" fault={faultAt(error, "temperature")}>
          <input
            type="number"
            min={0}
            max={2}
            step="any"
            value={value.temperature}
            onChange={enter("temperature")}
          />
        </Field>
        <Field label="Max tokens" fault={faultAt(error, "max_tokens")}>
          <input type="number" min={1} step={1} value={value.maxTokens} onChange={enter("maxTokens")} />
        </Field>
      </div>
      <Field
        label="Stop sequences"
        hint="One per line. The answer ends before the first of them."
        fault={stopFault(error)}
      >
        <textarea value={value.stop} onChange={enter("stop")} />
      </Field>
    </>
  );
}
