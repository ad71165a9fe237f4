// The gateway of linked devices over the stub of its bridge, which is a real process.

import type { GatewayAdapter } from "#gateways/gateway.ts";
import type { SessionHost } from "#gateways/session.ts";
import { whatsappLinkedWith } from "#gateways/whatsapp/linked/linked.ts";
import { type LinePeer, openLinePeer } from "../../sessions/line-peer.ts";

const test = new URL("../../../", import.meta.url);

const linked = whatsappLinkedWith({
  module: () => new URL("./stub-bridge.ts", import.meta.url),
  folder: test,
  network: "all",
});
if (linked.connection !== "linked") throw new Error("The kind links no device.");

/** As an SMS gateway, because the tests of sessions send texts of that channel. */
export const stubbedLinked: GatewayAdapter = {
  ...linked,
  open: (settings: unknown, host: SessionHost) => {
    const isLinked = !(settings as { device_name: string }).device_name.startsWith("unlinked");
    const load = async () => {
      const values = await host.state.load();
      // The stub's device is linked from the beginning, as the keys of a real one would show.
      return isLinked ? new Map([...values, ["stub", "linked"]]) : values;
    };
    return linked.open(settings, { ...host, state: { ...host.state, load } });
  },
  kind: "whatsapp-linked-stub",
  channels: ["sms"],
  defaultPace: undefined,
};

/** `unlinked`: no device is linked before a person links one. */
export async function openStubPeer({ unlinked = false } = {}): Promise<LinePeer> {
  const peer = await openLinePeer();
  const { port } = peer.settings as { port: number };
  const device_name = `${unlinked ? "unlinked" : "peer"}-${port}`;
  return { ...peer, settings: { accept_risk: true, device_name } };
}
