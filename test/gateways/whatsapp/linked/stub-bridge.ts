// A bridge for tests alone: the real protocol towards its parent, and JSON lines towards the peer of `line-peer.ts`, whose
// port is in the device's name. What the peer cannot say, a test says through it: `{ "tell": … }` is passed on as it is.

import { connect, type Socket } from "node:net";
import type { FromBridge, ToBridge } from "#gateways/whatsapp/linked/protocol.ts";
import { password } from "../../sessions/line-password.ts";

const identity = { number: "+4915100000000", name: "Shop", platform: "android" };

class Stub {
  readonly #post: (message: FromBridge) => void;
  readonly #port: number;
  readonly #answers = new Map<number, () => void>();
  readonly #sends = new Map<string, number>();
  readonly #ids = new Map<string, string>();
  #key: string | null;
  #socket: Socket | null = null;
  #count = 0;

  constructor(open: ToBridge & { type: "open" }, post: (message: FromBridge) => void) {
    this.#post = post;
    this.#port = Number(open.deviceName.replace(/\D/g, ""));
    this.#key = new Map(open.values).get("creds") ?? null;
    const isUnlinked = open.deviceName.startsWith("unlinked") && this.#key === null;
    post({ type: "opened", library: "stub 1", linked: isUnlinked ? null : identity });
  }

  take(message: ToBridge): void {
    switch (message.type) {
      case "connect":
        this.#connect(message.pair);
        break;
      case "stored":
        this.#answers.get(message.n)?.();
        break;
      case "send": {
        const { id, messageId, n, content } = message;
        this.#sends.set(messageId, n);
        this.#ids.set(messageId, id);
        const text = content.kind === "text" ? content.text : content.kind;
        this.#ask(
          (number) => ({ type: "save", n: number, changes: [[`sent:${id}`, "stored"]] }),
          () => this.#write({ submit: messageId, text }),
        );
        break;
      }
      case "log_out": {
        const ok = this.#socket !== null;
        this.#key = null;

        this.drop();
        this.#ask(
          (n) => ({ type: "save", n, changes: [["creds", null]] }),
          () => this.#post({ type: "done", n: message.n, ok }),
        );
        break;
      }
      case "close":
        this.drop();
        this.#post({ type: "done", n: message.n, ok: true });
        break;
    }
  }

  drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }

  #connect(pair: (ToBridge & { type: "connect" })["pair"]): void {
    this.drop();
    const socket = connect(this.#port, "127.0.0.1").setEncoding("utf8");
    this.#socket = socket;
    let rest = "";
    socket.on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#line(JSON.parse(line));
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket === socket) this.#ended(428);
    });
    if (pair === null) this.#write({ hello: password, key: this.#key });
    else this.#write({ pair });
  }

  #ended(code: number): void {
    this.drop();
    this.#post({ type: "disconnected", code, detail: null, forMs: null });
    for (const n of this.#sends.values()) this.#post({ type: "sent", n, result: { kind: "left" } });
    this.#sends.clear();
  }

  #write(line: object): void {
    this.#socket?.write(`${JSON.stringify(line)}\n`);
  }

  #ask(post: (n: number) => FromBridge, then: () => void): void {
    this.#count += 1;
    this.#answers.set(this.#count, then);
    this.#post(post(this.#count));
  }

  #line(line: Record<string, unknown>): void {
    if ("tell" in line) {
      const message = line.tell as FromBridge;
      if (message.type === "disconnected") this.drop();
      this.#post(message);
    }
    if ("paired" in line) {
      this.#ask(
        (n) => ({ type: "save", n, changes: [["creds", String(line.paired)]] }),
        () => {
          this.#key = String(line.paired);
          this.#post({ type: "connected", identity: { ...identity, number: String(line.number) } });
        },
      );
    } else if ("key" in line) {
      const key = String(line.key);
      this.#ask(
        (n) => ({ type: "save", n, changes: [["creds", key]] }),
        () => {
          this.#key = key;
          this.#write({ saved: key });
        },
      );
    } else if ("ready" in line) this.#post({ type: "connected", identity });
    else if ("refused" in line) this.#ended(503);
    else if ("taken" in line) {
      const messageId = String(line.taken);
      const n = this.#sends.get(messageId);
      this.#sends.delete(messageId);
      this.#ids.set(String(line.reference), this.#ids.get(messageId) ?? "");
      if (n !== undefined) this.#post({ type: "sent", n, result: { kind: "acked", error: null } });
    } else if ("receipt" in line) {
      const reference = String(line.receipt);
      const id = this.#ids.get(reference) ?? "";
      this.#ask(
        (n) => ({ type: "receipt", n, id, messageId: null, status: "delivered", code: null }),
        () => this.#write({ stored: reference }),
      );
    } else if ("ended" in line) this.#ended(401);
    else if ("crash" in line) process.abort();
  }
}

/** A process that a test plays dead does not end its children: one that hears nothing for so long ends itself. */
const maxSilentMs = 10_000;
let silence = setTimeout(() => process.exit(0), maxSilentMs);

const stubs = new Map<number, Stub>();
process.on("message", ({ channel, message }: { channel: number; message?: ToBridge }) => {
  clearTimeout(silence);
  silence = setTimeout(() => process.exit(0), maxSilentMs);
  const post = (answer: FromBridge) => void process.send?.({ channel, message: answer });
  if (message?.type === "open") stubs.set(channel, new Stub(message, post));
  else if (message !== undefined) stubs.get(channel)?.take(message);
  else stubs.get(channel)?.drop();
});
