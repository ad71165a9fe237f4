// A system that listens on loopback, and the TypeScript client of its account.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createTrunkline, type Trunkline } from "../../clients/typescript/src/client.ts";
import type { ClientOptions } from "../../clients/typescript/src/request.ts";
import { type Harness, type HarnessOptions, harness } from "../harness.ts";

export interface Listening {
  it: Harness;
  account: { id: string; key: string };
  url: string;
  /** A client of the account. Its pauses move the system's clock instead of waiting. */
  client(options?: Partial<ClientOptions>): Trunkline;
}

/** A system with a sandbox for each channel; it is closed after the test. */
export async function listening(
  context: { after(done: () => Promise<void>): void },
  options: HarnessOptions & { account?: Parameters<Harness["account"]>[0] } = {},
): Promise<Listening> {
  const it = await harness(options);
  context.after(() => it.close());
  const account = await it.account(options.account);
  for (const channel of ["sms", "whatsapp", "email"] as const)
    await it.gateway({ identifier: `${channel}-main`, channel, default: true });
  await it.system.app.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(it.system.app.server.address() as AddressInfo).port}`;
  const client = (more: Partial<ClientOptions> = {}) =>
    createTrunkline({ url, apiKey: account.key, wait: (ms) => it.advance(ms), ...more });
  return { it, account, url, client };
}

export interface Relay {
  url: string;
  /** How many connections came. */
  connections(): number;
}

/** Passes connections on, and cuts the first `cut` of them when their answer comes, so that the client does not get it. */
export async function cuttingRelay(
  context: { after(done: () => void): void },
  url: string,
  cut: number,
): Promise<Relay> {
  let count = 0;
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {}).once("close", () => open.delete(socket));
  };
  const relay = createServer((client) => {
    count += 1;
    const isCut = count <= cut;
    const target = connect(Number(new URL(url).port), "127.0.0.1");
    keep(client);
    keep(target);
    client.pipe(target);
    target.on("data", (bytes) => {
      if (isCut) client.destroy();
      else client.write(bytes);
    });
    target.once("close", () => client.end());
    client.once("close", () => target.destroy());
  }).listen(0, "127.0.0.1");
  await once(relay, "listening");
  context.after(() => {
    relay.close();
    for (const socket of open) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    connections: () => count,
  };
}
