import { useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { OldWorks, Renew } from "#ui/parts/form/renew.tsx";
import { TextField, useTexts } from "#ui/parts/form/texts.tsx";
import { SecretButton } from "#ui/parts/over/secret-button.tsx";
import { SecretOnce } from "#ui/parts/over/secret-once.tsx";
import { Facts, Section } from "#ui/parts/page.tsx";
import { Time, useIsOver } from "#ui/parts/time.tsx";

const overlaps = [
  [24, "24 h"],
  [0, "End it now"],
] as const;

/** The current personal key: its time of last use changes without a hint. */
function usePersonalKey() {
  const account = useAccount();
  const { data } = useRead("getAccount", { params: { account: account.id } });
  return (data?.data ?? account).api_key;
}

function Regeneration({ onKey }: { onKey: (key: string) => void }) {
  const { id: account, name } = useAccount();
  const key = usePersonalKey();
  const form = useForm("rotateApiKey", { onDone: ({ data }) => onKey(data.api_key) });
  return (
    <Renew
      of={form}
      verb="Regenerate the key"
      name={name}
      hours={overlaps}
      lastUsedAt={key?.last_used_at ?? null}
      onSubmit={(hours) =>
        form.send({ params: { account }, body: { old_works_hours: hours === 0 ? 0 : 24 } })
      }
    />
  );
}

function Reveal({ onKey }: { onKey: (key: string) => void }) {
  const { id: account } = useAccount();
  const form = useForm("revealApiKey", {
    onDone: ({ data }) => {
      onKey(data.api_key);
      clear();
    },
  });
  const { texts, field, clear } = useTexts(form, { password: "" });
  return (
    <Form
      of={form}
      verb="Show the key"
      quiet
      guard={false}
      onSubmit={() => form.send({ params: { account }, body: texts })}
    >
      <TextField
        label="Your password"
        type="password"
        required
        autoComplete="current-password"
        {...field("password")}
      />
    </Form>
  );
}

function KeyFacts() {
  const key = usePersonalKey();
  const isAlone = useIsOver(key?.previous_works_until ?? null);
  if (key === null) return <p>The account has no personal key yet.</p>;
  const { hint, created_at, last_used_at, previous_works_until } = key;
  return (
    <Facts
      of={{
        Key: hint === null ? null : <code>{hint}</code>,
        Created: <Time at={created_at} />,
        "Last used": last_used_at === null ? "never" : <Time at={last_used_at} />,
        "Before it":
          previous_works_until === null || isAlone ? null : <OldWorks until={previous_works_until} />,
      }}
    />
  );
}

/** The account's personal API key: when it was used, shown to people who enter their password, and replaced. */
export function ApiKey() {
  const key = usePersonalKey();
  const [shown, setShown] = useState<string | null>(null);
  return (
    <Section
      title="Personal API key"
      actions={
        <SecretButton
          title="Regenerate the API key"
          label={key === null ? "Create…" : "Regenerate…"}
          secret={{ title: "The account's API key", line: "TRUNKLINE_API_KEY" }}
        >
          {(onKey) => <Regeneration onKey={onKey} />}
        </SecretButton>
      }
      about="Full access: its holder can send messages, look them up and spend this account's credit."
    >
      <KeyFacts />
      {key?.revealable === true ? <Reveal onKey={setShown} /> : null}
      {shown === null ? null : (
        <SecretOnce
          title="The account's API key"
          secret={shown}
          line="TRUNKLINE_API_KEY"
          again="Enter your password to see it again."
          onStored={() => setShown(null)}
        />
      )}
    </Section>
  );
}
