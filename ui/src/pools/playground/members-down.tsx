// Which members count as down for the next question, and their state.

import { useRead } from "#ui/api/queries.ts";
import type { Pool } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Check } from "#ui/parts/form/field.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Due } from "#ui/parts/time.tsx";
import { stateOf } from "#ui/pools/outcomes.ts";

export function MembersDown({
  pool,
  down,
  onChange,
}: {
  pool: Pool;
  down: readonly string[];
  onChange: (down: string[]) => void;
}) {
  const { id: account } = useAccount();
  const health = useRead("getPoolHealth", { params: { account, pool: pool.id } });
  const members = pool.members.filter(({ active }) => active).sort((a, b) => a.priority - b.priority);
  return (
    <fieldset>
      <legend>Pretend down, in the next question</legend>
      {members.map(({ id, name }) => {
        const state = health.data?.data.find(({ member }) => member === id);
        return (
          <div key={id} className="row">
            <Check
              label={name}
              checked={down.includes(id)}
              onChange={(isDown) => onChange(isDown ? [...down, id] : down.filter((each) => each !== id))}
            />
            {state === undefined ? null : (
              <span className="small soft">
                <Status of={stateOf(state).state}>{stateOf(state).word}</Status>
                {state.until === null ? null : (
                  <>
                    {" "}
                    · asked again <Due at={state.until} over="with the next request" />
                  </>
                )}
              </span>
            )}
          </div>
        );
      })}
      <p className="hint">It gets no requests, and its health does not change.</p>
    </fieldset>
  );
}
