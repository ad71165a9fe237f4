// A WhatsApp server for tests, which the real library logs in to: the Noise handshake with a certificate of its own, the QR
// code, the login, people with keys of their own who decrypt what they are sent, answers, receipts, and goodbyes. Its shapes
// are those that Baileys 7.0.0-rc14 reads and writes.

import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { Connection } from "./wa-connection.ts";
import {
  type Bytes,
  bytesOf,
  child,
  children,
  type KeyPair,
  type Lib,
  type Node,
  number,
  type WebSocketServer,
} from "./wa-library.ts";
import { bundleOf, makePerson, type Person, usyncReply } from "./wa-people.ts";

const folder = new URL("../../../../bridge/whatsapp/", import.meta.url);
/** Why tests with the real library are skipped; false: they are not. */
export const notInstalled = existsSync(new URL("node_modules/baileys/package.json", folder))
  ? false
  : "The WhatsApp library is not installed: npm run whatsapp:install installs it.";

/** What the server knows of the linked device. */
interface Linked {
  jid: string;
  lid: string;
  identity: Bytes;
  registrationId: number;
  signedPreKey: { keyId: number; publicKey: Bytes; signature: Bytes };
  preKeys: { keyId: number; publicKey: Bytes }[];
}

export interface Taken {
  id: string;
  to: string;
  text: string;
  /** As its recipient's phone decrypted it. */
  message: Record<string, unknown>;
  /** The counter of each ciphertext, by its recipient: it may never repeat within a session. */
  counters: { to: string; type: string; ciphertext: string }[];
}

/** What becomes of messages: answered, answered by an error, answered never. */
export type Answering = "ack" | "never" | { error: string };

export class WaServer {
  readonly url: string;
  readonly rootKey: Buffer;
  readonly taken: Taken[] = [];
  readonly receipts: Node[] = [];
  /** Of typing. */
  readonly chatStates: Node[] = [];
  /** How often it was asked whether a number is on WhatsApp. */
  lookUps = 0;
  /** Who of the linked number's people may see that it has read: a privacy setting of the phone. */
  readReceipts: "all" | "none" = "all";
  readonly loggedOut: string[] = [];
  /** The ports from which devices connected. */
  readonly remotePorts: number[] = [];
  /** When a device logged in, epoch ms. */
  readonly logins: number[] = [];
  answering: Answering = "ack";
  /** Of all logins: `{ reason }` ends them with a failure. */
  failure: Record<string, string> | null = null;
  readonly #lib: Lib;
  readonly #server: WebSocketServer;
  readonly #root: KeyPair;
  readonly #people = new Map<string, Person>();
  readonly #connections = new Set<Connection>();
  #lastWritten: Node | null = null;
  #linked: Linked | null = null;
  #pairing: { registration: Record<string, Bytes>; connection: Connection } | null = null;
  #ids = 0;
  readonly #lookers: (() => void)[] = [];

  private constructor(lib: Lib, server: WebSocketServer) {
    this.#lib = lib;
    this.#server = server;
    this.url = `ws://127.0.0.1:${server.address().port}`;
    this.#root = lib.Curve.generateKeyPair();
    this.rootKey = this.#root.public;
    server.on("connection", (socket, request) => {
      this.remotePorts.push(request.socket.remotePort ?? 0);
      const connection = new Connection(lib, this.#root, socket, {
        onLogin: (payload) => this.#login(connection, payload),
        onNode: (node) => void this.#take(connection, node),
        onEnd: () => this.#connections.delete(connection),
      });
      this.#connections.add(connection);
    });
  }

  /** The first receipt that fits, which may still come. */
  async receiptLike(fits: (receipt: Node) => boolean): Promise<Node> {
    for (;;) {
      const found = this.receipts.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#lookers.push(resolve));
    }
  }

  static async open(): Promise<WaServer> {
    // libsignal prints keys of sessions.
    for (const name of ["log", "info", "warn", "error"] as const) console[name] = () => {};
    const require = createRequire(new URL("main.ts", folder));
    const lib = (await import(require.resolve("baileys"))) as unknown as Lib;
    const { WebSocketServer: Server } = require("ws") as {
      WebSocketServer: new (options: object) => WebSocketServer;
    };
    const server = new Server({ port: 0, host: "127.0.0.1" });
    await new Promise<void>((resolve) =>
      (server as unknown as { on(event: string, done: () => void): void }).on("listening", resolve),
    );
    const own = new WaServer(lib, server);
    own.person(ownNumber);
    return own;
  }

  connections(): number {
    return [...this.#connections].filter((connection) => connection.isReady).length;
  }

  /** A person on WhatsApp, whose number may be dialled otherwise than WhatsApp knows it. */
  person(digits: string, dialled = digits): void {
    const person = makePerson(this.#lib, digits);
    this.#people.set(digits, person);
    this.#people.set(dialled, person);
    this.#people.set(person.lid, person);
  }

  /** The phone scans the QR code: `text` is what it shows. */
  scan(text: string, as = ownNumber): void {
    const [, , , adv = ""] = (text.split("#")[1] ?? "").split(",");
    const { registration, connection } = this.#pairing ?? {};
    const owner = this.#people.get(as);
    if (registration === undefined || connection === undefined || owner === undefined)
      throw new Error("Nothing waits for a scan.");
    const { proto, Curve } = this.#lib;
    const identity = registration.eIdent ?? Buffer.alloc(0);
    const deviceDetails = Buffer.from(
      proto.ADVDeviceIdentity!.encode({ rawId: 1, timestamp: 1_700_000_000, keyIndex: 1 }).finish(),
    );
    const signature = Curve.sign(
      owner.identity.private,
      Buffer.concat([Buffer.from([6, 0]), deviceDetails, identity]),
    );
    const details = Buffer.from(
      proto
        .ADVSignedDeviceIdentity!.encode({
          details: deviceDetails,
          accountSignatureKey: owner.identity.public,
          accountSignature: signature,
        })
        .finish(),
    );
    const hmac = createHmac("sha256", Buffer.from(adv, "base64")).update(details).digest();
    const content = Buffer.from(proto.ADVSignedDeviceIdentityHMAC!.encode({ details, hmac }).finish());
    this.#linked = {
      jid: `${as}:5@s.whatsapp.net`,
      lid: `${owner.lid}:5@lid`,
      identity,
      registrationId: number(registration.eRegid ?? Buffer.alloc(4)),
      signedPreKey: {
        keyId: number(registration.eSkeyId ?? Buffer.alloc(3)),
        publicKey: registration.eSkeyVal ?? Buffer.alloc(0),
        signature: registration.eSkeySig ?? Buffer.alloc(0),
      },
      preKeys: [],
    };
    connection.send({
      tag: "iq",
      attrs: { from: "s.whatsapp.net", type: "set", id: this.#id() },
      content: [
        {
          tag: "pair-success",
          attrs: {},
          content: [
            { tag: "device-identity", attrs: {}, content },
            { tag: "device", attrs: { jid: this.#linked.jid, lid: this.#linked.lid } },
            { tag: "platform", attrs: { name: "android" } },
          ],
        },
      ],
    });
  }

  /** Ends all connections with a stream error or a failure. */
  goodbye(node: Node): void {
    for (const connection of this.#connections) connection.end(node);
  }

  drop(): void {
    for (const connection of this.#connections) connection.drop();
  }

  /** From here on what clients send is not read, and nothing is sent. */
  blackHole(): void {
    for (const connection of this.#connections) connection.isSilent = true;
  }

  /** Tells that a message reached its recipient. */
  receipt(id: string, from: string, type?: string): void {
    this.#tell({
      tag: "receipt",
      attrs: { id, from: `${from}@s.whatsapp.net`, t: "1700000000", ...(type === undefined ? {} : { type }) },
    });
  }

  /** A person writes to the device. */
  async write(from: string, message: object, id = this.#id()): Promise<string> {
    const person = this.#people.get(from);
    const linked = this.#linked;
    if (person === undefined || linked === null) throw new Error("No device is linked.");
    if (!person.keys.has("opened")) {
      const [preKey] = linked.preKeys.splice(0, 1);
      const prefixed = (key: Bytes) => Buffer.concat([Buffer.from([5]), key]);
      await person.signal.injectE2ESession({
        jid: linked.jid,
        session: {
          registrationId: linked.registrationId,
          identityKey: prefixed(linked.identity),
          signedPreKey: { ...linked.signedPreKey, publicKey: prefixed(linked.signedPreKey.publicKey) },
          ...(preKey && { preKey: { keyId: preKey.keyId, publicKey: prefixed(preKey.publicKey) } }),
        },
      });
      person.keys.set("opened", true);
    }
    const data = this.#lib.encodeWAMessage(message);
    const { type, ciphertext } = await person.signal.encryptMessage({ jid: linked.jid, data });
    this.#lastWritten = {
      tag: "message",
      attrs: {
        from: `${from}@s.whatsapp.net`,
        id,
        type: "text",
        t: String(Math.floor(Date.now() / 1000)),
        notify: "Ann",
        sender_lid: `${person.lid}@lid`,
      },
      content: [{ tag: "enc", attrs: { v: "2", type }, content: ciphertext }],
    };
    this.redeliver();
    return id;
  }

  /** Delivers what a person wrote last once more, as it does when it got no receipt. */
  redeliver(): void {
    if (this.#lastWritten !== null) this.#tell(this.#lastWritten);
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }

  #tell(node: Node): void {
    for (const connection of this.#connections) if (connection.isReady) connection.send(node);
  }

  #id(): string {
    this.#ids += 1;
    return `SERVER${this.#ids}`;
  }

  #login(connection: Connection, payload: Record<string, never>): void {
    const { devicePairingData } = payload as { devicePairingData?: Record<string, Bytes> };
    if (devicePairingData != null) {
      this.#pairing = { registration: devicePairingData, connection };
      const refs = Array.from({ length: 6 }, (_, i) => ({
        tag: "ref",
        attrs: {},
        content: Buffer.from(`ref-${i + 1}`),
      }));
      connection.send({
        tag: "iq",
        attrs: { from: "s.whatsapp.net", type: "set", id: this.#id() },
        content: [{ tag: "pair-device", attrs: {}, content: refs }],
      });
      return;
    }
    const failure = this.failure ?? (this.#linked === null ? { reason: "401" } : null);
    if (failure !== null || this.#linked === null) {
      connection.end({ tag: "failure", attrs: failure ?? {} });
      return;
    }
    this.logins.push(Date.now());
    connection.isReady = true;
    connection.send({ tag: "success", attrs: { t: "1700000000", lid: this.#linked.lid } });
  }

  async #take(connection: Connection, node: Node): Promise<void> {
    if (node.tag === "message") return await this.#takeMessage(connection, node);
    if (node.tag === "receipt") {
      this.receipts.push(node);
      for (const look of this.#lookers.splice(0)) look();
    }
    if (node.tag === "chatstate") this.chatStates.push(node);
    if (node.tag !== "iq") return;
    const { id = "", xmlns = "", type = "" } = node.attrs;
    const [first] = children(node);
    if (type === "result") {
      if (first?.tag !== "pair-device-sign") return;
      this.#pairing = null;
      return connection.end({ tag: "stream:error", attrs: { code: "515" } });
    }
    const answer = (...content: Node[]) =>
      connection.send({ tag: "iq", attrs: { from: "s.whatsapp.net", type: "result", id }, content });
    if (xmlns === "encrypt" && type === "set") this.#takeKeys(node);
    if (xmlns === "encrypt" && first?.tag === "count")
      return answer({ tag: "count", attrs: { value: String(this.#linked?.preKeys.length ?? 0) } });
    if (xmlns === "encrypt" && first?.tag === "digest") return answer({ tag: "digest", attrs: {} });
    if (xmlns === "encrypt" && first?.tag === "key")
      return answer({ tag: "list", attrs: {}, content: children(first).map((user) => this.#bundle(user)) });
    if (xmlns === "usync") {
      if (child(child(first, "query"), "contact") !== undefined) this.lookUps += 1;
      return answer(usyncReply(first, this.#people));
    }
    if (xmlns === "privacy") {
      const category = { tag: "category", attrs: { name: "readreceipts", value: this.readReceipts } };
      return answer({ tag: "privacy", attrs: {}, content: [category] });
    }
    if (first?.tag === "media_conn") {
      const host = { tag: "host", attrs: { hostname: "mmg.whatsapp.net" } };
      return answer({ tag: "media_conn", attrs: { auth: "access", ttl: "3600" }, content: [host] });
    }
    if (first?.tag === "remove-companion-device") {
      this.loggedOut.push(first.attrs.jid ?? "");
      this.#linked = null;
      answer();
      return connection.end({
        tag: "stream:error",
        attrs: { code: "401" },
        content: [{ tag: "conflict", attrs: { type: "device_removed" } }],
      });
    }
    answer();
  }

  #takeKeys(node: Node): void {
    const keys = children(child(node, "list")).map((key) => ({
      keyId: number(bytesOf(child(key, "id"))),
      publicKey: bytesOf(child(key, "value")),
    }));
    this.#linked?.preKeys.push(...keys);
  }

  #bundle({ attrs: { jid = "" } }: Node): Node {
    const person = this.#people.get(jid.split(/[:@]/)[0] ?? "");
    return person === undefined ? { tag: "user", attrs: { jid } } : bundleOf(this.#lib, person, jid);
  }

  async #takeMessage(connection: Connection, node: Node): Promise<void> {
    const { id = "", to = "" } = node.attrs;
    const counters: Taken["counters"] = [];
    let text = "";
    let taken: Taken["message"] = {};
    for (const device of children(child(node, "participants"))) {
      const { jid = "" } = device.attrs;
      const user = jid.split(/[:@]/)[0] ?? "";
      const person = this.#people.get(user);
      const enc = child(device, "enc");
      if (person === undefined || enc === undefined) continue;
      counters.push({
        to: user,
        type: enc.attrs.type ?? "",
        ciphertext: Buffer.from(bytesOf(enc)).toString("hex"),
      });
      const plain = await person.signal.decryptMessage({
        jid: this.#linked?.jid ?? "",
        type: enc.attrs.type ?? "",
        ciphertext: bytesOf(enc),
      });
      const message = this.#lib.proto.Message.decode(this.#lib.unpadRandomMax16(plain));
      const { conversation, extendedTextMessage, imageMessage } = message as {
        conversation?: string;
        extendedTextMessage?: { text?: string };
        imageMessage?: { caption?: string; directPath?: string; mimetype?: string };
      };
      if (person.pn === ownNumber) continue;
      taken = message;
      text = conversation || extendedTextMessage?.text || "";
      if (imageMessage != null)
        text = `${imageMessage.mimetype} ${imageMessage.directPath} ${imageMessage.caption}`;
    }
    this.taken.push({ id, to, text, message: taken, counters });
    if (this.answering === "never") return;
    const error = this.answering === "ack" ? {} : { error: this.answering.error };
    connection.send({ tag: "ack", attrs: { class: "message", id, from: to, t: "1700000000", ...error } });
  }
}

/** The number of the phone that links the device. */
export const ownNumber = "4915100000000";
