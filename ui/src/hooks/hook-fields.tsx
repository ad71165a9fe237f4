// The fields of a hook, and what its templates make of a body.

import forms from "#ui/api/forms.json";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { CreateHookRequest, Hook, HookAttention, PreviewHookRequest } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { channels } from "#ui/parts/channels.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Check, Choice, Field } from "#ui/parts/form/field.tsx";
import type { FormState } from "#ui/parts/form/form.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";
import { Problem } from "#ui/parts/page.tsx";
import type { Schema } from "#ui/schema-form/model.ts";
import { SchemaForm } from "#ui/schema-form/schema-form.tsx";
import { defaultAttention } from "./attention.ts";

/** What the form holds: the fields of the API, with a line for each recipient. */
type Entered = Required<Omit<CreateHookRequest, "active" | "key" | "name" | "to" | "attention">> &
  Pick<Hook, "attention"> & { to: string };

/** The programs whose bodies are known. A new one is a line here. */
const programs = {
  alertmanager: "Prometheus Alertmanager",
  grafana: "Grafana",
  "uptime-kuma": "Uptime Kuma",
  github: "GitHub",
  healthchecks: "Healthchecks",
  attention: "Trunkline: what needs attention",
} as const satisfies Record<NonNullable<Hook["preset"]>, string>;

export const programOf = (preset: Hook["preset"]): string =>
  preset === null ? "another program" : programs[preset];

export const emptyHook: Entered = {
  preset: "alertmanager",
  channel: "sms",
  to: "",
  gateway_identifier: null,
  subject: null,
  message: null,
  missing: "",
  per_minute: 30,
  signed: false,
  attention: null,
};

const names = Object.keys(emptyHook) as (keyof Entered)[];

export const enteredOf = (hook: Hook): Entered => ({
  ...(Object.fromEntries(names.map((name) => [name, hook[name]])) as unknown as Entered),
  to: hook.to.join("\n"),
});

/** What a hook reports; the preset implies the defaults. */
export const attentionOf = ({ preset, attention }: Pick<Hook, "attention" | "preset">) =>
  attention ?? (preset === "attention" ? defaultAttention : null);

const orNull = (text: string): string | null => (text.trim() === "" ? null : text);

/** The fields of the API that the form's input means. */
export const fieldsOf = ({ to, ...entered }: Entered) => ({
  ...entered,
  to: to.split("\n").flatMap((line) => orNull(line)?.trim() ?? []),
  per_minute: entered.per_minute ?? emptyHook.per_minute,
  attention: attentionOf(entered),
});

export function HookFields({
  of,
  onChange,
  form: { fault, error },
}: {
  of: Entered;
  onChange: (entered: Entered) => void;
  form: Pick<FormState<"createHook">, "fault" | "error">;
}) {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } });
  const attention = attentionOf(of);
  const set = (change: Partial<Entered>) => onChange({ ...of, ...change });
  const own = gateways.data?.data.filter(({ channel }) => channel === of.channel) ?? [];
  const identifiers = [
    ...new Set([
      ...own.map(({ identifier }) => identifier),
      ...(of.gateway_identifier ? [of.gateway_identifier] : []),
    ]),
  ];
  const fromPreset = of.preset === null ? "" : " Leave it empty for the program's own template.";
  return (
    <>
      <Choice
        label="Program that posts"
        any="another program"
        of={Object.entries(programs)}
        value={of.preset ?? ""}
        onChange={(preset) => set({ preset: orNull(preset) as Hook["preset"] })}
      />
      <Choice
        label="Channel"
        of={channels}
        value={of.channel}
        onChange={(channel) => set({ channel: channel as Hook["channel"], gateway_identifier: null })}
      />
      <Field
        label="Recipients"
        hint={
          of.channel === "email" ? "One address on each line." : "One number on each line, with its country."
        }
        fault={fault("to") ?? fault("to.0")}
      >
        <textarea
          required
          rows={2}
          className="mono"
          value={of.to}
          onChange={(event) => set({ to: event.target.value })}
        />
      </Field>
      <Choice
        label="Gateway"
        any="the channel's default"
        of={identifiers}
        value={of.gateway_identifier ?? ""}
        onChange={(gateway) => set({ gateway_identifier: orNull(gateway) })}
        fault={fault("gateway_identifier")}
      />
      {of.channel === "email" ? (
        <TextField
          label="Subject"
          hint={`A template.${fromPreset}`}
          fault={fault("subject")}
          className="mono"
          value={of.subject ?? ""}
          onChange={(subject) => set({ subject: orNull(subject) })}
        />
      ) : null}
      <Field
        label="Text"
        hint={`A template with paths into the body, such as \`{{title}}\` or \`{{alerts[0].labels.alertname | "alert"}}\`.${fromPreset}`}
        fault={fault("message")}
      >
        <textarea
          rows={4}
          className="mono"
          spellCheck={false}
          value={of.message ?? ""}
          onChange={(event) => set({ message: orNull(event.target.value) })}
        />
      </Field>
      <Check
        label="Refuse a body that lacks a value"
        checked={of.missing === null}
        onChange={(refuses) => set({ missing: refuses ? null : "" })}
      />
      {of.missing === null ? null : (
        <TextField
          label="Text for a missing value"
          fault={fault("missing")}
          value={of.missing}
          onChange={(missing) => set({ missing })}
        />
      )}
      {of.preset === "attention" ? null : (
        <Check
          label="Report what needs attention on the overview too"
          checked={of.attention !== null}
          onChange={(reports) => set({ attention: reports ? defaultAttention : null })}
        />
      )}
      {attention === null ? null : (
        <fieldset>
          <legend>What needs attention</legend>
          <SchemaForm
            schema={forms.hook_attention as Schema}
            path="attention"
            values={{ ...attention }}
            error={error}
            onChange={(values) => set({ attention: values as unknown as HookAttention })}
          />
        </fieldset>
      )}
      <SchemaForm
        schema={forms.hook as Schema}
        path=""
        values={of}
        error={error}
        onChange={(values) => onChange(values as Entered)}
      />
    </>
  );
}

const sources = {
  request: "the body of the request",
  last: "the last body that the hook received",
  example: "an example, since the hook has received nothing yet",
} as const;

/** What the templates make of the last body, or of an example. `hook`: the id; undefined for a new one. */
export function HookPreview({ of, hook }: { of: Entered; hook?: string }) {
  const { id: account } = useAccount();
  const preview = useChange("previewHook");
  const { per_minute: _cap, signed: _signed, attention: _reports, ...message } = fieldsOf(of);
  const body: PreviewHookRequest = { ...message, ...(hook === undefined ? {} : { hook }) };
  const made = preview.data?.data;
  return (
    <div className="stack">
      <div className="row">
        <Button disabled={preview.isPending} onClick={() => preview.mutate({ params: { account }, body })}>
          Preview
        </Button>
      </div>
      <Problem error={preview.error} />
      {made === undefined ? null : (
        <section aria-label="Preview">
          {made.subject === null ? null : <strong>{made.subject}</strong>}
          <pre>{made.message}</pre>
          {made.missing.length === 0 ? null : (
            <p>
              The body has no value for <code>{made.missing.join(", ")}</code>.
            </p>
          )}
          {made.faults.map((fault) => (
            <p key={fault} className="fault">
              {fault}
            </p>
          ))}
          <details className="why">
            <summary>Made of {sources[made.body_from]}</summary>
            <p>The body:</p>
            <Snippet text={JSON.stringify(made.body, null, 2)} block />
            <p>The template:</p>
            <Snippet text={made.templates.message} block />
          </details>
        </section>
      )}
    </div>
  );
}
