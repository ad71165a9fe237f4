// Replacing a key's text: how long the previous one also works.

import { useState } from "react";
import { Typed } from "#ui/parts/over/ask.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time, useIsOver } from "#ui/parts/time.tsx";
import { Choices } from "./choices.tsx";
import { Form, type FormFace } from "./form.tsx";

const dayMs = 86_400_000;

/** How long the old text works, in hours. */
export const overlaps = [
  [1, "1 h"],
  [24, "24 h"],
  [168, "7 days"],
  [0, "End it now"],
] as const;

/** When the key was last used; a warning if it stops at once while an application uses it. */
export function LastUse({ at, endsNow }: { at: string | null; endsNow: boolean }) {
  const isOld = useIsOver(at === null ? null : new Date(Date.parse(at) + dayMs).toISOString());
  if (at === null) return <p className="soft">Trunkline has seen no use of it.</p>;
  const isWarned = endsNow && !isOld;
  return (
    <p className={isWarned ? "warn" : "soft"}>
      Last used <Time at={at} brief />
      {isWarned ? ": what uses it is refused from then on." : "."}
    </p>
  );
}

/** `hours`: the options for how long the previous key works, with their labels. Its name is typed if it stops at once. */
export function Renew({
  of,
  verb,
  name,
  hours,
  lastUsedAt,
  onSubmit,
}: {
  of: FormFace;
  verb: string;
  name: string;
  hours: readonly (readonly [number, string])[];
  lastUsedAt: string | null;
  onSubmit: (hours: number) => void;
}) {
  const [left, setLeft] = useState("24");
  const [text, setText] = useState("");
  const endsNow = left === "0";
  const isReady = !endsNow || text === name;
  return (
    <Form
      of={{ ...of, isBusy: of.isBusy || !isReady }}
      verb={verb}
      onSubmit={() => {
        if (isReady) onSubmit(Number(left));
      }}
    >
      <p>The key gets a new text, which is shown once. Keep the old one for:</p>
      <Choices
        label="Keep the old one for"
        of={hours.map(([each, words]) => [String(each), words] as const)}
        value={left}
        onChange={setLeft}
      />
      <LastUse at={lastUsedAt} endsNow={endsNow} />
      {endsNow ? <Typed of={name} value={text} onChange={setText} /> : null}
    </Form>
  );
}

interface StoredKey {
  hint: string;
  expires_at: string | null;
  revoked_at: string | null;
  previous_works_until: string | null;
}

/** The state of a key or a token. */
export function KeyState({
  of: { expires_at, revoked_at },
}: {
  of: Pick<StoredKey, "expires_at" | "revoked_at">;
}) {
  const hasEnded = useIsOver(expires_at);
  if (revoked_at !== null) return <Status of="off">revoked</Status>;
  return <Status of={hasEnded ? "expired" : "active"} />;
}

/** What is known of a key's text. */
export const KeyText = ({ of: { hint, revoked_at, previous_works_until } }: { of: StoredKey }) => (
  <>
    <div>
      <code className="soft">{hint}</code>
    </div>
    {revoked_at === null ? (
      <div className="small">
        <OldWorks until={previous_works_until} />
      </div>
    ) : null}
  </>
);

export const LastUsed = ({ of }: { of: string | null }) =>
  of === null ? <span className="soft">never used</span> : <Time at={of} brief />;

/** A note that the text before the last change works too. */
export function OldWorks({ until }: { until: string | null }) {
  const isOver = useIsOver(until);
  if (until === null || isOver) return null;
  return (
    <span className="warn">
      the old one works until <Time at={until} />
    </span>
  );
}
