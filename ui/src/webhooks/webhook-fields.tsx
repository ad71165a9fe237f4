import type { Webhook } from "#ui/api/schema.ts";
import { TextField, type Texts } from "#ui/parts/form/texts.tsx";

/** What the form holds. `name`: empty for the host of the URL. `events`: patterns separated by spaces or lines. */
type Entered = Record<"name" | "url" | "events", string>;

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

/** `texts` and `field`: those of the form (`useTexts`). */
export function WebhookFields({ texts, field }: Pick<Texts<Entered>, "texts" | "field">) {
  return (
    <>
      <TextField
        label="URL"
        hint="Events are posted to it, signed."
        type="url"
        required
        placeholder="https://"
        {...field("url")}
      />
      <TextField
        label="Name"
        hint="By default the host of the URL."
        maxLength={60}
        placeholder={hostOf(texts.url)}
        {...field("name")}
      />
      <TextField
        label="Events"
        hint="Types or families, such as message.* gateway.* credit.low, or * for all."
        required
        className="mono"
        spellCheck={false}
        {...field("events")}
      />
    </>
  );
}
