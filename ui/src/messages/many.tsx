// What can be done to several messages at once: one call, and what became of each.

import { useChange } from "#ui/api/queries.ts";
import type { ChangeAccountMessagesRequest, MessageRecord } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Ask } from "#ui/parts/over/ask.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { number } from "#ui/words/numbers.ts";
import { answers, canBeCancelled } from "./words.ts";

/** So many go into one call. */
const maxIds = 500;

const counted = (count: number) => `${number(count)} ${count === 1 ? "message" : "messages"}`;

export function ManyActions({ chosen, clear }: { chosen: readonly MessageRecord[]; clear: () => void }) {
  const { id: account } = useAccount();
  const change = useChange("changeAccountMessages", ["listAccountMessages", "getAccountMessage"]);
  const run = (action: ChangeAccountMessagesRequest["action"], of: readonly MessageRecord[]) => async () => {
    let changed = 0;
    let refused = 0;
    for (let from = 0; from < of.length; from += maxIds) {
      const ids = of.slice(from, from + maxIds).map(({ id }) => id);
      const { data } = await change.mutateAsync({ params: { account }, body: { action, ids } });
      changed += data.done.length;
      refused += data.refused.length;
    }
    const others = refused === 0 ? "" : `; ${number(refused)} were settled meanwhile`;
    done(`${counted(changed)} changed${others}`);
    clear();
  };
  const waiting = chosen.filter(canBeCancelled);
  const unknown = chosen.filter(({ status }) => status === "unknown");
  return (
    <>
      {waiting.length === 0 ? null : (
        <Ask
          verb={`Cancel ${counted(waiting.length)}`}
          label={`Cancel ${number(waiting.length)}…`}
          title="Cancel what has not left"
          effect="They will not be sent. Their credit is given back. What goes out meanwhile stays as it is."
          run={run("cancel", waiting)}
        />
      )}
      {unknown.length === 0
        ? null
        : answers.map(([answer, verb, effect]) => (
            <Ask
              key={answer}
              verb={`${verb}: ${counted(unknown.length)}`}
              label={`${verb}…`}
              title={verb}
              effect={`For ${counted(unknown.length)} whose outcome is unknown. ${effect}`}
              grave={answer === "send_again"}
              run={run(answer, unknown)}
            />
          ))}
      {waiting.length + unknown.length > 0 ? null : (
        <span className="soft">What has ended cannot be changed.</span>
      )}
    </>
  );
}
