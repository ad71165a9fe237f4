// The real bridge with the real library, as a process of its own under the permissions that the gateway gives it, connected
// to the server of `wa-server.ts`. The test plays the session: it stores what the bridge wants stored.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { BridgeContent, FromBridge, Manners, ToBridge } from "#gateways/whatsapp/linked/protocol.ts";
import type { Child } from "#runtime/children/child-process.ts";
import { SharedChildren } from "#runtime/children/shared-children.ts";
import { systemClock } from "#runtime/clock.ts";
import { notInstalled, WaServer } from "./wa-server.ts";

const defaultManners: Manners = { checkNumber: true, typing: false, markRead: false };
export const bridgeFolder = new URL("../../../../bridge/whatsapp/", import.meta.url);

/** A module that runs the bridge against this server. */
export function bridgeModule({ url, rootKey }: Pick<WaServer, "url" | "rootKey">): {
  module: URL;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), "bridge-"));
  const file = join(folder, "main.mjs");
  writeFileSync(
    file,
    `import ${JSON.stringify(new URL("quiet.ts", bridgeFolder).href)};
     import { runBridge } from ${JSON.stringify(new URL("bridge.ts", bridgeFolder).href)};
     const rootKey = Buffer.from(${JSON.stringify(Buffer.from(rootKey).toString("hex"))}, "hex");
     runBridge({ verification: "strict", server: { url: ${JSON.stringify(url)}, rootKey } });`,
  );
  return { module: pathToFileURL(file), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

type Of<Type extends FromBridge["type"]> = FromBridge & { type: Type };

/** A device over a bridge of its own. `values` outlive the bridge, as the database does. */
/** `only`: the server that the bridge may connect to. */
interface Connecting {
  folders?: URL[];
  proxy?: string | null;
  only?: string | null;
  manners?: Partial<Manners>;
}

export class BridgedDevice {
  readonly heard: FromBridge[] = [];
  readonly values: Map<string, string>;
  readonly child: Child;
  /** `false`: nothing can be stored. */
  storing = true;
  /** The bridge is killed once a change of these keys is stored, before it knows. */
  dyingAt: (keys: string[]) => boolean = () => false;
  readonly #listeners = new Set<() => void>();
  #numbers = 0;

  constructor(
    module: URL,
    values: Map<string, string> = new Map(),
    { folders = [bridgeFolder], proxy = null, only = null, manners = {} }: Connecting = {},
  ) {
    this.values = values;
    const permissions = { network: "all" as const, only, read: [...folders, module], write: [] };
    this.child = new SharedChildren(systemClock()).open(module, { permissions, maxChannels: 20 });
    this.child.onMessage((message) => this.#hear(message as FromBridge));
    this.tell({
      type: "open",
      values: [...values],
      deviceName: "Test",
      proxy,
      version: null,
      manners: { ...defaultManners, ...manners },
    });
  }

  tell(message: ToBridge): void {
    this.child.send(message);
  }

  /** The next message of this type that was not asked for before. */
  async next<Type extends FromBridge["type"]>(type: Type): Promise<Of<Type>> {
    for (;;) {
      const at = this.heard.findIndex((message) => message.type === type);
      if (at >= 0) return this.heard.splice(at, 1)[0] as Of<Type>;
      await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  async send(number: string, text: string, timeoutMs = 5_000): Promise<Of<"sent">["result"]> {
    return await this.sendContent(number, { kind: "text", text }, timeoutMs);
  }

  async sendContent(
    number: string,
    content: BridgeContent,
    timeoutMs = 5_000,
  ): Promise<Of<"sent">["result"]> {
    this.#numbers += 1;
    const n = this.#numbers;
    const id = `3EB0${String(n).padStart(18, "0")}`;
    this.tell({ type: "send", n, id, messageId: `msg_${n}`, number, content, timeoutMs });
    for (;;) {
      const sent = await this.next("sent");
      if (sent.n === n) return sent.result;
    }
  }

  async link(server: WaServer): Promise<void> {
    await this.next("opened");
    this.tell({ type: "connect", pair: { method: "qr" } });
    const { text } = await this.next("qr");
    server.scan(text);
    await this.next("connected");
  }

  /** Connects the link that is stored. */
  async resume(): Promise<void> {
    await this.next("opened");
    this.tell({ type: "connect", pair: null });
    await this.next("connected");
  }

  #hear(message: FromBridge): void {
    if (message.type === "save") {
      if (this.storing)
        for (const [key, value] of message.changes) {
          if (value === null) this.values.delete(key);
          else this.values.set(key, value);
        }
      if (this.dyingAt(message.changes.map(([key]) => key))) this.child.kill();
      else this.tell({ type: this.storing ? "stored" : "not_stored", n: message.n });
    }
    if (message.type === "receipt") this.tell({ type: "stored", n: message.n });
    this.heard.push(message);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}

export const ann = "4915112345678";

/** A server with one person, and devices of it over the real bridge. */
export async function open(context: { after(done: () => void | Promise<void>): void }) {
  const server = await WaServer.open();
  server.person(ann);
  const { module, remove } = bridgeModule(server);
  const devices: BridgedDevice[] = [];
  context.after(async () => {
    for (const { child } of devices) await child.stop();
    await server.close();
    remove();
  });
  const device = (
    ...more: [values?: Map<string, string>, ConstructorParameters<typeof BridgedDevice>[2]?]
  ) => {
    const opened = new BridgedDevice(module, ...more);
    devices.push(opened);
    return opened;
  };
  return { server, device };
}

/** A test that is skipped where the library is not installed. */
export const real = (name: string, run: (tools: Awaited<ReturnType<typeof open>>) => Promise<void>) =>
  test(name, { skip: notInstalled, timeout: 60_000 }, async (context) => await run(await open(context)));

export const number = `+${ann}`;
export const acked = { kind: "acked", error: null };
