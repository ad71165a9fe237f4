// Whether a provider accepts a member's settings, before they are stored, and which of its models the member may serve.

import { useState } from "react";
import { useChange } from "#ui/api/queries.ts";
import type { CheckPoolMemberRequest } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Check } from "#ui/parts/form/field.tsx";
import { Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { duration, number } from "#ui/words/numbers.ts";

/** Names that are shown before a person searches for others. */
const maxShown = 20;

function Models({
  listed,
  served,
  onChange,
}: {
  listed: readonly string[];
  served: readonly string[];
  onChange: (models: string[]) => void;
}) {
  const [part, setPart] = useState("");
  const found = listed.filter((name) => name.toLowerCase().includes(part.trim().toLowerCase()));
  return (
    <fieldset>
      <legend>Models that it lists</legend>
      {listed.length > maxShown ? (
        <input
          type="search"
          aria-label={`Find one of ${number(listed.length)} models`}
          placeholder={`Find one of ${number(listed.length)}`}
          value={part}
          onChange={(event) => setPart(event.target.value)}
        />
      ) : null}
      <div className="stack tight">
        {found.slice(0, maxShown).map((name) => (
          <Check
            key={name}
            label={<code>{name}</code>}
            checked={served.includes(name)}
            onChange={(ticked) =>
              onChange(ticked ? [...served, name] : served.filter((each) => each !== name))
            }
          />
        ))}
      </div>
      {found.length > maxShown ? (
        <p className="hint">{number(found.length - maxShown)} more: type a part of the name.</p>
      ) : null}
    </fieldset>
  );
}

/**
 * `body`: the current values of the form, to be checked; results for other values are not shown. `onModels` receives the models that a
 * person has ticked.
 */
export function CheckMember({
  pool,
  body,
  models,
  onModels,
}: {
  pool: string;
  body: CheckPoolMemberRequest;
  models: readonly string[];
  onModels: (models: string[]) => void;
}) {
  const { id: account } = useAccount();
  const check = useChange("checkPoolMember");
  const isOfNow = JSON.stringify(check.variables?.body) === JSON.stringify(body);
  const found = isOfNow ? check.data?.data : undefined;
  return (
    <div className="stack" aria-live="polite">
      <div className="row">
        <Button disabled={check.isPending} onClick={() => check.mutate({ params: { account, pool }, body })}>
          {check.isPending ? "Asking the provider…" : "Check"}
        </Button>
        {found === undefined ? (
          <span className="soft">Requests the provider's list of models, which costs nothing.</span>
        ) : found.ok ? (
          <span>
            <Status of="ok">The provider accepts the settings</Status> · {duration(found.ms)}
          </span>
        ) : (
          <span>
            <Status of="wrong">{found.reason ?? "The provider did not answer."}</Status>
          </span>
        )}
      </div>
      <Problem error={isOfNow ? check.error : null} />
      {found?.ok && found.models !== null && found.models.length > 0 ? (
        <Models listed={found.models} served={models} onChange={onModels} />
      ) : null}
    </div>
  );
}
