// How a device is linked: the method, its risk, and the button that requests the code.

import { useState } from "react";
import type { Gateway, GatewayKind, StartedGatewayLinkReply } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Choices } from "#ui/parts/form/choices.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";

/** Whether the kind's settings require accepting a risk: its client is not the provider's own. */
const hasRisk = ({ settings }: GatewayKind): boolean =>
  "accept_risk" in ((settings as { properties?: object }).properties ?? {});

function Risk() {
  return (
    <div className="notice warn">
      <strong>WhatsApp forbids unofficial clients, and this is one</strong>
      <ul>
        <li>It may ban the number, for a time or for good, with every chat of its owner.</li>
        <li>Writing first is what gets numbers banned; answering people is much safer.</li>
        <li>Use a number that you can afford to lose.</li>
      </ul>
    </div>
  );
}

/** `replace`: the device replaces the current one. */
export function LinkWays({
  gateway,
  kind,
  replace,
  verb,
  onStarted,
}: {
  gateway: Gateway;
  kind: GatewayKind;
  replace: boolean;
  verb: string;
  onStarted: (reply: StartedGatewayLinkReply["data"]) => void;
}) {
  const { id: account } = useAccount();
  const [method, setMethod] = useState<"qr" | "code">("qr");
  const [number, setNumber] = useState("");
  const form = useForm("linkGateway", { onDone: ({ data }) => onStarted(data) });
  const isTyped = hasRisk(kind) && method === "code";
  return (
    <Form
      of={form}
      verb={verb}
      guard={false}
      onSubmit={() =>
        form.send({
          params: { account, gateway: gateway.identifier },
          body: { method, ...(isTyped ? { number: number.replaceAll(/[\s()-]/g, "") } : {}), replace },
        })
      }
    >
      {hasRisk(kind) ? <Risk /> : null}
      <Choices
        label="How it is linked"
        of={[
          ["qr", "By QR code"],
          ["code", "By a code to type"],
        ]}
        value={method}
        onChange={setMethod}
      />
      {isTyped ? (
        <TextField
          label="The phone's number"
          hint="With its country code, such as +4915123456789."
          type="tel"
          required
          fault={form.fault("number")}
          value={number}
          onChange={setNumber}
        />
      ) : null}
    </Form>
  );
}
