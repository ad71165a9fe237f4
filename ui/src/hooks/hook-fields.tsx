// The fields of a hook, and what its templates make of a body.

import { useChange, useRead } from "#ui/api/queries.ts";
import type { CreateHookRequest, Hook, PreviewHookRequest } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Check, Choice, Field } from "#ui/parts/form/field.tsx";
import { Problem } from "#ui/parts/page.tsx";

type Fields = Omit<CreateHookRequest, "active" | "key" | "name">;

/** What the form holds: recipients as lines, and a text for each template. */
interface Entered {
  preset: string;
  channel: Fields["channel"];
  to: string;
  gateway: string;
  subject: string;
  message: string;
  /** Null: a body without a value is refused. */
  missing: string | null;
  perMinute: string;
}

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

const channelWords: readonly (readonly [string, string])[] = [
  ["sms", "SMS"],
  ["whatsapp", "WhatsApp"],
  ["email", "Email"],
];

export const emptyHook: Entered = {
  preset: "alertmanager",
  channel: "sms",
  to: "",
  gateway: "",
  subject: "",
  message: "",
  missing: "",
  perMinute: "30",
};

export const enteredOf = (hook: Hook): Entered => ({
  preset: hook.preset ?? "",
  channel: hook.channel,
  to: hook.to.join("\n"),
  gateway: hook.gateway_identifier ?? "",
  subject: hook.subject ?? "",
  message: hook.message ?? "",
  missing: hook.missing,
  perMinute: String(hook.per_minute),
});

const orNull = (text: string): string | null => (text.trim() === "" ? null : text);

/** The fields of the API that the form's input means. */
export function fieldsOf({ preset, to, gateway, perMinute, ...entered }: Entered): Fields {
  return {
    preset: orNull(preset) as Hook["preset"],
    channel: entered.channel,
    to: to.split("\n").flatMap((line) => orNull(line)?.trim() ?? []),
    gateway_identifier: orNull(gateway),
    subject: orNull(entered.subject),
    message: orNull(entered.message),
    missing: entered.missing,
    per_minute: Number(perMinute),
  };
}

export function HookFields({
  of,
  onChange,
  fault,
}: {
  of: Entered;
  onChange: (entered: Entered) => void;
  fault: (path: string) => string | null;
}) {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } });
  const set = (change: Partial<Entered>) => onChange({ ...of, ...change });
  const own = gateways.data?.data.filter(({ channel }) => channel === of.channel) ?? [];
  const identifiers = [
    ...new Set([...own.map(({ identifier }) => identifier), ...(orNull(of.gateway) ? [of.gateway] : [])]),
  ];
  const fromPreset = of.preset === "" ? "" : " Leave it empty for the program's own template.";
  return (
    <>
      <Choice
        label="Program that posts"
        any="another program"
        of={Object.entries(programs)}
        value={of.preset}
        onChange={(preset) => set({ preset })}
      />
      <Choice
        label="Channel"
        of={channelWords}
        value={of.channel}
        onChange={(channel) => set({ channel: channel as Entered["channel"], gateway: "" })}
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
        value={of.gateway}
        onChange={(gateway) => set({ gateway })}
        fault={fault("gateway_identifier")}
      />
      {of.channel === "email" ? (
        <Field label="Subject" hint={`A template.${fromPreset}`} fault={fault("subject")}>
          <input
            className="mono"
            value={of.subject}
            onChange={(event) => set({ subject: event.target.value })}
          />
        </Field>
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
          value={of.message}
          onChange={(event) => set({ message: event.target.value })}
        />
      </Field>
      <Check
        label="Refuse a body that lacks a value"
        checked={of.missing === null}
        onChange={(refuses) => set({ missing: refuses ? null : "" })}
      />
      {of.missing === null ? null : (
        <Field label="Text for a missing value" fault={fault("missing")}>
          <input value={of.missing} onChange={(event) => set({ missing: event.target.value })} />
        </Field>
      )}
      <Field
        label="Maximum requests per minute"
        hint="Further requests are refused with 429 until the minute is over."
        fault={fault("per_minute")}
      >
        <input
          type="number"
          required
          min={1}
          max={600}
          value={of.perMinute}
          onChange={(event) => set({ perMinute: event.target.value })}
        />
      </Field>
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
  const { per_minute: _cap, ...message } = fieldsOf(of);
  const body: PreviewHookRequest = { ...message, ...(hook === undefined ? {} : { hook }) };
  const made = preview.data?.data;
  return (
    <div className="stack">
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={preview.isPending}
          onClick={() => preview.mutate({ params: { account }, body })}
        >
          Preview
        </button>
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
