import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Channel } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choice, Field, faultAt } from "#ui/parts/field.tsx";
import { useFilter } from "#ui/parts/filter.ts";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
import { GatewayForm } from "./gateway-form.tsx";

export function Page() {
  const { id: account } = useAccount();
  const kinds = useRead("listGatewayKinds", {}, { every: false });
  const [filter, setFilter] = useFilter();
  const [identifier, setIdentifier] = useState("");
  const create = useChange("createGateway", ["listGateways"]);
  const navigate = useNavigate();
  const channel = (filter.channel ?? "sms") as Channel;
  const offered = kinds.data?.data.filter(({ channels }) => channels.includes(channel)) ?? [];
  const kind = offered.find((each) => each.kind === filter.kind);
  return (
    <>
      <p>
        <Link to={`/a/${account}/gateways`}>‹ Gateways</Link>
      </p>
      <PageHead title="Add a gateway" />
      {kinds.data === undefined ? <Waiting error={kinds.error} /> : null}
      <div className="form">
        <Choice
          label="Channel"
          of={["sms", "whatsapp", "email"]}
          value={channel}
          onChange={(word) => setFilter("channel", word)}
        />
        <Choice
          label="Kind"
          any="Choose…"
          of={offered.map((each) => [each.kind, each.title] as const)}
          value={kind?.kind ?? ""}
          onChange={(word) => setFilter("kind", word)}
        />
      </div>
      {kind === undefined ? null : (
        <GatewayForm
          key={`${channel} ${kind.kind}`}
          kind={kind}
          error={create.error}
          busy={create.isPending}
          verb="Add the gateway"
          onSubmit={(values) =>
            create.mutate(
              { params: { account }, body: { identifier, channel, kind: kind.kind, ...values } },
              { onSuccess: ({ data }) => navigate({ to: `/a/${account}/gateways/${data.identifier}` }) },
            )
          }
        >
          <Field
            label="Name"
            hint="Its identifier: requests name it by this, such as sms-main."
            fault={faultAt(create.error, "identifier")}
          >
            <input
              required
              value={identifier}
              autoComplete="off"
              onChange={(event) => setIdentifier(event.target.value)}
            />
          </Field>
        </GatewayForm>
      )}
    </>
  );
}
