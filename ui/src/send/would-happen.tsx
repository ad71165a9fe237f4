// The service's preview of a send, by the same rules that accept it; read again after typing stops.

import { useEffect, useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { PreviewedContact } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Problem, Section } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { inGroups, number } from "#ui/words/numbers.ts";
import { suppressionReasons } from "#ui/words/reasons.ts";
import { type Draft, recipientsOf, requestOf } from "./draft.ts";
import { type Fate, fatesOf } from "./preview.ts";

/** The maximum number of contacts in a preview. */
const maxContacts = 100;
/** The pause after typing, ms. */
const quietMs = 400;
/** How many recipients with a result are named. */
const maxNamed = 3;

const looks: Readonly<Record<Fate["kind"], string>> = {
  sent: "sent",
  waits: "paused",
  suppressed: "suppressed",
  refused: "failed",
};

const moves: Readonly<Record<NonNullable<PreviewedContact["moved"]>, string>> = {
  clock_change: "that time does not occur on its day",
  past: "that time is over, so at once",
  hours: "the gateway does not send before",
};

const states: Readonly<Record<NonNullable<PreviewedContact["gateway_state"]>, string>> = {
  active: "",
  paused: "is paused",
  stopped: "is stopped",
  off: "is switched off",
  not_linked: "has no device linked",
};

/** `blocked`: nothing of the send is accepted. */
function Sentence({ fate, blocked }: { fate: Fate; blocked: boolean }) {
  const count = fate.places.length;
  const many = number(count);
  switch (fate.kind) {
    case "refused":
      return (
        <>{`${many} ${count === 1 ? "is" : "are"} refused, and nothing is sent then: ${fate.faults.join(" ")}`}</>
      );
    case "suppressed":
      return (
        <>{`${many} would end unsent: ${fate.suppressed === null ? "suppressed" : suppressionReasons[fate.suppressed]}.`}</>
      );
    case "waits":
      return (
        <>
          {`${many} would wait: `}
          <code>{fate.gateway}</code>
          {` ${fate.state === null ? "does not send" : states[fate.state]}.`}
        </>
      );
    default:
      return (
        <>
          {`${many} ${blocked ? "would go" : count === 1 ? "goes" : "go"} out ${fate.due_at === null ? "now" : "at"} `}
          {fate.due_at === null ? null : <Time at={fate.due_at} />}
          {" through "}
          <code>{fate.gateway}</code>
          {fate.moved === null ? "." : ` (${moves[fate.moved]}).`}
        </>
      );
  }
}

function Who({ fate, recipients }: { fate: Fate; recipients: readonly string[] }) {
  const named = fate.places.slice(0, maxNamed).map((at) => recipients[at] ?? "");
  const more = fate.places.length - named.length;
  return (
    <p className="small soft mono">
      {named.map(inGroups).join(", ")}
      {more === 0 ? null : ` and ${number(more)} more`}
    </p>
  );
}

const lacksCredit = ({ cost, remaining }: { cost: number; remaining: number | null }): boolean =>
  remaining !== null && cost > remaining;

function Cost({ cost, remaining }: { cost: number; remaining: number | null }) {
  const lacks = lacksCredit({ cost, remaining });
  return (
    <p className={lacks ? "bad" : "soft"} role={lacks ? "alert" : undefined}>
      {`It costs ${number(cost)}${remaining === null ? "" : ` of ${number(remaining)} left`}.`}
      {lacks ? " That is too little: nothing would be sent." : null}
    </p>
  );
}

/** The preview of a draft: none without a recipient or without a text. */
export function usePreview(draft: Draft) {
  const { id: account } = useAccount();
  const [quiet, setQuiet] = useState(draft);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(draft), quietMs);
    return () => clearTimeout(timer);
  }, [draft]);
  const { channel, contact } = requestOf(quiet, []);
  const isWritten = recipientsOf(quiet.recipients).length > 0 && quiet.message.trim() !== "";
  return useRead(
    "previewAccountMessages",
    { params: { account }, body: { channel, contact: contact.slice(0, maxContacts) } },
    { every: false, enabled: isWritten, keep: true },
  );
}

export function WouldHappen({ draft }: { draft: Draft }) {
  const read = usePreview(draft);
  const recipients = recipientsOf(draft.recipients);
  const isWritten = recipients.length > 0 && draft.message.trim() !== "";
  const preview = isWritten ? read.data?.data : undefined;
  const fates = preview === undefined ? [] : fatesOf(preview.contact, draft.at !== null);
  const blocked =
    fates.some(({ kind }) => kind === "refused") ||
    (preview !== undefined && (preview.faults.length > 0 || lacksCredit(preview)));
  return (
    <Section title="What will happen">
      <div aria-live="polite" aria-busy={read.isFetching} className="stack">
        <Problem error={isWritten ? read.error : null} />
        {preview === undefined ? (
          read.error === null || !isWritten ? (
            <p className="soft">What will happen for each recipient appears here before anything is sent.</p>
          ) : null
        ) : (
          <>
            <ul className="stack">
              {fates.map((fate) => (
                <li key={`${fate.kind} ${fate.places[0]}`}>
                  <p>
                    <Status of={looks[fate.kind]}>
                      <span className="unseen">{fate.kind}</span>
                    </Status>{" "}
                    <Sentence fate={fate} blocked={blocked} />
                  </p>
                  <Who fate={fate} recipients={recipients} />
                </li>
              ))}
            </ul>
            {recipients.length > preview.contact.length ? (
              <p className="soft">{`These are the first ${number(preview.contact.length)} of ${number(recipients.length)}.`}</p>
            ) : null}
            {preview.faults.map(({ path, message }) => (
              <p key={path} className="bad">
                {message}
              </p>
            ))}
            <Cost cost={preview.cost} remaining={preview.remaining} />
          </>
        )}
      </div>
    </Section>
  );
}
