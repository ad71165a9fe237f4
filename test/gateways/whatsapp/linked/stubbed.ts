// The gateway of linked devices over the stub of its bridge, which is a real process.

import { whatsappLinkedWith } from "#gateways/whatsapp/linked/linked.ts";
import { type LinePeer, openLinePeer } from "../../sessions/line-peer.ts";

const test = new URL("../../../", import.meta.url);

/** As an SMS gateway, because the tests of sessions send texts of that channel. */
export const stubbedLinked = {
  ...whatsappLinkedWith({
    module: () => new URL("./stub-bridge.ts", import.meta.url),
    folder: test,
    network: "all",
  }),
  kind: "whatsapp-linked-stub",
  channels: ["sms" as const],
  defaultPace: null,
};

/** `unlinked`: no device is linked before somebody links one. */
export async function openStubPeer({ unlinked = false } = {}): Promise<LinePeer> {
  const peer = await openLinePeer();
  const { port } = peer.settings as { port: number };
  const device_name = `${unlinked ? "unlinked" : "peer"}-${port}`;
  return { ...peer, settings: { accept_risk: true, device_name } };
}
