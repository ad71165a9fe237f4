// A newcomer's first steps. Each is ticked off when the service has seen it happen.

import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Overview } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { FirstSend } from "#ui/parts/first-send.tsx";
import { Problem, Section } from "#ui/parts/page.tsx";
import { setPreference, usePreference } from "#ui/parts/preferences.ts";
import { Status } from "#ui/parts/status.tsx";

type Steps = Overview["first_steps"];

/** Sends the same message as the command does, through the sandbox if there is one, so that nothing leaves the machine. */
function SendFromHere() {
  const { id: account } = useAccount();
  const navigate = useNavigate();
  const gateways = useRead("listGateways", { params: { account } }, { every: 60_000 });
  const send = useChange("sendAccountMessages");
  const box = gateways.data?.data.find(({ kind, channel }) => kind === "sandbox" && channel === "sms");
  if (box === undefined) return null;
  const contact = {
    number: "+15550000001",
    message: "Hello from Trunkline",
    gateway_identifier: box.identifier,
  };
  return (
    <>
      <button
        type="button"
        className="button first"
        disabled={send.isPending}
        onClick={async () => {
          const { data } = await send.mutateAsync({
            params: { account },
            body: { channel: "sms", contact: [contact] },
          });
          const message = data.contact[0]?.id;
          if (message !== undefined)
            await navigate({ to: "/a/$account/messages/$message", params: { account, message } });
        }}
      >
        Send it from here
      </button>
      <Problem error={send.error} />
    </>
  );
}

function Send() {
  const { id: account } = useAccount();
  return (
    <div className="stack">
      <p className="soft">
        From a shell that has the account's API key in <code>TRUNKLINE_API_KEY</code>; the key is in{" "}
        <Link to="/a/$account/api-keys" params={{ account }}>
          API keys
        </Link>
        . The sandbox takes it and sends nothing.
      </p>
      <FirstSend />
      <div className="row">
        <SendFromHere />
      </div>
    </div>
  );
}

/** The pool that the first start created, or the newest one. */
function Ask() {
  const { id: account } = useAccount();
  const pools = useRead("listPools", { params: { account } }, { every: 60_000 });
  const pool = pools.data?.data.find(({ name }) => name === "default") ?? pools.data?.data[0];
  if (pools.data === undefined) return null;
  if (pool === undefined)
    return (
      <Link to="/a/$account/pools" params={{ account }} className="button">
        Add a pool
      </Link>
    );
  return (
    <div className="stack">
      <p className="soft">
        Without a key. Let a member count as down there, and see another one answer in its place.
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
          <button type="button" className="button bare" onClick={() => setPreference("steps", "hidden")}>
            Hide
          </button>
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
