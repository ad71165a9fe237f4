// A test through one gateway: what is sent and its outcome, in the same place.

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { Gateway } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Field } from "#ui/parts/form/field.tsx";
import { Form, useForm } from "#ui/parts/form/form.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";
import { Problem, Section } from "#ui/parts/page.tsx";
import { SandboxRecipients } from "#ui/parts/recipient.tsx";
import { Status } from "#ui/parts/status.tsx";

function Progress({ message }: { message: string }) {
  const { id: account } = useAccount();
  const read = useRead("getAccountMessage", { params: { account, message } }, { every: 1_000 });
  const record = read.data?.data.record;
  return (
    <p role="status">
      {record === undefined ? "Accepted." : <Status of={record.status} />}{" "}
      {record?.error === null || record === undefined ? null : record.error.message}{" "}
      <Link to="/a/$account/messages/$message" params={{ account, message }}>
        Its page shows each step
      </Link>
      <Problem error={read.error} />
    </p>
  );
}

/** `own`: the number of the gateway's device, which can send a test to itself. */
export function TestSend({ gateway, own = null }: { gateway: Gateway; own?: string | null }) {
  const { id: account } = useAccount();
  const [to, setTo] = useState(own !== null && /^\+\d+$/.test(own) ? own : "");
  const [message, setMessage] = useState("Hello from Trunkline");
  const [sent, setSent] = useState<string | null>(null);
  const form = useForm("testGateway", { onDone: ({ data }) => setSent(data.id) });
  const mail = gateway.channel === "email";
  return (
    <Section title="Send a test">
      <Form
        of={form}
        verb="Send the test"
        guard={false}
        // The outcome is shown as it happens.
        onSubmit={() =>
          form.send({ params: { account, gateway: gateway.identifier }, body: { to, message, wait_ms: 0 } })
        }
      >
        <TextField
          label={mail ? "Email address" : "Number"}
          type={mail ? "email" : "tel"}
          required
          fault={form.fault("to")}
          value={to}
          onChange={setTo}
        />
        {gateway.test ? <SandboxRecipients channel={gateway.channel} onChoose={setTo} /> : null}
        <Field label="Text" fault={form.fault("message")}>
          <textarea value={message} onChange={(event) => setMessage(event.target.value)} />
        </Field>
      </Form>
      {sent === null ? null : <Progress key={sent} message={sent} />}
    </Section>
  );
}
