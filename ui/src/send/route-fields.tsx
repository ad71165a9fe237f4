// The gateway and the time: by default the account's own, at once.

import { Link } from "@tanstack/react-router";
import type { Gateway } from "#ui/api/schema.ts";
import { useAccount, useZone } from "#ui/parts/account.ts";
import { channelNames } from "#ui/parts/channels.ts";
import { Choices } from "#ui/parts/form/choices.tsx";
import { Choice } from "#ui/parts/form/field.tsx";
import { LocalTime } from "#ui/parts/form/local-time.tsx";
import { nextHourIn } from "#ui/words/spans.ts";
import type { FieldsOf } from "./body-fields.tsx";
import type { Draft } from "./draft.ts";

export function When({ draft, change, fault }: FieldsOf) {
  const zone = useZone();
  return (
    <div className="stack tight">
      <Choices
        label="When"
        of={[
          ["now", "Now"],
          ["at", "At a time"],
        ]}
        value={draft.at === null ? "now" : "at"}
        onChange={(when) => change({ at: when === "now" ? null : nextHourIn(zone, Date.now()) })}
      />
      {draft.at === null ? null : (
        <LocalTime value={draft.at} fault={fault("schedule_at")} onChange={(at) => change({ at })} />
      )}
    </div>
  );
}

/** The selected gateway; undefined until it is known. */
export const chosenOf = ({ channel, gateway }: Draft, gateways: readonly Gateway[]): Gateway | undefined =>
  gateways.find(
    (each) => each.channel === channel && (gateway === "" ? each.default : each.identifier === gateway),
  );

const named = ({ identifier, state }: Gateway): string =>
  state === "active" ? identifier : `${identifier} (${state})`;

export function GatewayField({
  draft,
  change,
  fault,
  gateways,
}: FieldsOf & { gateways: readonly Gateway[] }) {
  const { id: account } = useAccount();
  const own = gateways.filter(({ channel, active }) => channel === draft.channel && active);
  if (own.length === 0)
    return (
      <p className="notice warn">
        No {channelNames[draft.channel]} gateway is switched on, so nothing can be sent.{" "}
        <Link to="/a/$account/gateways/new" params={{ account }} search={{ channel: draft.channel }}>
          Add a gateway
        </Link>
      </p>
    );
  const preset = own.find((each) => each.default);
  return (
    <Choice
      label="Gateway"
      any={preset === undefined ? "the default one" : `the default one: ${named(preset)}`}
      of={own.map((each) => [each.identifier, named(each)] as const)}
      value={draft.gateway}
      fault={fault("gateway_identifier")}
      onChange={(gateway) => change({ gateway })}
    />
  );
}
