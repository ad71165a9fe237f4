// The link between a gateway and a person's device: its state, the code for linking, and the linked device.

import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Gateway, GatewayKind, GatewayLink } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Act } from "#ui/parts/act.tsx";
import { Back } from "#ui/parts/link.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { DialogButton } from "#ui/parts/over/dialog-button.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Facts, PageHead, Section, Waiting } from "#ui/parts/page.tsx";
import { Recipient } from "#ui/parts/recipient.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time, WithTimes } from "#ui/parts/time.tsx";
import { useKind } from "./gateway-state.tsx";
import { GatewayTabs } from "./gateway-tabs.tsx";
import { LinkCode } from "./link-code.tsx";
import { linkFaces, replaces } from "./link-faces.ts";
import { useLinkNow } from "./link-now.ts";
import { LinkWays } from "./link-ways.tsx";
import { TestSend } from "./test-send.tsx";

function Unlink({ gateway }: { gateway: Gateway }) {
  const { id: account } = useAccount();
  const unlink = useChange("unlinkGateway");
  return (
    <Ask
      label="Unlink…"
      verb="Unlink"
      title={`Unlink the device of ${gateway.identifier}`}
      effect="Nothing is sent through the gateway until a device is linked again. Waiting messages stay with it."
      run={async () => {
        await unlink.mutateAsync({ params: { account, gateway: gateway.identifier } });
        done(`The device of ${gateway.identifier} is being unlinked`);
      }}
    />
  );
}

function Device({ link }: { link: GatewayLink }) {
  const { device, library, limited_until } = link;
  if (device === null) return null;
  return (
    <Facts
      of={{
        Name: device.name,
        Number: device.number === null ? null : <Recipient of={device.number} />,
        Platform: device.platform,
        App: device.version,
        Battery: device.battery === null ? null : `${device.battery} %`,
        Linked: device.linked_at === null ? null : <Time at={device.linked_at} />,
        "Last seen": device.seen_at === null ? null : <Time at={device.seen_at} />,
        "Limited until": limited_until === null ? null : <Time at={limited_until} />,
        Library: library,
      }}
    />
  );
}

interface Linked {
  gateway: Gateway;
  kind: GatewayKind;
  link: GatewayLink;
}

function State({ gateway, link }: Omit<Linked, "kind">) {
  const { id: account } = useAccount();
  const { look, title, says, resume } = linkFaces[link.state];
  return (
    <section className="stack tight" aria-label="State of the link">
      <p role="status">
        <Status of={look}>{title}</Status>
      </p>
      <p>{says}</p>
      {link.reason === null ? null : (
        <p>
          <WithTimes text={link.reason} />
        </p>
      )}
      {link.warnings.map((warning) => (
        <p key={warning} className="warn">
          {warning}
        </p>
      ))}
      {resume === null || link.device === null ? null : (
        <div className="row">
          <Act
            of="resumeGatewayLink"
            input={{ params: { account, gateway: gateway.identifier } }}
            look="first"
          >
            {resume}
          </Act>
        </div>
      )}
    </section>
  );
}

function Linking({ gateway, kind }: Omit<Linked, "link">) {
  const read = useLinkNow(gateway.identifier);
  const [token, setToken] = useState<string | null>(null);
  if (read.data === undefined) return <Waiting error={read.error} />;
  const link = read.data.data;
  const { shows } = linkFaces[link.state];
  const isPhone = kind.kind === "android";
  const ways = (verb: string, close?: () => void) => (
    <LinkWays
      gateway={gateway}
      kind={kind}
      replace={replaces(link)}
      verb={verb}
      onStarted={(started) => {
        setToken(started.token);
        close?.();
      }}
    />
  );
  return (
    <>
      {gateway.active ? null : (
        <p className="notice warn">The gateway is switched off. A device is linked once it is on.</p>
      )}
      <State gateway={gateway} link={link} />
      {shows === "pair" ? <Section title="Link a device">{ways("Show the code")}</Section> : null}
      {shows === "code" ? (
        <Section
          title="The code"
          actions={
            <DialogButton label="New code…" title="Ask for a new code">
              {(close) => ways("Show a new code", close)}
            </DialogButton>
          }
        >
          <LinkCode link={link} isPhone={isPhone} token={token} />
        </Section>
      ) : null}
      {link.device === null ? null : (
        <Section
          title="The device"
          actions={
            <div className="row">
              {shows === "code" ? null : (
                <DialogButton label="Link another device…" title="Link another device">
                  {(close) => (
                    <>
                      <p>The current device is unlinked once the other one is linked.</p>
                      {ways("Show the code", close)}
                    </>
                  )}
                </DialogButton>
              )}
              <Unlink gateway={gateway} />
            </div>
          }
        >
          <Device link={link} />
        </Section>
      )}
      {link.state === "open" && gateway.active ? (
        <TestSend gateway={gateway} own={link.device?.number ?? null} />
      ) : null}
    </>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { gateway: identifier = "" } = useParams({ strict: false });
  const read = useRead("getGateway", { params: { account, gateway: identifier } });
  const gateway = read.data?.data;
  const kind = useKind(gateway);
  return (
    <>
      <PageHead
        title={identifier}
        back={<Back to="/a/$account/gateways" params={{ account }} of="Gateways" />}
      />
      <GatewayTabs gateway={gateway} kind={kind} />
      {gateway === undefined || kind === undefined ? (
        <Waiting error={read.error} />
      ) : kind.links ? (
        <Linking key={identifier} gateway={gateway} kind={kind} />
      ) : (
        <p>A gateway of kind {kind.kind} links no device.</p>
      )}
    </>
  );
}
