import { useNavigate, useParams } from "@tanstack/react-router";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { DomainFinding } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Copy, Snippet } from "#ui/parts/copy.tsx";
import { Back } from "#ui/parts/link.tsx";
import { Table } from "#ui/parts/list/table.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { More } from "#ui/parts/over/more.tsx";
import { PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";

function Finding({ of: { result, name, message, advice } }: { of: DomainFinding }) {
  return (
    <li className="stack tight">
      <span>
        <Status of={result} /> <code>{name}</code>
      </span>
      <span>
        {message} {advice}
      </span>
    </li>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { domain: id = "" } = useParams({ strict: false }) as { domain?: string };
  const params = { account, domain: id };
  const read = useRead("getSendingDomain", { params });
  const check = useChange("checkSendingDomain");
  const rotate = useChange("rotateSendingDomainKeys");
  const activate = useChange("activateSendingDomainKeys");
  const remove = useChange("deleteSendingDomain");
  const navigate = useNavigate();
  const own = read.data?.data;
  const domain = own?.domain ?? "Domain";
  const found = check.data?.data;
  return (
    <>
      <PageHead title={domain} back={<Back to="/a/$account/domains" params={{ account }} of="Domains" />}>
        {own === undefined ? null : (
          <>
            <Button look="first" disabled={check.isPending} onClick={() => check.mutate({ params })}>
              {check.isPending ? "Checking…" : "Check"}
            </Button>
            <Ask
              verb="Create new keys"
              label="New keys…"
              title="Create new keys"
              effect="The new keys sign once a check has found their records. Until then the current ones sign."
              grave={false}
              run={() => rotate.mutateAsync({ params, body: {} })}
            />
            <More of={domain}>
              <Ask
                verb="Use them now"
                label="Use without a check…"
                title="Use the new keys without a check"
                effect="Mail that is signed with a key whose record is not in DNS may be refused."
                typed={domain}
                run={() => activate.mutateAsync({ params })}
              />
              <Ask
                verb="Delete"
                label="Delete…"
                title={`Delete ${domain}`}
                effect="Its keys are permanently deleted, and its mail is no longer signed with them."
                typed={domain}
                run={async () => {
                  await remove.mutateAsync({ params });
                  await navigate({ to: "/a/$account/domains", params: { account } });
                }}
              />
            </More>
          </>
        )}
      </PageHead>
      {own === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          <Problem error={check.error} />
          {found === undefined ? null : (
            <Section title="What DNS says">
              <ul className="stack" role="status">
                {[...found.dkim, found.spf, found.dmarc].map((finding) => (
                  <Finding key={`${finding.name} ${finding.message}`} of={finding} />
                ))}
              </ul>
            </Section>
          )}
          <h2>Records to publish</h2>
          <Table
            label="Records"
            rows={own.records}
            id={({ name, value }) => `${name} ${value}`}
            columns={[
              {
                head: "For",
                cell: ({ purpose, required }) => `${purpose.toUpperCase()}${required ? "" : ", optional"}`,
              },
              { head: "Type", cell: ({ type }) => type },
              { head: "Name", cell: ({ name }) => <Snippet text={name} label="Copy the name" /> },
              {
                head: "Value",
                look: "text",
                cell: ({ value, strings }) => (
                  <>
                    <Snippet text={value} label="Copy the value" cut />
                    {strings.length > 1 ? (
                      <div>
                        <Copy
                          text={strings.map((part) => `"${part}"`).join(" ")}
                          label={`Copy as ${strings.length} strings`}
                        />
                      </div>
                    ) : null}
                  </>
                ),
              },
            ]}
          />
          <h2>Keys</h2>
          <Table
            label="Keys"
            rows={own.keys}
            id={({ id }) => id}
            columns={[
              { head: "State", cell: ({ state }) => <Status of={state} /> },
              { head: "Selector", cell: ({ selector }) => <code>{selector}</code> },
              { head: "Algorithm", cell: ({ algorithm }) => algorithm },
            ]}
          />
        </>
      )}
    </>
  );
}
