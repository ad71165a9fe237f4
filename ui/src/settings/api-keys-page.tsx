import { KeyRound } from "lucide-react";
import { usePages } from "#ui/api/queries.ts";
import type { NamedKey } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { FirstSend } from "#ui/parts/first-send.tsx";
import { KeyState, KeyText, LastUsed } from "#ui/parts/form/renew.tsx";
import { RotateKey } from "#ui/parts/form/rotate-key.tsx";
import { List } from "#ui/parts/list/list.tsx";
import { More } from "#ui/parts/over/more.tsx";
import { PageHead } from "#ui/parts/page.tsx";
import { Due, Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { ApiKey } from "./api-key.tsx";
import { AddKey } from "./keys/add-key.tsx";
import { ChangeKey, RevokeKey } from "./keys/change-key.tsx";
import { wordsOf } from "./keys/key-schema.ts";

function NoKey() {
  return (
    <div className="stack">
      <p>
        There is no named key yet. Give each application one of its own, which may only do what that
        application does: send on one channel, through some gateways, so many requests a minute, until a day.
        It is rotated and revoked without the others.
      </p>
      <FirstSend />
    </div>
  );
}

function Ends({ of: { expires_at, revoked_at } }: { of: NamedKey }) {
  if (revoked_at !== null) return <Time at={revoked_at} brief />;
  if (expires_at === null) return <span className="soft">no end</span>;
  return <Due at={expires_at} over="ended" />;
}

export function Page() {
  const { id: account } = useAccount();
  const pages = usePages("listNamedKeys", { params: { account } });
  return (
    <>
      <PageHead title="API keys">
        <AddKey />
      </PageHead>
      <div className="topics">
        <ApiKey />
      </div>
      <h2>Named keys</h2>
      <List
        label="Named keys"
        icon={KeyRound}
        pages={pages}
        id={({ id }) => id}
        empty={<NoKey />}
        columns={[
          { head: "State", cell: (key) => <KeyState of={key} /> },
          {
            head: "Key",
            cell: (key) => (
              <>
                {key.name}
                <KeyText of={key} />
              </>
            ),
          },
          {
            head: "May",
            cell: ({ scopes, requests_per_minute }) => (
              <>
                <div>{wordsOf(scopes)}</div>
                {requests_per_minute === null ? null : (
                  <div className="small soft">{number(requests_per_minute)} requests a minute</div>
                )}
              </>
            ),
          },
          {
            head: "Gateways",
            cell: ({ gateways }) =>
              gateways === null ? <span className="soft">all</span> : gateways.join(", "),
          },
          {
            head: "Last used",
            look: "when",
            cell: ({ last_used_at }) => <LastUsed of={last_used_at} />,
          },
          { head: "Ends", look: "when", cell: (key) => <Ends of={key} /> },
          {
            head: "Actions",
            look: "act",
            cell: (key) =>
              key.revoked_at === null ? (
                <span className="row">
                  <ChangeKey of={key} />
                  <More of={key.name}>
                    <RotateKey
                      by={{ get: "getNamedKey", rotate: "rotateNamedKey", params: { account, key: key.id } }}
                      of={key}
                      line="TRUNKLINE_API_KEY"
                    />
                    <RevokeKey of={key} />
                  </More>
                </span>
              ) : null,
          },
        ]}
      />
    </>
  );
}
