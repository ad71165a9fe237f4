import { useChange } from "#ui/api/queries.ts";
import type { Suppression } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channelNames } from "#ui/parts/channels.ts";
import { Ask } from "#ui/parts/over/ask.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Moment } from "#ui/parts/time.tsx";
import { inGroups } from "#ui/words/numbers.ts";
import { suppressionReasons } from "#ui/words/reasons.ts";

/** Removes a recipient from the suppression list, after explaining why they are on it and the consequences. */
export function TakeOff({ of: { channel, recipient, reason, note, created_at } }: { of: Suppression }) {
  const { id: account, name } = useAccount();
  const remove = useChange("deleteSuppression");
  const restore = useChange("createSuppressions");
  return (
    <Ask
      verb="Remove"
      label="Remove…"
      title={`Send to ${inGroups(recipient)} again`}
      effect={
        <>
          <p>
            The reason was: {suppressionReasons[reason]}, on <Moment at={created_at} />.
            {note === null ? null : ` The note: ${note}`}
          </p>
          <p>
            From then on messages of {name} go out to {inGroups(recipient)} by {channelNames[channel]} again.
            Other accounts are not touched, and what was not sent meanwhile stays unsent.
          </p>
        </>
      }
      run={async () => {
        await remove.mutateAsync({ params: { account, channel, recipient } });
        done(`${inGroups(recipient)} gets messages again`, () =>
          restore.mutateAsync({ params: { account }, body: { channel, recipients: [recipient], note } }),
        );
      }}
    />
  );
}
