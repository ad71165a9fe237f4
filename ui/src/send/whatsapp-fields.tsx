// The contents of a WhatsApp message: a text, a file at a URL, or a template.

import { Choices } from "#ui/parts/form/choices.tsx";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { type FieldsOf, Text } from "./body-fields.tsx";
import type { Content } from "./draft.ts";
import { ListFields } from "./list-fields.tsx";

const contents: readonly (readonly [Content, string])[] = [
  ["text", "Text"],
  ["media", "File"],
  ["list", "List"],
  ["template", "Template"],
];
const files = ["image", "audio", "video", "document"];

function MediaFields({ draft, change, fault }: FieldsOf) {
  return (
    <>
      <Choice
        label="Kind of file"
        of={files}
        value={draft.media}
        fault={fault("media")}
        onChange={(media) => change({ media })}
      />
      <Field
        label="Address of the file"
        hint="Public, http or https. The gateway fetches it when the message is sent."
        fault={fault("url")}
      >
        <input
          type="url"
          value={draft.url}
          autoComplete="off"
          onChange={(event) => change({ url: event.target.value })}
        />
      </Field>
      {draft.media === "document" ? (
        <Field label="Name of the file" hint="As the recipient sees it." fault={fault("filename")}>
          <input
            value={draft.filename}
            autoComplete="off"
            onChange={(event) => change({ filename: event.target.value })}
          />
        </Field>
      ) : null}
    </>
  );
}

function TemplateFields({ draft, change, fault }: FieldsOf) {
  return (
    <>
      <div className="halves">
        <Field label="Template" hint="Its name, such as `order_shipped`." fault={fault("template.name")}>
          <input
            className="mono"
            value={draft.template}
            autoComplete="off"
            onChange={(event) => change({ template: event.target.value })}
          />
        </Field>
        <Field label="Language" hint="Such as `en_US`." fault={fault("template.language")}>
          <input
            className="mono"
            value={draft.language}
            autoComplete="off"
            onChange={(event) => change({ language: event.target.value })}
          />
        </Field>
      </div>
      <Choices
        label="Variables"
        of={[
          ["place", "Variables by place"],
          ["name", "Variables by name"],
        ]}
        value={draft.isNamed ? "name" : "place"}
        onChange={(each) => change({ isNamed: each === "name" })}
      />
      <Field
        label="Values"
        hint={draft.isNamed ? "One per line: `name=value`." : "One per line, in the order of the variables."}
        fault={fault("template.parameters")}
      >
        <textarea
          dir="auto"
          value={draft.values}
          onChange={(event) => change({ values: event.target.value })}
        />
      </Field>
    </>
  );
}

const textLabels: Readonly<Record<Content, readonly [label: string, hint?: string]>> = {
  text: ["Text"],
  media: ["Caption", "Audio is shown without it."],
  list: ["Text", "The recipient sees it above the button."],
  template: ["Text for your own log", "The recipient gets the template's text."],
};

export function WhatsappFields({ draft, change, fault }: FieldsOf) {
  const [label, hint] = textLabels[draft.content];
  const of = { draft, change, fault };
  return (
    <>
      <Choices
        label="Content"
        of={contents}
        value={draft.content}
        onChange={(content) => change({ content })}
      />
      {draft.content === "media" ? <MediaFields {...of} /> : null}
      {draft.content === "template" ? <TemplateFields {...of} /> : null}
      <Text {...of} label={label} {...(hint === undefined ? {} : { hint })} />
      {draft.content === "list" ? <ListFields {...of} /> : null}
    </>
  );
}
