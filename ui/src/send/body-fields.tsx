// The contents of a message: the text and its length, and the additional fields of an email.

import type { ComponentProps, ReactNode } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";
import { number } from "#ui/words/numbers.ts";
import type { Draft } from "./draft.ts";
import { lengthOf } from "./length.ts";

export interface FieldsOf {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  /** The API's message about a field of the contacts. */
  fault: (field: string) => string | null;
}

/** A line of text of the draft. `path`: the field's path in a contact, in the API's errors. */
export const Line = ({
  of: { draft, change, fault },
  name,
  path = name,
  ...field
}: Omit<ComponentProps<typeof TextField>, "onChange"> & {
  of: FieldsOf;
  name: Exclude<keyof Draft, "at" | "files" | "sections" | "isNamed">;
  path?: string;
}) => (
  <TextField
    {...field}
    value={draft[name]}
    fault={fault(path)}
    onChange={(text) => change({ [name]: text })}
  />
);

/** `1 segment · gsm7 · 42 of 160`, and the character that makes it more expensive. */
function Length({ text }: { text: string }) {
  const { segments, encoding, units, fits, odd } = lengthOf(text);
  return (
    <>
      {`${segments === 1 ? "1 segment" : `${number(segments)} segments`} · ${encoding} · ${number(units)} of ${number(fits)}`}
      {odd === null ? null : (
        <span className="warn">
          {" "}
          “<span dir="auto">{odd}</span>” makes it ucs2: 70 characters a segment instead of 160.
        </span>
      )}
    </>
  );
}

/** The text; for an SMS with its length. `label` and `hint`: what the field is called and means elsewhere. */
export function Text({
  draft,
  change,
  fault,
  label = "Text",
  hint,
}: FieldsOf & { label?: string; hint?: string }) {
  const isSms = draft.channel === "sms";
  const note = isSms ? <Length text={draft.message} /> : hint;
  return (
    <Field label={label} {...(note === undefined ? {} : { hint: note })} fault={fault("message")}>
      <textarea
        dir="auto"
        value={draft.message}
        onChange={(event) => change({ message: event.target.value })}
      />
    </Field>
  );
}

/** `files`: where the files of the mail are chosen. */
export function EmailFields({ files, ...of }: FieldsOf & { files: ReactNode }) {
  return (
    <>
      <Line of={of} name="subject" label="Subject" dir="auto" />
      <Text
        {...of}
        label="Text or HTML"
        hint="A body that contains a tag is HTML; its text part is derived from it."
      />
      {files}
      <div className="halves">
        <Line
          of={of}
          name="senderName"
          path="sender_name"
          label="Sender's name"
          hint="Default: the gateway's name. The address is the gateway's."
        />
        <Line of={of} name="replyTo" path="reply_to_email" label="Answers go to" type="email" />
      </div>
    </>
  );
}
