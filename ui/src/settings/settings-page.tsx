import { useAccount } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Facts, PageHead, Section } from "#ui/parts/page.tsx";
import { duration, number } from "#ui/words/numbers.ts";
import { AccountForm } from "./account-form.tsx";
import { ApiKey } from "./api-key.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { OwnPassword } from "./own-password.tsx";

export function Page() {
  const account = useAccount();
  return (
    <>
      <PageHead title="Settings" />
      <Section title="Connect">
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
      </Section>
      <ApiKey />
      <AccountForm key={account.id} account={account} />
      <LimitsForm key={`limits of ${account.id}`} account={account} />
      <OwnPassword />
    </>
  );
}
