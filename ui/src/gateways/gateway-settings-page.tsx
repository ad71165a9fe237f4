import { useNavigate, useParams } from "@tanstack/react-router";
import { call } from "#ui/api/client.ts";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { Back } from "#ui/parts/link.tsx";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
import { Opened } from "#ui/schema-form/opened.tsx";
import { GatewayForm } from "./gateway-form.tsx";

export function Page() {
  const { id: account } = useAccount();
  const { gateway = "" } = useParams({ strict: false });
  const kinds = useRead("listGatewayKinds", {}, { every: false });
  const read = useRead("getGateway", { params: { account, gateway } }, { every: false });
  const navigate = useNavigate();
  const form = useForm("updateGateway", {
    says: `The settings of ${gateway} are saved`,
    onDone: () => navigate({ to: "/a/$account/gateways/$gateway", params: { account, gateway } }),
  });
  const own = read.data?.data;
  const kind = kinds.data?.data.find((each) => each.kind === own?.kind);
  return (
    <>
      <PageHead
        title={`Settings of ${gateway}`}
        back={<Back to="/a/$account/gateways/$gateway" params={{ account, gateway }} of={gateway} />}
      />
      {own === undefined || kind === undefined ? (
        <Waiting error={read.error ?? kinds.error} />
      ) : (
        <Opened of={own} read={() => call("getGateway", { params: { account, gateway } })}>
          {(opened, reload) => (
            <GatewayForm
              kind={kind}
              gateway={opened}
              of={form}
              verb="Save"
              onSubmit={(changes) =>
                form.send({ params: { account, gateway }, body: { ...changes, revision: opened.revision } })
              }
              reload={async () => {
                await reload();
                form.reset();
              }}
            />
          )}
        </Opened>
      )}
    </>
  );
}
