import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { call } from "#ui/api/client.ts";
import { useChange, useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
import { Opened } from "#ui/schema-form/opened.tsx";
import { GatewayForm } from "./gateway-form.tsx";

export function Page() {
  const { id: account } = useAccount();
  const { gateway = "" } = useParams({ strict: false }) as { gateway?: string };
  const kinds = useRead("listGatewayKinds", {}, { every: false });
  const read = useRead("getGateway", { params: { account, gateway } }, { every: false });
  const update = useChange("updateGateway", ["getGateway", "listGateways"]);
  const navigate = useNavigate();
  const own = read.data?.data;
  const kind = kinds.data?.data.find((each) => each.kind === own?.kind);
  return (
    <>
      <p>
        <Link to={`/a/${account}/gateways/${gateway}`}>‹ {gateway}</Link>
      </p>
      <PageHead title={`Settings of ${gateway}`} />
      {own === undefined || kind === undefined ? (
        <Waiting error={read.error ?? kinds.error} />
      ) : (
        <Opened of={own} read={() => call("getGateway", { params: { account, gateway } })}>
          {(opened, reload) => (
            <GatewayForm
              kind={kind}
              gateway={opened}
              error={update.error}
              busy={update.isPending}
              verb="Save"
              onSubmit={(changes) =>
                update.mutate(
                  { params: { account, gateway }, body: { ...changes, revision: opened.revision } },
                  { onSuccess: () => navigate({ to: `/a/${account}/gateways/${gateway}` }) },
                )
              }
              reload={async () => {
                await reload();
                update.reset();
              }}
            />
          )}
        </Opened>
      )}
    </>
  );
}
