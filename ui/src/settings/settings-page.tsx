import { useState } from "react";
import { useChange } from "#ui/api/queries.ts";
import type { Account } from "#ui/api/schema.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Ask, SecretOnce } from "#ui/parts/dialog.tsx";
import { Check, Field, faultAt } from "#ui/parts/field.tsx";
import { Facts, PageHead, Problem } from "#ui/parts/page.tsx";
import { duration, number } from "#ui/words/numbers.ts";
import { OwnPassword } from "./own-password.tsx";

function ApiKey() {
  const { id: account, name } = useAccount();
  const reveal = useChange("revealApiKey");
  const rotate = useChange("rotateApiKey");
  const [password, setPassword] = useState("");
  const [key, setKey] = useState<string | null>(null);
  return (
    <section className="card" aria-labelledby="key">
      <h2 id="key">API key</h2>
      <p className="soft">Its holder can send messages and spend this account's credit.</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          reveal.mutate(
            { params: { account }, body: { password } },
            {
              onSuccess: ({ data }) => {
                setKey(data.api_key);
                setPassword("");
                reveal.reset();
              },
            },
          );
        }}
      >
        <Field label="Your password" fault={faultAt(reveal.error, "password")}>
          <input
            type="password"
            required
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <Problem error={reveal.error} />
        <div className="row">
          <button type="submit" className="button" disabled={reveal.isPending}>
            Show the key
          </button>
          <Ask
            verb="Replace the key"
            label="Replace it…"
            title="Replace the API key"
            effect="The present key ends at once: applications that use it are refused until they have the new one."
            typed={name}
            run={async () => {
              const { data } = await rotate.mutateAsync({ params: { account } });
              setKey(data.api_key);
              rotate.reset();
            }}
          />
        </div>
      </form>
      {key === null ? null : (
        <SecretOnce
          title="The account's API key"
          secret={key}
          line="TRUNKLINE_KEY"
          onStored={() => setKey(null)}
        />
      )}
    </section>
  );
}

function Form({ account }: { account: Account }) {
  const update = useChange("updateAccount", ["getAccount", "listAccounts"]);
  const { role } = useSession();
  const [zone, setZone] = useState(account.time_zone);
  const [country, setCountry] = useState(account.country ?? "");
  const [failover, setFailover] = useState(account.channel_failover);
  const [name, setName] = useState(account.name);
  return (
    <section className="card" aria-labelledby="account">
      <h2 id="account">Account</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate({
            params: { account: account.id },
            body: {
              ...(role === "operator" ? { name } : {}),
              time_zone: zone,
              country: country === "" ? null : country,
              channel_failover: failover,
            },
          });
        }}
      >
        {role === "operator" ? (
          <Field label="Name" fault={faultAt(update.error, "name")}>
            <input required value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
        ) : null}
        <Field
          label="Time zone"
          hint="Messages that are scheduled already keep their instant."
          fault={faultAt(update.error, "time_zone")}
        >
          <input list="zones" required value={zone} onChange={(event) => setZone(event.target.value)} />
        </Field>
        <datalist id="zones">
          {Intl.supportedValuesOf("timeZone").map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <Field
          label="Country"
          hint="Two letters, such as DE: numbers without a country code are read as its own."
          fault={faultAt(update.error, "country")}
        >
          <input
            maxLength={2}
            value={country}
            onChange={(event) => setCountry(event.target.value.toUpperCase())}
          />
        </Field>
        <Check
          label="Messages may move to another gateway of their channel while theirs is paused"
          checked={failover}
          onChange={setFailover}
        />
        <Problem error={update.error} />
        <div className="row">
          <button type="submit" className="button first" disabled={update.isPending}>
            Save
          </button>
          <span role="status">{update.isSuccess ? "Saved." : ""}</span>
        </div>
      </form>
    </section>
  );
}

export function Page() {
  const account = useAccount();
  return (
    <>
      <PageHead title="Settings" />
      <section className="card" aria-labelledby="connect">
        <h2 id="connect">Connect</h2>
        <Facts
          of={[
            ["Messages", <Snippet key="messages" text={`${location.origin}/api`} />],
            ["AI gateway", <Snippet key="ai" text={`${location.origin}/api/ai/v1`} />],
            ["Account", <Snippet key="account" text={account.id} />],
            ["Plan", account.plan.name],
            ["Requests per minute", number(account.rate_limit.requests_per_minute)],
            ["Too late after", duration(account.lateness_ms)],
            ["API", <a key="docs" href="/docs">{`${location.origin}/docs`}</a>],
          ]}
        />
      </section>
      <ApiKey />
      <Form key={account.id} account={account} />
      <OwnPassword />
    </>
  );
}
