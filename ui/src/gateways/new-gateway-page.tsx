import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import { type Channel, words } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channelNames } from "#ui/parts/channels.ts";
import { useForm } from "#ui/parts/form/form.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";
import { Back } from "#ui/parts/link.tsx";
import { Cards } from "#ui/parts/list/cards.tsx";
import { useFilter } from "#ui/parts/list/filter.ts";
import { PageHead, Waiting } from "#ui/parts/page.tsx";
import { GatewayForm } from "./gateway-form.tsx";
import { groupsOf } from "./kinds.ts";

export function Page() {
  const { id: account } = useAccount();
  const kinds = useRead("listGatewayKinds", {}, { every: false });
  const [filter] = useFilter();
  const [identifier, setIdentifier] = useState("");
  const navigate = useNavigate();
  const form = useForm("createGateway", {
    says: `${identifier} was added`,
    onDone: ({ data }) =>
      navigate({
        // Without a device nothing is sent: linking one is the next step.
        to: kind?.links ? "/a/$account/gateways/$gateway/link" : "/a/$account/gateways/$gateway",
        params: { account, gateway: data.identifier },
      }),
  });
  const channel = (filter.channel ?? "sms") as Channel;
  const offered = kinds.data?.data.filter(({ channels }) => channels.includes(channel)) ?? [];
  const kind = offered.find((each) => each.kind === filter.kind);
  return (
    <>
      <PageHead
        title="Add a gateway"
        back={<Back to="/a/$account/gateways" params={{ account }} of="Gateways" />}
      />
      {kinds.data === undefined ? <Waiting error={kinds.error} /> : null}
      <nav className="segments" aria-label="Channel">
        {words.Channel.map((word) => (
          <Link
            key={word}
            to="/a/$account/gateways/new"
            params={{ account }}
            search={{ channel: word }}
            className="button"
            aria-current={word === channel ? "true" : undefined}
          >
            {channelNames[word]}
          </Link>
        ))}
      </nav>
      {kinds.data !== undefined && kind === undefined ? (
        <Cards
          placeholder="Twilio, SMPP, phone…"
          groups={groupsOf(kinds.data.data, channel)}
          none={
            <>
              No kind has this name. A provider with an HTTP API of its own is an{" "}
              <Link to="." search={{ channel: "sms", kind: "http-api" }}>
                http-api
              </Link>{" "}
              gateway.
            </>
          }
        />
      ) : null}
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
          <p>
            <Link to="/a/$account/gateways/new" params={{ account }} search={{ channel }}>
              Choose another kind
            </Link>
          </p>
          <TextField
            label="Name"
            hint="The identifier that requests use, such as sms-main."
            required
            fault={form.fault("identifier")}
            value={identifier}
            onChange={setIdentifier}
          />
        </GatewayForm>
      )}
    </>
  );
}
