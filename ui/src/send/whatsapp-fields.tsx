// The contents of a WhatsApp message: a text, a file at a URL, or a template.

import { Choices } from "#ui/parts/form/choices.tsx";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { type FieldsOf, Line, Text } from "./body-fields.tsx";
import type { Content } from "./draft.ts";
import { ListFields } from "./list-fields.tsx";

const contents: readonly (readonly [Content, string])[] = [
  ["text", "Text"],
  ["media", "File"],
  ["list", "List"],
  ["template", "Template"],
];
const files = ["image", "audio", "video", "document"];

function MediaFields(of: FieldsOf) {
  const { draft, change, fault } = of;
  return (
    <>
      <Choice
        label="Kind of file"
        of={files}
        value={draft.media}
        fault={fault("media")}
        onChange={(media) => change({ media })}
      />
      <Line
        of={of}
        name="url"
        label="Address of the file"
        hint="Public, http or https. The gateway fetches it when the message is sent."
        type="url"
      />
      {draft.media === "document" ? (
        <Line of={of} name="filename" label="Name of the file" hint="As the recipient sees it." />
      ) : null}
    </>
  );
}

function TemplateFields(of: FieldsOf) {
  const { draft, change, fault } = of;
  return (
    <>
      <div className="halves">
        <Line
          of={of}
          name="template"
          path="template.name"
          label="Template"
          hint="Its name, such as `order_shipped`."
          className="mono"
        />
        <Line
          of={of}
          name="language"
          path="template.language"
          label="Language"
          hint="Such as `en_US`."
          className="mono"
        />
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

export function WhatsappFields(of: FieldsOf) {
  const { draft, change } = of;
  const [label, hint] = textLabels[draft.content];
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
