// One linked device: its connection to WhatsApp, and the path of a message over it. Keys are stored before the frame that uses them is
// sent, a message counts as sent when WhatsApp's server has answered it, and a person's message is stored together with the keys that
// decrypted it.

import type { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { FromBridge, SendResult, ToBridge } from "../../src/gateways/whatsapp/linked/protocol.ts";
import { markRead, showTyping } from "./chats.ts";
import { Decryption } from "./decryption.ts";
import { type Frame, markFrames, withFrame } from "./frames.ts";
import { DeviceValues } from "./keys.ts";
import {
  type ConnectionUpdate,
  type Credentials,
  type Library,
  type Node,
  type Socket,
  silent,
} from "./library.ts";
import { messageOf } from "./outgoing.ts";
import { Polls } from "./polls.ts";
import { isThrottled, Recipients } from "./recipients.ts";
import { SentMessages } from "./sent-messages.ts";
import { ParentStorage, type ReportedStatus, receiptStatus } from "./storage.ts";

type Pair = (ToBridge & { type: "connect" })["pair"];
type Send = ToBridge & { type: "send" };

/** The library's first QR code is valid longer than those that follow. */
const firstQrMs = 60_000;
const nextQrMs = 20_000;
const pairingCodeMs = 180_000;
/** Silence after which the connection is tested, and how long the test may take, ms. */
const testAfterMs = 10_000;
const testMs = 10_000;
const limitsMs = 6 * 3_600_000;
const dayMs = 86_400_000;
const restartRequired = 515;

/** `url`: that of a test's server; null for WhatsApp's. `agent`: for a proxy; null for none. */
interface Server {
  url: string | null;
  agent: Agent | null;
}

export class Device {
  readonly #library: Library;
  readonly #post: (message: FromBridge) => void;
  readonly #open: ToBridge & { type: "open" };
  readonly #server: Server;
  readonly #values: DeviceValues;
  readonly #storage: ParentStorage;
  readonly #sent: SentMessages;
  readonly #polls: Polls;
  readonly #recipients: Recipients;
  readonly #decryption: Decryption;
  /** Messages whose frame is on its way, by their id. */
  readonly #waiting = new Map<string, (result: SendResult) => void>();
  #socket: Socket | null = null;
  #isOpen = false;
  #saving: Promise<void> = Promise.resolve();
  #typing: Promise<void> = Promise.resolve();
  #limitsTimer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(
    library: Library,
    open: ToBridge & { type: "open" },
    post: (message: FromBridge) => void,
    server: Server,
  ) {
    this.#library = library;
    this.#open = open;
    this.#post = post;
    this.#server = server;
    // After changes that were not stored, the library would send to the other devices without them.
    this.#storage = new ParentStorage(post, () => this.#socket?.ws.socket?.terminate());
    this.#values = new DeviceValues(library, open.values, (changes) => this.#storage.save(changes));
    this.#sent = new SentMessages(library, this.#values);
    this.#polls = new Polls(library, this.#values);
    this.#recipients = new Recipients(library, this.#values, open.manners.checkNumber);
    this.#decryption = new Decryption(library, this.#values, this.#polls, (key) => this.#announce(key));
  }

  start(library: string): void {
    this.#post({ type: "opened", library, linked: this.#identity() });
    for (const key of this.#values.keys("inbox:")) this.#announce(key);
  }

  take(message: ToBridge): void {
    switch (message.type) {
      case "connect":
        void this.#connect(message.pair).catch(() => this.#ended(null));
        break;
      case "stored":
      case "not_stored":
        this.#storage.settle(message.n, message.type === "stored");
        break;
      case "send":
        void this.#send(message)
          .catch((): SendResult => ({ kind: "left" }))
          .then((result) => this.#post({ type: "sent", n: message.n, result }));
        break;
      case "taken":
        this.#taken(message.key);
        break;
      case "uploads":
        void this.#uploads(message.n);
        break;
      case "log_out":
        void this.#logOut(message.n);
        break;
      case "close": {
        const { n } = message;
        void this.#saving
          .catch(() => {})
          .then(() => this.#disconnect())
          .then(() => this.#post({ type: "done", n, ok: true }));
        break;
      }
    }
  }

  dispose(): void {
    this.#disposed = true;
    void this.#disconnect();
    this.#storage.close();
  }

  #identity(): { number: string; name: string | null; platform: string | null } | null {
    const { credentials } = this.#values;
    if (credentials?.me === undefined || credentials.account === undefined) return null;
    const { id, name } = credentials.me;
    const number = `+${this.#library.jidDecode(id)?.user ?? ""}`;
    return { number, name: name ?? null, platform: credentials.platform ?? null };
  }

  async #connect(pair: Pair): Promise<void> {
    await this.#disconnect();
    const credentials = pair === null ? this.#values.credentials : await this.#values.restart();
    if (credentials === null) return this.#ended(null);
    this.#startSocket(credentials, pair);
  }

  #startSocket(credentials: Credentials, pair: Pair): void {
    const { default: makeSocket, DEFAULT_CONNECTION_CONFIG, proto } = this.#library;
    const { deviceName, version } = this.#open;
    const { url, agent } = this.#server;
    const socket = makeSocket({
      auth: { creds: credentials, keys: this.#values },
      version: version ?? DEFAULT_CONNECTION_CONFIG.version,
      browser: [deviceName, "Chrome", "14.4.1"],
      ...(url === null ? {} : { waWebSocketUrl: url }),
      // The options that the library passes to its downloads.
      ...(agent === null ? {} : { agent, options: { dispatcher: agent } }),
      logger: silent,
      markOnlineOnConnect: false,
      syncFullHistory: false,
      shouldSyncHistoryMessage: ({ syncType }: { syncType: number }) =>
        syncType === proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
      emitOwnEvents: false,
      generateHighQualityLinkPreview: false,
      connectTimeoutMs: 20_000,
      keepAliveIntervalMs: 15_000,
      defaultQueryTimeoutMs: 20_000,
      maxMsgRetryCount: 5,
      getMessage: async (key: { id?: string }) => this.#sent.decoded(key.id ?? ""),
      userDevicesCache: this.#recipients.devicesCache(),
      makeSignalRepository: (auth: { creds: Credentials }, _: unknown, lids: unknown) =>
        this.#decryption.repository(auth.creds, lids),
    });
    this.#socket = socket;
    markFrames(socket);
    let qrCodes = 0;
    socket.ev.on("creds.update", () => {
      this.#saving = this.#saving.catch(() => {}).then(() => this.#values.saveCredentials());
      this.#saving.catch(() => {});
    });
    socket.ev.on("connection.update", (update) => {
      if (this.#socket !== socket) return;
      if (update.qr !== undefined && pair !== null) {
        qrCodes += 1;
        if (pair.method === "qr")
          this.#post({ type: "qr", text: update.qr, forMs: qrCodes === 1 ? firstQrMs : nextQrMs });
        else if (qrCodes === 1) void this.#askForCode(socket, pair.number);
      }
      if (update.connection === "open") void this.#opened(socket);
      if (update.reachoutTimeLock !== undefined) this.#tellLimits(update.reachoutTimeLock);
      if (update.connection === "close") void this.#closed(credentials, update);
    });
    this.#decryption.watch(socket);
    socket.ws.on("CB:ack,class:message", (node) => this.#acked(node));
    this.#holdReceipts(socket);
  }

  /** The library acknowledges a receipt at once, so it receives it only when the parent has stored it. */
  #holdReceipts({ ws }: Socket): void {
    const emit = ws.emit.bind(ws);
    ws.emit = (event, ...values) => {
      if (event !== "CB:receipt") return emit(event, ...values);
      const [node] = values as [Node];
      this.#storeReceipt(node).then(
        () => emit(event, node),
        () => {},
      );
      return true;
    };
  }

  async #storeReceipt({ attrs, content }: Node): Promise<void> {
    const status = receiptStatus(attrs.type);
    const sender = this.#library.jidDecode(attrs.from);
    if (status === null || attrs.recipient !== undefined || this.#values.isOwn(sender?.user)) return;
    const list = Array.isArray(content) ? content : [];
    const items = list.flatMap((child) => (Array.isArray(child.content) ? child.content : []));
    const ids = [attrs.id, ...items.map((item) => item.attrs.id)].filter((id) => id !== undefined);
    for (const id of ids) {
      this.#waiting.get(id)?.({ kind: "acked", error: null });
      await this.#report(id, status, null);
      if (status === "delivered") await this.#sent.drop(id);
    }
  }

  /** Resolves when the parent has stored the report. */
  async #report(id: string, status: ReportedStatus, code: string | null): Promise<void> {
    await this.#storage.report(id, this.#sent.find(id)?.messageId ?? null, status, code);
  }

  #announce(key: string): void {
    const text = this.#values.value(key);
    if (text !== undefined) this.#post({ type: "received", key, facts: JSON.parse(text) });
  }

  /** A received message is stored. */
  #taken(key: string): void {
    const facts = this.#values.value(key);
    this.#values.drop(key);
    if (facts !== undefined && this.#open.manners.markRead && this.#socket !== null)
      void markRead(this.#socket, facts);
  }

  async #askForCode(socket: Socket, number: string): Promise<void> {
    try {
      const code = await socket.requestPairingCode(number.replace(/\D/g, ""));
      this.#post({ type: "code", text: `${code.slice(0, 4)}-${code.slice(4)}`, forMs: pairingCodeMs });
    } catch {
      socket.ws.socket?.terminate();
    }
  }

  async #opened(socket: Socket): Promise<void> {
    await this.#saving.catch(() => {});
    const identity = this.#identity();
    if (this.#socket !== socket || identity === null) return;
    this.#isOpen = true;
    this.#post({ type: "connected", identity });
    // Repeatedly: a device may be connected for months.
    const sweepAndAskForLimits = () => {
      void Promise.all([this.#sent.sweep(), this.#polls.sweep()]).catch(() => {});
      void socket.fetchAccountReachoutTimelock().catch(() => {});
    };
    clearInterval(this.#limitsTimer);
    this.#limitsTimer = setInterval(sweepAndAskForLimits, limitsMs);
    this.#limitsTimer.unref();
    sweepAndAskForLimits();
  }

  #tellLimits({ isActive, timeEnforcementEnds }: NonNullable<ConnectionUpdate["reachoutTimeLock"]>): void {
    const untilMs = isActive ? (timeEnforcementEnds?.getTime() ?? Date.now() + dayMs) : null;
    this.#post({ type: "limits", untilMs });
  }

  async #closed(credentials: Credentials, { lastDisconnect }: ConnectionUpdate): Promise<void> {
    this.#isOpen = false;
    this.#socket = null;
    clearInterval(this.#limitsTimer);
    const code = lastDisconnect?.error?.output?.statusCode ?? null;
    if (code === restartRequired && !this.#disposed) {
      // After pairing, and occasionally later: the server requests a new connection.
      await this.#saving.catch(() => {});
      if (!this.#disposed && this.#socket === null) return this.#startSocket(credentials, null);
    }
    this.#ended(code, lastDisconnect?.error?.data);
  }

  #ended(code: number | null, data?: unknown): void {
    const { code: detail, expire } = (data ?? {}) as { code?: unknown; expire?: unknown };
    const forMs = Number(expire) * 1_000;
    this.#post({
      type: "disconnected",
      code,
      detail: typeof detail === "string" ? detail.slice(0, 100) : null,
      forMs: Number.isFinite(forMs) ? forMs : null,
    });
    for (const lose of [...this.#waiting.values()]) lose({ kind: "left" });
  }

  async #disconnect(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    clearInterval(this.#limitsTimer);
    if (socket === null) return;
    // The library waits for the other side to close the connection, which never happens on a dead one.
    setTimeout(() => socket.ws.socket?.terminate(), 1_000).unref();
    await socket.end(undefined).catch(() => {});
    for (const lose of [...this.#waiting.values()]) lose({ kind: "left" });
  }

  async #logOut(n: number): Promise<void> {
    const socket = this.#isOpen ? this.#socket : null;
    this.#socket = null;
    this.#isOpen = false;
    let ok = false;
    if (socket !== null) {
      setTimeout(() => socket.ws.socket?.terminate(), 1_000).unref();
      ok = await socket.logout().then(
        () => true,
        () => false,
      );
    }
    await this.#values.forget().catch(() => {});
    this.#post({ type: "done", n, ok });
  }

  async #send(message: Send): Promise<SendResult> {
    const socket = this.#isOpen ? this.#socket : null;
    if (socket === null) return notSent("closed");
    const found = await this.#recipients.find(socket, message.number);
    if (found.kind !== "found") return notSent(found.kind);
    const { content } = message;
    if (this.#open.manners.typing && content.kind === "text") {
      // One after the other, so that a short text does not overtake a long one.
      this.#typing = this.#typing.then(() => showTyping(socket, found.jid, content.text));
      await this.#typing;
    }
    const frame: Frame = { encrypted: false, left: false };
    const answered = new Promise<SendResult>((resolve) => this.#waiting.set(message.id, resolve));
    try {
      await withFrame(frame, () => this.#relay(socket, found.jid, message));
    } catch (error) {
      if (!frame.left) {
        this.#waiting.delete(message.id);
        const isClosed = this.#socket !== socket || !this.#isOpen;
        return notSent(isClosed ? "closed" : isThrottled(error) ? "throttled" : "failed");
      }
    }
    const over = new AbortController();
    const result = await Promise.race([answered, this.#silence(socket, message.timeoutMs, over.signal)]);
    over.abort();
    this.#waiting.delete(message.id);
    if (result.kind === "acked" && result.error === "479") this.#recipients.forgetDevices();
    return this.#recipients.named(result, found.jid, message.number);
  }

  /** Resolves if no answer came in time; meanwhile a silent connection is tested, and closed if it is dead. */
  async #silence(socket: Socket, timeoutMs: number, over: AbortSignal): Promise<SendResult> {
    const startedAt = Date.now();
    await pause(Math.min(testAfterMs, timeoutMs), over);
    if (!over.aborted && this.#socket === socket) {
      const content = [{ tag: "ping", attrs: {} }];
      const attrs = { to: "s.whatsapp.net", type: "get", xmlns: "w:p" };
      const answer = await socket
        .query({ tag: "iq", attrs, content }, Math.min(testMs, timeoutMs))
        .catch(() => undefined);
      if (answer === undefined && !over.aborted) socket.ws.socket?.terminate();
    }
    await pause(Math.max(0, timeoutMs - (Date.now() - startedAt)), over);
    return { kind: "left" };
  }

  async #relay(socket: Socket, jid: string, { id, messageId, content }: Send): Promise<void> {
    const userJid = this.#values.credentials?.me?.id;
    const message = await messageOf(this.#library, this.#polls, content, { messageId: id, jid, userJid });
    await this.#sent.keep(id, messageId, message);
    await socket.relayMessage(jid, message, { messageId: id });
  }

  /** Posts the access for uploading a file; `hosts` is empty while the device is not connected. */
  async #uploads(n: number): Promise<void> {
    const socket = this.#isOpen ? this.#socket : null;
    const access = await socket?.refreshMediaConn(false).catch(() => undefined);
    const hosts = access?.hosts.map(({ hostname }) => hostname).slice(0, 10) ?? [];
    this.#post({ type: "upload_access", n, auth: access?.auth ?? null, hosts });
  }

  #acked({ attrs: { id = "", error } }: Node): void {
    const refusal = error?.slice(0, 20) ?? null;
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) waiting({ kind: "acked", error: refusal });
    // A late answer settles the message as a report does.
    else if (this.#sent.find(id) !== null)
      void this.#report(id, refusal === null ? "sent" : "failed", refusal).catch(() => {});
  }
}

const notSent = (why: (SendResult & { kind: "not_sent" })["why"]): SendResult => ({ kind: "not_sent", why });

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {});
