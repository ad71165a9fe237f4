// A WhatsApp account whose phone links Trunkline as a device, as it does WhatsApp Web. WhatsApp has no API for that and forbids unofficial
// clients. The library that implements the protocol runs in a process of its own (`bridge/whatsapp`).

import { existsSync } from "node:fs";
import { defineGateway, type GatewayAdapter } from "#gateways/gateway.ts";
import type { ChildNetwork, ChildPermissions } from "#runtime/children/child-process.ts";
import { proxyServer } from "#runtime/net/proxy.ts";
import { installation } from "#runtime/program.ts";
import { hostUrl } from "#settings/url.ts";
import { maxCaptionChars, maxTextChars } from "./outgoing.ts";
import { linkedFileMs, openLinkedFile, whatsappFiles } from "./received-file.ts";
import { installIt, LinkedSession } from "./session.ts";
import { SessionStore } from "./session-store.ts";
import { type LinkedSettings, linkedSettings } from "./settings.ts";

/** The module that the bridge process runs, for settings; and the folder of its files. */
interface Bridge {
  module(settings: LinkedSettings): URL;
  folder: URL;
  /** Default: `outside`. */
  network?: ChildNetwork;
  /** Why the library cannot be used, and what to do; null if it is installed. Default: it is. */
  notInstalled?(): string | null;
  /** Origin of the server of files; default: WhatsApp's. */
  files?: string;
}

/** Devices of one bridge process, at most. */
const maxDevices = 20;

const folder = new URL("bridge/whatsapp/", installation);
/** The package contains JavaScript, since Node strips no types in `node_modules`. */
const bridgeModule = (name: string) => {
  const source = new URL(`${name}.ts`, folder);
  return existsSync(source) ? source : new URL(`${name}.js`, folder);
};
const installed: Bridge = {
  notInstalled: () =>
    existsSync(new URL("node_modules/baileys/package.json", folder))
      ? null
      : `The WhatsApp library is not installed. ${installIt}`,
  module: ({ verification }) => bridgeModule(verification === "strict" ? "main" : "main-library"),
  folder,
};

/** The permissions of the bridge: its library processes input from unknown people. */
export const bridgePermissions = (bridge: Bridge, settings: LinkedSettings): ChildPermissions => ({
  network: bridge.network ?? "outside",
  only: settings.proxy === null ? null : serverOf(settings.proxy),
  read: [bridge.folder, bridge.module(settings)],
  write: [],
});

function serverOf(proxy: string): string {
  const { host, port } = proxyServer(new URL(proxy));
  return `${host}:${port}`;
}

export const whatsappLinkedWith = (bridge: Bridge): GatewayAdapter =>
  defineGateway({
    kind: "whatsapp-linked",
    channels: ["whatsapp"],
    contents: ["text", "list", "media"],
    title: "WhatsApp, linked device",
    summary:
      "WhatsApp through a phone that links Trunkline as a device, by QR code. WhatsApp forbids it and may ban the number.",
    settings: linkedSettings,
    takesIds: ["lid"],
    maxChars: { text: maxTextChars, caption: maxCaptionChars },
    // Numbers that send like a machine are banned. The library sends messages one after the other anyway.
    defaultPace: { perSecond: 0.15, jitterMs: 8_000, perDay: 200, maxConcurrency: 1 },
    urls: ({ proxy }) => {
      if (proxy === null) return [];
      const { host, port } = proxyServer(new URL(proxy));
      return [hostUrl(host, port)];
    },
    files: {
      keptMs: linkedFileMs,
      open: (file, { proxy }, tools) =>
        openLinkedFile(file, { origin: bridge.files ?? whatsappFiles, proxy }, tools),
    },
    notInstalled: () => bridge.notInstalled?.() ?? null,
    connection: "linked",
    open: async (settings, host) => {
      const values = await host.state.load();
      const permissions = bridgePermissions(bridge, settings);
      const isNeeded = host.linkRequest !== null || [...values.keys()].some((key) => !SessionStore.owns(key));
      return new LinkedSession(
        settings,
        host,
        isNeeded ? host.child(bridge.module(settings), { permissions, maxSessions: maxDevices }) : null,
        values,
        bridge.files ?? null,
      );
    },
  });

export const whatsappLinked = whatsappLinkedWith(installed);
