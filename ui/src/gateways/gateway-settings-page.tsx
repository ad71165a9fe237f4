import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useChange, useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
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
        <GatewayForm
          // A form shows what it was opened with; what others change meanwhile is a conflict that the API names.
          key={own.id}
          kind={kind}
          gateway={own}
          error={update.error}
          busy={update.isPending}
          verb="Save"
          onSubmit={(values) =>
            update.mutate(
              { params: { account, gateway }, body: { ...values, revision: own.revision } },
              { onSuccess: () => navigate({ to: `/a/${account}/gateways/${gateway}` }) },
            )
          }
        />
      )}
    </>
  );
}
