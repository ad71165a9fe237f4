// The recipients: a list as it is pasted, and what the sandbox does with each.

import type { ApiError } from "#ui/api/client.ts";
import type { Channel, Gateway } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Field } from "#ui/parts/form/field.tsx";
import { SandboxRecipients } from "#ui/parts/recipient.tsx";
import { number } from "#ui/words/numbers.ts";
import { recipientsOf, repeatedIn } from "./draft.ts";
import { recipientFault } from "./faults.ts";

function counted(recipients: readonly string[], channel: Channel, country: string | null): string {
  if (recipients.length === 0) {
    if (channel === "email") return "One per line. You can paste a column of a table.";
    const national = country === null ? "" : ` National numbers are read as those of ${country}.`;
    return `One per line, with the country code: +4915123456789.${national} You can paste a column of a table.`;
  }
  const repeated = repeatedIn(recipients);
  const count = recipients.length === 1 ? "1 recipient" : `${number(recipients.length)} recipients`;
  if (repeated === 0) return `${count}.`;
  return `${count}, ${repeated === 1 ? "1 line repeats" : `${number(repeated)} lines repeat`} an earlier one: each line is a message of its own.`;
}

/** `gateway`: the selected one, if it is known. */
export function Recipients({
  channel,
  text,
  gateway,
  error,
  onChange,
}: {
  channel: Channel;
  text: string;
  gateway: Gateway | undefined;
  error: ApiError | null;
  onChange: (text: string) => void;
}) {
  const { country } = useAccount();
  const recipients = recipientsOf(text);
  return (
    <>
      <Field
        label="To"
        hint={counted(recipients, channel, country)}
        fault={recipientFault(error, recipients)}
      >
        <textarea
          value={text}
          autoComplete="off"
          spellCheck={false}
          className="mono"
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      {repeatedIn(recipients) === 0 ? null : (
        <Button onClick={() => onChange([...new Set(recipients)].join("\n"))}>
          Keep each recipient once
        </Button>
      )}
      {gateway?.kind !== "sandbox" ? null : (
        <div className="stack tight">
          <p className="hint">The sandbox sends nothing. The recipient determines the outcome:</p>
          <SandboxRecipients
            channel={channel}
            onChoose={(recipient) => onChange([...recipients, recipient].join("\n"))}
          />
        </div>
      )}
    </>
  );
}
