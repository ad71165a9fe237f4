// The contents of a message: the text and its length, and the additional fields of an email.

import type { ReactNode } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { number } from "#ui/words/numbers.ts";
import type { Draft } from "./draft.ts";
import { lengthOf } from "./length.ts";

export interface FieldsOf {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  /** The API's message about a field of the contacts. */
  fault: (field: string) => string | null;
}

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
export function EmailFields({ draft, change, fault, files }: FieldsOf & { files: ReactNode }) {
  return (
    <>
      <Field label="Subject" fault={fault("subject")}>
        <input
          dir="auto"
          value={draft.subject}
          autoComplete="off"
          onChange={(event) => change({ subject: event.target.value })}
        />
      </Field>
      <Text
        draft={draft}
        change={change}
        fault={fault}
        label="Text or HTML"
        hint="A body that contains a tag is HTML; its text part is derived from it."
      />
      {files}
      <div className="halves">
        <Field
          label="Sender's name"
          hint="Default: the gateway's name. The address is the gateway's."
          fault={fault("sender_name")}
        >
          <input
            value={draft.senderName}
            autoComplete="off"
            onChange={(event) => change({ senderName: event.target.value })}
          />
        </Field>
        <Field label="Answers go to" fault={fault("reply_to_email")}>
          <input
            type="email"
            value={draft.replyTo}
            autoComplete="off"
            onChange={(event) => change({ replyTo: event.target.value })}
          />
        </Field>
      </div>
    </>
  );
}
