import type { Webhook } from "#ui/api/schema.ts";
import { Field } from "#ui/parts/form/field.tsx";

/** What the form holds. `name`: empty for the host of the URL. `events`: patterns separated by spaces or lines. */
interface Entered {
  name: string;
  url: string;
  events: string;
}

/** The host of a URL; empty while the text is no URL. */
const hostOf = (url: string): string => URL.parse(url)?.host ?? "";

export const enteredOf = ({ name, url, events }: Webhook): Entered => ({
  name: name === hostOf(url) ? "" : name,
  url,
  events: events.join(" "),
});

/** The fields of the API that the form's input means. */
export const fieldsOf = ({ name, url, events }: Entered) => ({
  name: name.trim() === "" ? null : name,
  url,
  events: events.split(/\s+/).filter((pattern) => pattern !== ""),
});

export function WebhookFields({
  of,
  onChange,
  fault,
}: {
  of: Entered;
  onChange: (entered: Entered) => void;
  fault: (path: string) => string | null;
}) {
  return (
    <>
      <Field label="URL" hint="Events are posted to it, signed." fault={fault("url")}>
        <input
          type="url"
          required
          placeholder="https://"
          value={of.url}
          onChange={(event) => onChange({ ...of, url: event.target.value })}
        />
      </Field>
      <Field label="Name" hint="By default the host of the URL." fault={fault("name")}>
        <input
          maxLength={60}
          placeholder={hostOf(of.url)}
          value={of.name}
          onChange={(event) => onChange({ ...of, name: event.target.value })}
        />
      </Field>
      <Field
        label="Events"
        hint="Types or families, such as message.* gateway.* credit.low, or * for all."
        fault={fault("events")}
      >
        <input
          required
          className="mono"
          value={of.events}
          onChange={(event) => onChange({ ...of, events: event.target.value })}
          spellCheck={false}
        />
      </Field>
    </>
  );
}
