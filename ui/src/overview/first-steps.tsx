// A newcomer's first steps. Each is ticked off when the service has seen it happen.

import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useRead } from "#ui/api/queries.ts";
import type { Gateway, Overview } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Act } from "#ui/parts/act.tsx";
import { Button } from "#ui/parts/button.tsx";
import { FirstSend } from "#ui/parts/first-send.tsx";
import { Section, Waiting } from "#ui/parts/page.tsx";
import { setPreference, usePreference } from "#ui/parts/preferences.ts";
import { Status } from "#ui/parts/status.tsx";

type Steps = Overview["first_steps"];

type SmsGateway = Pick<Gateway, "identifier" | "kind">;

/** Sends the same message as the command does, through a sandbox, so that nothing leaves the machine. */
function SendFromHere({ box }: { box: SmsGateway }) {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const contact = {
    number: "+15550000001",
    message: "Hello from Trunkline",
    gateway_identifier: box.identifier,
  };
  return (
    <Act
      of="sendAccountMessages"
      input={{ params: { account }, body: { channel: "sms", contact: [contact] } }}
      look="first"
      onDone={({ data }) => {
        const message = data.contact[0]?.id;
        return message && navigate({ to: "/a/$account/messages/$message", params: { account, message } });
      }}
    >
      Send it from here
    </Act>
  );
}

/** A new account has no gateway, and every send would be refused. */
function AddSandbox() {
  const { id: account } = useAccount();
  // Identifiers are unique in the installation.
  const identifier = `sandbox-sms-${account.slice(-6)}`;
  return (
    <div className="stack">
      <p className="soft">
        This account has no SMS gateway yet. A sandbox accepts messages and sends nothing, so that you can try
        everything.
      </p>
      <div className="row">
        <Act
          of="createGateway"
          input={{
            params: { account },
            body: { identifier, channel: "sms", kind: "sandbox", default: true },
          }}
          look="first"
        >
          Add a sandbox
        </Act>
        <Link to="/a/$account/gateways/new" params={{ account }} className="button">
          Add a gateway
        </Link>
      </div>
    </div>
  );
}

function Send() {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } }, { every: 60_000 });
  const sms = gateways.data?.data.filter(({ channel, active }) => channel === "sms" && active);
  if (sms === undefined) return <Waiting error={gateways.error} />;
  // As acceptance chooses it: the default gateway, or else the oldest.
  const taker = sms.find((gateway) => gateway.default) ?? sms[0];
  const box = sms.find(({ kind }) => kind === "sandbox");
  if (taker === undefined) return <AddSandbox />;
  return (
    <div className="stack">
      <p className="soft">
        From a shell that has the account's API key in <code>TRUNKLINE_API_KEY</code>; the key is in{" "}
        <Link to="/a/$account/api-keys" params={{ account }}>
          API keys
        </Link>
        . The gateway {taker.identifier}{" "}
        {taker.kind === "sandbox" ? "accepts it and sends nothing." : "sends it: use your own number."}
      </p>
      <FirstSend />
      <div className="row">{box === undefined ? null : <SendFromHere box={box} />}</div>
    </div>
  );
}

/** The pool that the first start created, or the newest one. */
function Ask() {
  const { id: account } = useAccount();
  const pools = useRead("listPools", { params: { account } }, { every: 60_000 });
  const pool = pools.data?.data.find(({ name }) => name === "default") ?? pools.data?.data[0];
  if (pools.data === undefined) return <Waiting error={pools.error} />;
  if (pool === undefined)
    return (
      <Link to="/a/$account/pools" params={{ account }} className="button">
        Add a pool
      </Link>
    );
  return (
    <div className="stack">
      <p className="soft">
        No key needed. Mark a member as down there, and watch another one answer instead.
      </p>
      <div className="row">
        <Link
          to="/a/$account/pools/$pool/playground"
          params={{ account, pool: pool.id }}
          className="button first"
        >
          Open the playground
        </Link>
      </div>
    </div>
  );
}

function useSteps(): readonly { name: keyof Steps; title: string; how: ReactNode }[] {
  const params = { account: useAccount().id };
  return [
    { name: "accepted", title: "Send a message", how: <Send /> },
    {
      name: "delivered",
      title: "See it delivered",
      how: (
        <p className="soft">
          Its steps are in{" "}
          <Link to="/a/$account/messages" params={params}>
            Messages
          </Link>
          .
        </p>
      ),
    },
    { name: "completion", title: "Ask an AI pool", how: <Ask /> },
    {
      name: "real_gateway",
      title: "Add a gateway of your provider",
      how: (
        <Link to="/a/$account/gateways/new" params={params} className="button">
          Add a gateway
        </Link>
      ),
    },
    {
      name: "webhook",
      title: "Receive delivery events in your application",
      how: (
        <Link to="/a/$account/webhooks" params={params} className="button">
          Add a webhook
        </Link>
      ),
    },
  ];
}

/** The steps until all are done or a person hides them; the first open one explains how. */
export function FirstSteps() {
  const { id: account } = useAccount();
  const overview = useRead("getOverview", { params: { account } });
  const shown = usePreference("steps");
  const steps = useSteps();
  const done = overview.data?.data.first_steps;
  if (done === undefined || steps.every(({ name }) => done[name])) return null;
  // Without a message there is nothing else to show.
  if (done.accepted && shown === "hidden") return null;
  const next = steps.find(({ name }) => !done[name]);
  return (
    <Section
      title="First steps"
      actions={
        done.accepted ? (
          <Button look="bare" onClick={() => setPreference("steps", "hidden")}>
            Hide
          </Button>
        ) : null
      }
    >
      <ol className="steps">
        {steps.map(({ name, title, how }) => (
          <li key={name}>
            <Status of={done[name] ? "ok" : "off"}>
              <span className={done[name] ? "soft" : "ink"}>{title}</span>
              <span className="unseen">{done[name] ? ", done" : ", not yet"}</span>
            </Status>
            {name === next?.name ? how : null}
          </li>
        ))}
      </ol>
    </Section>
  );
}
