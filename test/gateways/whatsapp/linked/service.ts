// The service with a bridge that connects to the WhatsApp server of a test: `WA_BRIDGE` is the module that the bridge runs.
// SIGUSR2 kills the bridge as `kill -9` does.

import type { GatewayAdapter } from "#gateways/gateway.ts";
import { adapters } from "#gateways/registry.ts";
import type { SessionChild, SessionHost } from "#gateways/session.ts";
import { whatsappLinkedWith } from "#gateways/whatsapp/linked/linked.ts";
import { bridgeFolder } from "./real-bridge.ts";

const module = new URL(process.env.WA_BRIDGE ?? "");
const adapter = whatsappLinkedWith({ module: () => module, folder: bridgeFolder, network: "all" });
if (adapter.connection !== "linked") throw new Error("The kind links no device.");
let bridge: SessionChild | null = null;
process.on("SIGUSR2", () => bridge?.kill());
const watched: GatewayAdapter = {
  ...adapter,
  open: (settings: unknown, host: SessionHost) =>
    adapter.open(settings, {
      ...host,
      child: (...started) => {
        bridge = host.child(...started);
        return bridge;
      },
    }),
};
const registry = adapters as GatewayAdapter[];
registry.splice(
  registry.findIndex(({ kind }) => kind === adapter.kind),
  1,
  watched,
);
await import("../../../../src/main.ts");
