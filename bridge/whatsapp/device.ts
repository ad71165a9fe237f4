// One linked device: its connection to WhatsApp, and the way of a message over it. Keys are stored before the frame that
// uses them leaves, a message counts as sent when WhatsApp's server has answered it, and what a person wrote is stored
// together with the keys that decrypted it.

import { AsyncLocalStorage } from "node:async_hooks";
import type {
  BridgeContent,
  FromBridge,
  ReceivedFacts,
  SendResult,
  ToBridge,
} from "../../src/gateways/whatsapp/linked/protocol.ts";
import { alongside, type Changes, DeviceValues } from "./keys.ts";
import type { Bytes, ConnectionUpdate, Credentials, Library, Node, Socket } from "./library.ts";
import { contentOf } from "./received.ts";

type Pair = (ToBridge & { type: "connect" })["pair"];
type Send = ToBridge & { type: "send" };

/** Of the frame of one message: whether it was encrypted, and whether it left. */
interface Frame {
  encrypted: boolean;
  left: boolean;
}
const frames = new AsyncLocalStorage<Frame>();

const day = 86_400_000;
const knownMs = { yes: 30 * day, no: day };
/** How long a message that was sent is kept, in case a device asks for it once more. */
const keptMs = 7 * day;
/** The library's first code for the QR lives longer than those that follow. */
const firstQrMs = 60_000;
const nextQrMs = 20_000;
const pairingCodeMs = 180_000;
/** Silence after which the connection is tested, and how long the test may take, ms. */
const testAfterMs = 10_000;
const testMs = 10_000;
const limitsMs = 6 * 3_600_000;
const devicesMs = 3_600_000;
const commitMs = 30_000;
const restartRequired = 515;

/** The library's log may hold keys: nothing of it is kept. */
const silent = {
  level: "silent",
  child: () => silent,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
};

export class Device {
  readonly #library: Library;
  readonly #post: (message: FromBridge) => void;
  readonly #open: ToBridge & { type: "open" };
  /** Of a test's server; null: WhatsApp's. */
  readonly #url: string | null;
  readonly #values: DeviceValues;
  readonly #commits = new Map<number, { resolve(): void; reject(error: Error): void }>();
  /** Messages whose frame is on its way, by their id. */
  readonly #waiting = new Map<string, (result: SendResult) => void>();
  /** Stanzas whose content is being decrypted, by their ciphertext. */
  readonly #stanzas = new WeakMap<Bytes, Node>();
  readonly #devicesCache = new Map<string, { at: number; devices: unknown }>();
  #socket: Socket | null = null;
  #isOpen = false;
  #lastNumber = 0;
  #saving: Promise<void> = Promise.resolve();
  #limitsTimer: NodeJS.Timeout | undefined;
  #disposed = false;

  constructor(
    library: Library,
    open: ToBridge & { type: "open" },
    post: (message: FromBridge) => void,
    url: string | null,
  ) {
    this.#library = library;
    this.#open = open;
    this.#post = post;
    this.#url = url;
    this.#values = new DeviceValues(library, open.values, (changes) => this.#commit(changes));
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
      case "not_stored": {
        const waiting = this.#commits.get(message.n);
        this.#commits.delete(message.n);
        if (message.type === "stored") waiting?.resolve();
        else waiting?.reject(new Error("The parent stored nothing."));
        break;
      }
      case "send":
        void this.#send(message)
          .catch((): SendResult => ({ kind: "left" }))
          .then((result) => this.#post({ type: "sent", n: message.n, result }));
        break;
      case "taken":
        this.#values.drop(message.key);
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
    for (const { reject } of this.#commits.values()) reject(new Error("The device was closed."));
    this.#commits.clear();
  }

  /** Resolves when the parent has stored the changes. Nothing leaves after it could not. */
  async #commit(changes: Changes): Promise<void> {
    if (this.#disposed) throw new Error("The device was closed.");
    this.#lastNumber += 1;
    const n = this.#lastNumber;
    const stored = new Promise<void>((resolve, reject) => this.#commits.set(n, { resolve, reject }));
    const timer = setTimeout(
      () => this.#commits.get(n)?.reject(new Error("Storing took too long.")),
      commitMs,
    );
    this.#post({ type: "save", n, changes: changes.map(([key, value]) => [key, value]) });
    try {
      await stored;
    } catch (error) {
      // The library would send to the other devices without it.
      this.#socket?.ws.socket?.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#commits.delete(n);
    }
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
    const socket = makeSocket({
      auth: { creds: credentials, keys: this.#values },
      version: version ?? DEFAULT_CONNECTION_CONFIG.version,
      browser: [deviceName, "Chrome", "14.4.1"],
      ...(this.#url === null ? {} : { waWebSocketUrl: this.#url }),
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
      getMessage: async (key: { id?: string }) => this.#sentMessage(key.id ?? ""),
      userDevicesCache: this.#devices(),
      makeSignalRepository: (auth: { creds: Credentials }, _: unknown, lids: unknown) =>
        this.#signalRepository(auth.creds, lids),
    });
    this.#socket = socket;
    this.#markFrames(socket);
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
    socket.ws.prependListener("CB:message", (node) => {
      for (const child of Array.isArray(node.content) ? node.content : [])
        if (child.content instanceof Uint8Array) this.#stanzas.set(child.content, node);
    });
    socket.ws.on("CB:ack,class:message", (node) => this.#acked(node));
    this.#holdReceipts(socket);
  }

  /** The library acknowledges a receipt at once; it gets it when the parent has stored it. */
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
    if (status === null || attrs.recipient !== undefined || this.#isOurs(sender?.user)) return;
    const list = Array.isArray(content) ? content : [];
    const items = list.flatMap((child) => (Array.isArray(child.content) ? child.content : []));
    const ids = [attrs.id, ...items.map((item) => item.attrs.id)].filter((id) => id !== undefined);
    for (const id of ids) {
      this.#waiting.get(id)?.({ kind: "acked", error: null });
      await this.#report(id, status, null);
      if (status === "delivered" && this.#values.value(`sent:${id}`) !== undefined)
        await this.#values.write([[`sent:${id}`, null]]);
    }
  }

  /** Resolves when the parent has stored the report. */
  async #report(
    id: string,
    status: "sent" | "delivered" | "read" | "failed",
    code: string | null,
  ): Promise<void> {
    this.#lastNumber += 1;
    const n = this.#lastNumber;
    const stored = new Promise<void>((resolve, reject) => this.#commits.set(n, { resolve, reject }));
    this.#post({ type: "receipt", n, id, messageId: this.#sentValue(id)?.messageId ?? null, status, code });
    await stored;
  }

  #isOurs(user: string | undefined): boolean {
    const me = this.#values.credentials?.me;
    const own = [me?.id, me?.lid].map((jid) => this.#library.jidDecode(jid)?.user);
    return user !== undefined && own.includes(user);
  }

  /** Keys are stored by each encryption and each decryption itself, before their result is used. */
  #signalRepository(creds: Credentials, lids: unknown): unknown {
    const { addTransactionCapability, DEFAULT_CONNECTION_CONFIG, unpadRandomMax16, proto } = this.#library;
    const options = { maxCommitRetries: 1, delayBetweenTriesMs: 0 };
    const keys = addTransactionCapability(this.#values, silent, options);
    const decrypted = new AsyncLocalStorage<{ stanza: Node; plaintext: Bytes | null }>();
    const withPlaintext = {
      ...keys,
      transaction: <T>(work: () => Promise<T>, key: string): Promise<T> =>
        keys.transaction(async () => {
          const result = await work();
          const current = decrypted.getStore();
          if (current !== undefined && result instanceof Uint8Array) current.plaintext = result;
          return result;
        }, key),
    };
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      { creds, keys: withPlaintext },
      silent,
      lids,
    );
    const { encryptMessage, decryptMessage } = repository;
    repository.encryptMessage = async (input) => {
      const result = await encryptMessage(input);
      const frame = frames.getStore();
      if (frame !== undefined) frame.encrypted = true;
      return result;
    };
    repository.decryptMessage = async (input) => {
      const stanza = this.#stanzas.get(input.ciphertext);
      if (stanza === undefined) return await decryptMessage(input);
      const number = await this.#numberOf(stanza, repository.lidMapping);
      const current = { stanza, plaintext: null as Bytes | null };
      let key: string | null = null;
      const changes = (): Changes => {
        if (current.plaintext === null) return [];
        const facts = this.#factsOf(
          stanza,
          number,
          proto.Message.decode(unpadRandomMax16(current.plaintext)),
        );
        if (facts === null) return [];
        key = `inbox:${facts.chat}:${facts.id}`;
        return [[key, JSON.stringify(facts)]];
      };
      const run = () => decrypted.run(current, () => decryptMessage(input));
      const result = await alongside.run({ changes }, run);
      if (key !== null) this.#announce(key);
      return result;
    };
    return repository;
  }

  /** The sender's number, digits; null: WhatsApp does not tell it. */
  async #numberOf({ attrs }: Node, { getPNForLID }: { getPNForLID(lid: string): Promise<string | null> }) {
    const { from = "" } = attrs;
    const { jidDecode } = this.#library;
    if (jidDecode(from)?.server === "s.whatsapp.net") return jidDecode(from)?.user ?? null;
    const known = attrs.sender_pn ?? (await getPNForLID(from)) ?? undefined;
    return jidDecode(known)?.user ?? null;
  }

  /** Null: not from a person to us. */
  #factsOf({ attrs }: Node, number: string | null, message: unknown): ReceivedFacts | null {
    const { from = "", id = "", notify, sender_lid: senderLid } = attrs;
    const sender = this.#library.jidDecode(from);
    if (sender === undefined || id === "" || attrs.participant !== undefined || this.#isOurs(sender.user))
      return null;
    if (sender.server !== "s.whatsapp.net" && sender.server !== "lid") return null;
    const content = contentOf(message);
    if (content === null) return null;
    const lid = sender.server === "lid" ? sender.user : (this.#library.jidDecode(senderLid)?.user ?? null);
    return {
      id: id.slice(0, 200),
      chat: `${sender.user}@${sender.server}`.slice(0, 200),
      number,
      lid: lid === null ? null : `${lid}@lid`,
      name: notify?.slice(0, 200) ?? null,
      ...content,
    };
  }

  #announce(key: string): void {
    const text = this.#values.value(key);
    if (text !== undefined) this.#post({ type: "received", key, facts: JSON.parse(text) });
  }

  /** Marks the frame of a message when it is written to the connection. */
  #markFrames({ ws }: Socket): void {
    const raw = ws.socket;
    if (raw === null) return;
    const send = raw.send.bind(raw);
    raw.send = (data, done) => {
      const frame = frames.getStore();
      if (frame?.encrypted === true) frame.left = true;
      send(data, done);
    };
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
    await this.#sweep().catch(() => {});
    const askForLimits = () => void socket.fetchAccountReachoutTimelock().catch(() => {});
    clearInterval(this.#limitsTimer);
    this.#limitsTimer = setInterval(askForLimits, limitsMs);
    this.#limitsTimer.unref();
    askForLimits();
  }

  #tellLimits({ isActive, timeEnforcementEnds }: NonNullable<ConnectionUpdate["reachoutTimeLock"]>): void {
    const untilMs = isActive ? (timeEnforcementEnds?.getTime() ?? Date.now() + day) : null;
    this.#post({ type: "limits", untilMs });
  }

  async #closed(credentials: Credentials, { lastDisconnect }: ConnectionUpdate): Promise<void> {
    this.#isOpen = false;
    this.#socket = null;
    clearInterval(this.#limitsTimer);
    const code = lastDisconnect?.error?.output?.statusCode ?? null;
    if (code === restartRequired && !this.#disposed) {
      // After pairing, and now and then later: the server wants a new connection.
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
    // The library waits for the other side's goodbye, which a dead line never brings.
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
    const found = await this.#find(socket, message.number);
    if (found.kind !== "found") return notSent(found.kind);
    const { jid } = found;
    try {
      const devices = await socket.getUSyncDevices([jid], true, false);
      if (
        !devices.some(({ user }) => !this.#isOurs(user)) &&
        !this.#isOurs(this.#library.jidDecode(jid)?.user)
      )
        return notSent("no_devices");
    } catch (error) {
      return notSent(isThrottled(error) ? "throttled" : "check_failed");
    }
    const frame: Frame = { encrypted: false, left: false };
    const answered = new Promise<SendResult>((resolve) => this.#waiting.set(message.id, resolve));
    try {
      await frames.run(frame, () => this.#relay(socket, jid, message));
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
    if (result.kind === "acked" && result.error === "479") this.#devicesCache.clear();
    return result;
  }

  /** Resolves when no answer came in time; a connection that is silent is tested meanwhile, and ended when it is dead. */
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
    const { proto } = this.#library;
    const message = await this.#messageOf(id, jid, content);
    const bytes = Buffer.from(proto.Message.encode(message).finish()).toString("base64");
    await this.#values.write([[`sent:${id}`, JSON.stringify({ messageId, at: Date.now(), bytes })]]);
    await socket.relayMessage(jid, message, { messageId: id });
  }

  async #messageOf(messageId: string, jid: string, content: BridgeContent): Promise<unknown> {
    const { generateWAMessage, proto } = this.#library;
    if (content.kind === "file") return proto.Message.fromObject(fileMessage(content));
    const userJid = this.#values.credentials?.me?.id;
    // The library would fetch links for a preview.
    const text = { text: content.text, linkPreview: null };
    return (await generateWAMessage(jid, text, { logger: silent, userJid, messageId })).message;
  }

  /** The access to upload a file; without hosts there is none. */
  async #uploads(n: number): Promise<void> {
    const socket = this.#isOpen ? this.#socket : null;
    const access = await socket?.refreshMediaConn(false).catch(() => undefined);
    const hosts = access?.hosts.map(({ hostname }) => hostname).slice(0, 10) ?? [];
    this.#post({ type: "upload_access", n, auth: access?.auth ?? null, hosts });
  }

  /** Whether the number is on WhatsApp, as it said within the last month, or says now. */
  async #find(
    socket: Socket,
    number: string,
  ): Promise<{ kind: "found"; jid: string } | { kind: "not_on_whatsapp" | "check_failed" | "throttled" }> {
    const key = `known:${number}`;
    const stored = this.#values.value(key);
    if (stored !== undefined) {
      const { jid, at } = JSON.parse(stored) as { jid: string | null; at: number };
      if (Date.now() - at < (jid === null ? knownMs.no : knownMs.yes))
        return jid === null ? { kind: "not_on_whatsapp" } : { kind: "found", jid };
    }
    try {
      const answer = await socket.onWhatsApp(number);
      if (answer === undefined) return { kind: "check_failed" };
      const jid = answer.find(({ exists }) => exists)?.jid ?? null;
      await this.#values.write([[key, JSON.stringify({ jid, at: Date.now() })]]);
      return jid === null ? { kind: "not_on_whatsapp" } : { kind: "found", jid };
    } catch (error) {
      return { kind: isThrottled(error) ? "throttled" : "check_failed" };
    }
  }

  #acked({ attrs: { id = "", error } }: Node): void {
    const refusal = error?.slice(0, 20) ?? null;
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) waiting({ kind: "acked", error: refusal });
    // An answer that came too late settles the message as a report does.
    else if (this.#sentValue(id) !== null)
      void this.#report(id, refusal === null ? "sent" : "failed", refusal).catch(() => {});
  }

  #sentValue(id: string): { messageId: string; at: number; bytes: string } | null {
    const text = this.#values.value(`sent:${id}`);
    return text === undefined ? null : JSON.parse(text);
  }

  /** For a device that could not read it. */
  #sentMessage(id: string): unknown {
    const sent = this.#sentValue(id);
    return sent === null ? undefined : this.#library.proto.Message.decode(Buffer.from(sent.bytes, "base64"));
  }

  /** Forgets messages that no device will ask for any more. */
  async #sweep(): Promise<void> {
    const old = this.#values
      .keys("sent:")
      .filter((key) => Date.now() - (this.#sentValue(key.slice(5))?.at ?? 0) > keptMs);
    if (old.length > 0) await this.#values.write(old.map((key) => [key, null]));
  }

  /** The library's own cache lives five minutes, and each renewal takes a one-time key of the contact. */
  #devices() {
    const cache = this.#devicesCache;
    return {
      get: (user: string) => {
        const entry = cache.get(user);
        return entry !== undefined && Date.now() - entry.at < devicesMs ? entry.devices : undefined;
      },
      set: (user: string, devices: unknown) => void cache.set(user, { at: Date.now(), devices }),
      del: (user: string) => void cache.delete(user),
      flushAll: () => cache.clear(),
    };
  }
}

const notSent = (why: (SendResult & { kind: "not_sent" })["why"]): SendResult => ({ kind: "not_sent", why });

const isThrottled = (error: unknown): boolean => (error as { data?: unknown } | null)?.data === 429;

/** Null: of no use to the sender, such as a device's request to send once more. */
function receiptStatus(type: string | undefined): "delivered" | "read" | null {
  if (type === undefined || type === "inactive") return "delivered";
  return type === "read" || type === "played" ? "read" : null;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Without a thumbnail and a duration: the library would start other programs for them. */
function fileMessage({ media, caption, file: { filename, ...file } }: BridgeContent & { kind: "file" }) {
  const withCaption = caption === "" ? {} : { caption };
  const name = media === "document" ? { fileName: filename || "document", title: filename } : {};
  const mediaKeyTimestamp = Math.floor(Date.now() / 1_000);
  return { [`${media}Message`]: { ...file, mediaKeyTimestamp, ...withCaption, ...name } };
}
