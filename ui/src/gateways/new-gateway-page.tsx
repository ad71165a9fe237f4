import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import { type Channel, words } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { useForm } from "#ui/parts/form/form.tsx";
import { Back } from "#ui/parts/link.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
import { GatewayForm } from "./gateway-form.tsx";

export function Page() {
  const { id: account } = useAccount();
  const kinds = useRead("listGatewayKinds", {}, { every: false });
  const [filter, setFilter] = useFilter();
  const [identifier, setIdentifier] = useState("");
  const navigate = useNavigate();
  const form = useForm("createGateway", {
    touches: ["listGateways"],
    says: `${identifier} was added`,
    onDone: ({ data }) =>
      navigate({ to: "/a/$account/gateways/$gateway", params: { account, gateway: data.identifier } }),
  });
  const channel = (filter.channel ?? "sms") as Channel;
  const offered = kinds.data?.data.filter(({ channels }) => channels.includes(channel)) ?? [];
  const kind = offered.find((each) => each.kind === filter.kind);
  return (
    <>
      <PageHead
        title="Add a gateway"
        back={
          <Back to="/a/$account/gateways" params={{ account }}>
            Gateways
          </Back>
        }
      />
      {kinds.data === undefined ? <Waiting error={kinds.error} /> : null}
      <div className="form">
        <Choice
          label="Channel"
          of={words.Channel}
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
          of={form}
          verb="Add the gateway"
          onSubmit={(values) =>
            form.send({ params: { account }, body: { identifier, channel, kind: kind.kind, ...values } })
          }
        >
          <Field
            label="Name"
            hint="Its identifier: requests name it by this, such as sms-main."
            fault={form.fault("identifier")}
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
