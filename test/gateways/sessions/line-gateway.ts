// A gateway for tests alone, in the two forms that a session can have: a socket of this process, and a process of its own.
// It is as short as a session can be, so it also shows what one has to do.

import { z } from "zod";
import { defineGateway, type GatewayAdapter } from "#gateways/gateway.ts";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { type GatewaySession, type SessionHost, SessionLost } from "#gateways/session.ts";
import { secret } from "#settings/secrets.ts";

const settings = z.strictObject({
  host: z.string().describe("The peer's host."),
  port: z.int().describe("The peer's port."),
  password: secret().describe("What the peer asks for."),
});
type Settings = z.output<typeof settings>;

interface Wire {
  write(line: object): void;
  close(): void;
}

/** `null`: no connection came about. `onClosed` is called once, with the reason. */
type Connect = (
  target: Settings,
  host: SessionHost,
  events: { onLine(line: string): void; onClosed(reason: string): void },
) => Promise<Wire | null>;

class LineSession implements GatewaySession {
  readonly #host: SessionHost;
  readonly #waiting = new Map<string, (outcome: Outcome) => void>();
  #wire: Wire | null = null;
  #linked = true;
  #loggedOut: () => void = () => {};
  /** Lines are handled one after the other, because storing takes time. */
  #handled: Promise<void> = Promise.resolve();

  constructor(host: SessionHost) {
    this.#host = host;
  }

  async connect(target: Settings, connect: Connect): Promise<void> {
    const host = this.#host;
    const values = await host.state.load();
    this.#wire = await connect(target, host, {
      onLine: (line) => {
        this.#handled = this.#handled.then(() => this.#take(JSON.parse(line)));
      },
      onClosed: (reason) => {
        if (this.#linked) host.fail(reason);
      },
    });
    if (this.#wire === null) return host.fail("The peer could not be reached.");
    this.#wire.write({ hello: target.password, key: values.get("key") ?? null });
  }

  async send(message: OutgoingMessage<"text">): Promise<Outcome> {
    const wire = this.#wire;
    if (wire === null) return { kind: "deferred", reason: "Not connected.", gatewayFault: "unreachable" };
    wire.write({ submit: message.id, text: message.content.text });
    return await new Promise((resolve) => this.#waiting.set(message.id, resolve));
  }

  async close(): Promise<void> {
    this.#wire?.close();
  }

  async logOut(): Promise<boolean> {
    const loggedOut = new Promise<void>((resolve) => {
      this.#loggedOut = resolve;
    });
    this.#wire?.write({ logOut: true });
    await loggedOut;
    return true;
  }

  async #take(line: Record<string, unknown>): Promise<void> {
    const host = this.#host;
    try {
      if ("key" in line) {
        await host.state.save(new Map([["key", String(line.key)]]));
        this.#wire?.write({ saved: line.key });
      } else if ("ready" in line) host.status({ kind: "connected" });
      else if ("refused" in line) host.fail(`The peer refused: ${line.refused}`);
      else if ("taken" in line) {
        this.#waiting.get(String(line.taken))?.({ kind: "accepted", reference: String(line.reference) });
        this.#waiting.delete(String(line.taken));
      } else if ("receipt" in line) {
        await host.report({ receipts: [{ reference: String(line.receipt), status: "delivered" }] });
        this.#wire?.write({ stored: line.receipt });
      } else if ("ended" in line) {
        this.#endLink(String(line.ended));
        await host.state.save(new Map([["key", null]]));
      } else if ("loggedOut" in line) {
        this.#endLink("It was logged out here.");
        await host.state.save(new Map([["key", null]]));
        this.#loggedOut();
      }
    } catch (error) {
      // The session is being closed, or another process owns the lane.
      if (!(error instanceof SessionLost)) throw error;
    }
  }

  #endLink(reason: string): void {
    this.#linked = false;
    this.#host.status({ kind: "logged_out", reason });
  }
}

const bySocket: Connect = async ({ host, port }, { outbound, timeoutMs, signal }, { onLine, onClosed }) => {
  const dialled = await outbound.dial({ host, port, timeoutMs, signal });
  if (dialled.kind === "not_sent") return null;
  const { socket } = dialled;
  let rest = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  socket.on("error", () => {});
  socket.on("close", () => onClosed("The connection was lost."));
  return { write: (line) => void socket.write(`${JSON.stringify(line)}\n`), close: () => socket.destroy() };
};

const byProcess: Connect = async ({ host, port }, { child }, { onLine, onClosed }) => {
  const bridge = child(new URL("./line-child.ts", import.meta.url));
  bridge.onMessage((line) => onLine(String(line)));
  void bridge.ended.then(onClosed);
  bridge.send({ host, port });
  return {
    write: (line) => bridge.send({ line: JSON.stringify(line) }),
    close: () => void bridge.stop(),
  };
};

const lineGateway = (kind: string, connection: "held" | "linked", connect: Connect): GatewayAdapter =>
  defineGateway({
    kind,
    channels: ["sms"],
    contents: ["text"],
    title: "Lines",
    summary: "Lines over TCP, for tests.",
    settings,
    connection,
    open: async (own, host) => {
      const session = new LineSession(host);
      void session.connect(own, connect).catch((error) => {
        if (!(error instanceof SessionLost)) host.fail("The session has a fault.");
      });
      return session;
    },
  });

export const lineSocket = lineGateway("line-socket", "held", bySocket);
export const lineProcess = lineGateway("line-process", "linked", byProcess);
