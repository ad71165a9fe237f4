// The state of a gateway. If it links a device, the link determines it: without a device nothing is sent.

import { Link } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import type { Gateway, GatewayKind, GatewayLink } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Problem } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { WithTimes } from "#ui/parts/time.tsx";

/** The kind of a gateway; undefined until the kinds are loaded. */
export function useKind(gateway: Gateway | undefined): GatewayKind | undefined {
  const kinds = useRead("listGatewayKinds", {}, { every: false });
  return kinds.data?.data.find(
    ({ kind, channels }) =>
      gateway !== undefined && kind === gateway.kind && channels.includes(gateway.channel),
  );
}

export function KindName({ gateway }: { gateway: Gateway }) {
  return <span className="soft">{useKind(gateway)?.title ?? gateway.kind}</span>;
}

/** By the state of a link: the look of a status, and its words. */
const links: Readonly<Record<GatewayLink["state"], readonly [look: string, words: string]>> = {
  unlinked: ["unlinked", "not linked"],
  expired: ["unlinked", "not linked: the code has expired"],
  waiting_for_scan: ["waiting", "not linked: a code waits to be scanned"],
  waiting_for_code: ["waiting", "not linked: a code waits to be typed in"],
  connecting: ["waiting", "connecting"],
  reconnecting: ["waiting", "linked, not connected"],
  open: ["active", "active"],
  limited: ["waiting", "linked, limited by the provider"],
  replaced: ["unlinked", "not connected: another program uses the link"],
  wrong_number: ["unlinked", "not linked: another number was linked"],
  outdated: ["unlinked", "not connected: the library is out of date"],
  needs_relink: ["unlinked", "not linked: link it again"],
  logged_out: ["unlinked", "no longer linked"],
  not_installed: ["unlinked", "not linked: the library is not installed"],
};

function useLink(gateway: Gateway, enabled: boolean) {
  const { id: account } = useAccount();
  return useRead("getGatewayLink", { params: { account, gateway: gateway.identifier } }, { enabled });
}

/** The gateway's state. An unknown state is never shown as active. */
export function GatewayState({ gateway }: { gateway: Gateway }) {
  const kind = useKind(gateway);
  const isActive = gateway.state === "active";
  const link = useLink(gateway, isActive && kind?.links === true);
  if (isActive && gateway.deferring !== null) return <Status of="failed">active, all attempts fail</Status>;
  if (!isActive || kind?.links === false) return <Status of={gateway.state} />;
  if (link.data === undefined)
    return link.error ? (
      <span className="soft">state not known</span>
    ) : (
      <span className="soft waiting">…</span>
    );
  const [look, words] = links[link.data.data.state];
  return <Status of={look}>{words}</Status>;
}

/** On the page of a gateway that links a device: the state of the link, and how to link one. */
export function LinkNotice({ gateway }: { gateway: Gateway }) {
  const { id: account } = useAccount();
  const link = useLink(gateway, true);
  if (link.data === undefined) return <Problem error={link.error} />;
  const { state, reason, warnings } = link.data.data;
  if (state === "open" && warnings.length === 0) return null;
  const [, words] = links[state];
  return (
    <div className="notice warn" role="status">
      <strong>The link to the device: {state === "open" ? "connected" : words}</strong>
      {reason === null ? null : (
        <p>
          <WithTimes text={reason} />
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
      {links[state][0] === "unlinked" ? <p>Nothing is sent through it meanwhile.</p> : null}
      <div>
        <Link
          to="/a/$account/gateways/$gateway/link"
          params={{ account, gateway: gateway.identifier }}
          className="button"
        >
          {links[state][0] === "unlinked" ? "Link a device" : "See the link"}
        </Link>
      </div>
    </div>
  );
}
