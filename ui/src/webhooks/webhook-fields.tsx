import { Field } from "#ui/parts/form/field.tsx";

/** Patterns separated by spaces or lines. */
export const patternsOf = (text: string): string[] => text.split(/\s+/).filter((pattern) => pattern !== "");

/** The URL, and the events. */
export function WebhookFields({
  fault,
  url,
  onUrl,
  events,
  onEvents,
}: {
  fault: (path: string) => string | null;
  url: string;
  onUrl: (url: string) => void;
  events: string;
  onEvents: (events: string) => void;
}) {
  return (
    <>
      <Field label="URL" hint="Events are posted to it, signed." fault={fault("url")}>
        <input
          type="url"
          required
          placeholder="https://"
          value={url}
          onChange={(event) => onUrl(event.target.value)}
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
          value={events}
          onChange={(event) => onEvents(event.target.value)}
          spellCheck={false}
        />
      </Field>
    </>
  );
}
