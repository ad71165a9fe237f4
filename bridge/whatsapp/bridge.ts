// The bridge process: the devices of one Trunkline process, each over a channel of its own.

import type { Agent } from "node:http";
import type { FromBridge, ToBridge } from "../../src/gateways/whatsapp/linked/protocol.ts";
import { Device } from "./device.ts";
import { type Loaded, loadLibrary, type Verification } from "./library.ts";
import { agentFor, proxiedFetch } from "./proxy.ts";

interface BridgeOptions {
  verification: Verification;
  /** For tests: a server of our own, and the key that signs its certificate. */
  server?: { url: string; rootKey: Buffer };
}

export function runBridge({ verification, server }: BridgeOptions): void {
  const devices = new Map<number, Device>();
  const loading: Promise<Loaded> = loadLibrary(verification).then((loaded) => {
    if (server !== undefined && loaded.kind === "loaded")
      loaded.library.WA_CERT_DETAILS.PUBLIC_KEY = server.rootKey;
    return loaded;
  });
  // The library does not handle all promises; an exception in a callback may leave it in any state.
  process.on("unhandledRejection", () => {});
  process.on("uncaughtException", () => process.exit(70));
  process.on("disconnect", () => process.exit(0));
  process.on("message", (value: { channel: number; message?: ToBridge; closed?: boolean }) => {
    const { channel, message } = value;
    if (message?.type === "open") void open(channel, message);
    else if (message !== undefined) devices.get(channel)?.take(message);
    else {
      devices.get(channel)?.dispose();
      devices.delete(channel);
    }
  });

  async function open(channel: number, message: ToBridge & { type: "open" }): Promise<void> {
    const post = (answer: FromBridge) => void process.send?.({ channel, message: answer });
    const loaded = await loading;
    if (loaded.kind === "failed") return post({ type: "failed", why: loaded.why, reason: loaded.reason });
    const { library, version } = loaded;
    let agent: Agent | null = null;
    try {
      agent = message.proxy === null ? null : await agentFor(message.proxy);
    } catch {
      const reason = "The library for proxies is not installed.";
      return post({ type: "failed", why: "not_installed", reason });
    }
    if (agent !== null) globalThis.fetch = proxiedFetch;
    const device = new Device(library, message, post, { url: server?.url ?? null, agent });
    devices.set(channel, device);
    device.start(`baileys ${version}`);
  }
}
