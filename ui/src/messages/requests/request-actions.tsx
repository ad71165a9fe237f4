import { useChange } from "#ui/api/queries.ts";
import type { AccountRequest } from "#ui/api/schema.ts";
import { Move } from "#ui/messages/move.tsx";
import { counted } from "#ui/messages/words.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Ask, typedFor } from "#ui/parts/over/ask.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { number } from "#ui/words/numbers.ts";

/** Moves or cancels all messages of a request that still wait, in one call. */
export function RequestActions({ request }: { request: AccountRequest }) {
  const { id: account } = useAccount();
  const cancel = useChange("cancelAccountRequest");
  const move = useChange("rescheduleAccountRequest");
  const { waiting, messages, due } = request;
  if (waiting === 0) return null;
  const params = { account, request: request.id };
  const gone = messages - waiting;
  return (
    <>
      <Move
        label={`Reschedule ${number(waiting)}…`}
        title="Reschedule waiting messages to the same time"
        verb={`Reschedule ${counted(waiting)}`}
        from={due === null ? null : Date.parse(due.first)}
        {...typedFor(waiting)}
        run={async (schedule_at) => {
          const { data } = await move.mutateAsync({ params, body: { schedule_at } });
          done(`${counted(data.changed)} rescheduled`);
        }}
      />
      <Ask
        verb={`Cancel ${counted(waiting)}`}
        label={`Cancel ${number(waiting)}…`}
        title="Cancel waiting messages"
        effect={`This cancels ${number(waiting)} of ${number(messages)}, and gives their credit back. ${
          gone === 0 ? "None has gone out." : `${number(gone)} no longer wait, and stay as they are.`
        }`}
        {...typedFor(waiting)}
        run={async () => {
          const { data } = await cancel.mutateAsync({ params });
          done(`${counted(data.changed)} cancelled`);
        }}
      />
    </>
  );
}
