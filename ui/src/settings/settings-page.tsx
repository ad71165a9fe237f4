import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "#ui/api/client.ts";
import type { Account } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Opened } from "#ui/schema-form/opened.tsx";
import { AccountForm } from "./account-form.tsx";
import { LimitsForm } from "./limits-form.tsx";
import { OwnPassword } from "./own-password.tsx";

/**
 * Two forms over one account: the next change of either is based on what the other stored. While one is in progress the other cannot be
 * sent: its revision would be outdated, and a person's own change would be refused as a conflict.
 */
function Forms({ account, reload }: { account: Account; reload: () => Promise<void> }) {
  const [stored, setStored] = useState(account);
  const [turn, setTurn] = useState(0);
  const own = useForm("updateAccount", {
    says: "The account is saved",
    onDone: ({ data }) => setStored(data),
  });
  const limits = useForm("updateAccount", {
    says: "The limits are saved",
    onDone: ({ data }) => {
      setStored(data);
      // An emptied field shows its default.
      setTurn(turn + 1);
    },
  });
  return (
    <>
      <AccountForm account={stored} reload={reload} form={own} isHeld={limits.isBusy} />
      <LimitsForm key={turn} account={stored} reload={reload} form={limits} isHeld={own.isBusy} />
    </>
  );
}

export function Page() {
  const account = useAccount();
  return (
    <>
      <PageHead title="Settings" />
      <p className="soft">
        The account's addresses and id are on{" "}
        <Link to="/a/$account/connect" params={{ account: account.id }}>
          Connect
        </Link>
        , its keys on{" "}
        <Link to="/a/$account/api-keys" params={{ account: account.id }}>
          API keys
        </Link>
        .
      </p>
      <div className="topics">
        <Opened
          key={account.id}
          of={account}
          read={() => call("getAccount", { params: { account: account.id } })}
        >
          {(opened, reload) => <Forms account={opened} reload={reload} />}
        </Opened>
        <OwnPassword />
      </div>
    </>
  );
}
