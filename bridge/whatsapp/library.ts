// Loads Baileys and adds what it lacks. Baileys accepts every well-formed signature as valid: that of the server's certificate, of the
// pairing, and of people's signed pre-keys. The one function behind all three is replaced before the library is loaded, and a self-test
// proves it.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export type Bytes = Uint8Array;
export interface Node {
  tag: string;
  attrs: Record<string, string | undefined>;
  content?: Node[] | Bytes | string;
}
type Values = Record<string, unknown>;

/** The keys of Signal's protocol, as the library reads and writes them. */
export interface KeyStore {
  get(type: string, ids: string[]): Promise<Values>;
  set(data: Record<string, Values>): Promise<void>;
}
interface TransactionalKeys extends KeyStore {
  transaction<T>(work: () => Promise<T>, key: string): Promise<T>;
  isInTransaction(): boolean;
}

export interface Credentials {
  me?: { id: string; name?: string; lid?: string };
  account?: unknown;
  platform?: string;
  [field: string]: unknown;
}

/** A choice in a poll, as received. */
export interface EncryptedVote {
  encPayload: Bytes;
  encIv: Bytes;
}

interface CipherInput {
  jid: string;
  ciphertext: Bytes;
}
interface Repository {
  encryptMessage(input: { jid: string; data: Bytes }): Promise<unknown>;
  decryptMessage(input: CipherInput): Promise<Bytes>;
  lidMapping: { getPNForLID(lid: string): Promise<string | null> };
}

export interface ConnectionUpdate {
  connection?: "connecting" | "open" | "close";
  qr?: string;
  lastDisconnect?: { error?: { output?: { statusCode?: number }; data?: unknown } };
  reachoutTimeLock?: { isActive: boolean; timeEnforcementEnds?: Date };
}

interface RawSocket {
  send(data: Bytes, done?: (error?: Error) => void): void;
  terminate(): void;
}

export interface Socket {
  ws: {
    socket: RawSocket | null;
    on(event: string, listener: (node: Node) => void): void;
    prependListener(event: string, listener: (node: Node) => void): void;
    emit(event: string, ...values: unknown[]): boolean;
  };
  ev: {
    on(event: "connection.update", listener: (update: ConnectionUpdate) => void): void;
    on(event: "creds.update", listener: () => void): void;
  };
  query(node: Node, timeoutMs?: number): Promise<Node | undefined>;
  onWhatsApp(number: string): Promise<{ jid: string; exists: boolean }[] | undefined>;
  getUSyncDevices(jids: string[], useCache: boolean, ignoreZero: boolean): Promise<{ user: string }[]>;
  relayMessage(jid: string, message: unknown, options: { messageId: string }): Promise<string>;
  requestPairingCode(number: string): Promise<string>;
  sendPresenceUpdate(state: "composing" | "paused", jid: string): Promise<void>;
  readMessages(keys: { remoteJid: string; id: string; fromMe: boolean }[]): Promise<void>;
  fetchAccountReachoutTimelock(): Promise<unknown>;
  refreshMediaConn(force: boolean): Promise<{ auth: string; hosts: { hostname: string }[] }>;
  logout(): Promise<void>;
  end(error: undefined): Promise<void>;
}

interface Codec {
  encode(message: unknown): { finish(): Bytes };
  decode(bytes: Bytes): Values;
  fromObject(value: unknown): unknown;
}

/** The parts of Baileys that the bridge uses. */
export interface Library {
  default(config: Values): Socket;
  initAuthCreds(): Credentials;
  addTransactionCapability(store: KeyStore, logger: unknown, options: Values): TransactionalKeys;
  DEFAULT_CONNECTION_CONFIG: {
    version: number[];
    makeSignalRepository(auth: Values, logger: unknown, lids: unknown): Repository;
  };
  WA_CERT_DETAILS: { PUBLIC_KEY: Buffer };
  BufferJSON: {
    replacer(key: string, value: unknown): unknown;
    reviver(key: string, value: unknown): unknown;
  };
  Curve: {
    generateKeyPair(): { public: Buffer; private: Buffer };
    sign(key: Buffer, message: Buffer): Buffer;
    verify(key: Buffer, message: Buffer, signature: Buffer): boolean;
  };
  generateWAMessage(jid: string, content: Values, options: Values): Promise<{ message: unknown }>;
  unpadRandomMax16(bytes: Bytes): Bytes;
  /** Throws if the vote was encrypted with another secret or for other ids. */
  decryptPollVote(
    vote: EncryptedVote,
    of: { pollCreatorJid: string; pollMsgId: string; pollEncKey: Bytes; voterJid: string },
  ): { selectedOptions: Bytes[] };
  jidDecode(jid: string | undefined): { user: string; server: string } | undefined;
  proto: {
    Message: Codec & { AppStateSyncKeyData: { fromObject(value: unknown): unknown } };
    HistorySync: { HistorySyncType: { INITIAL_BOOTSTRAP: number } };
  };
}

/** The library's log may contain keys: nothing of it is kept. */
export const silent = {
  level: "silent",
  child: () => silent,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
};

export type Verification = "strict" | "library";
export type Loaded =
  | { kind: "loaded"; library: Library; version: string }
  | { kind: "failed"; why: "not_installed" | "wrong_version" | "unsafe"; reason: string };

interface Curve {
  verifySignature(key: Buffer, message: Buffer, signature: Buffer): boolean;
}

/** Typed loosely: the package is not installed where the sources are type-checked. */
const packageName = "baileys";

export async function loadLibrary(verification: Verification): Promise<Loaded> {
  const require = createRequire(import.meta.url);
  const { dependencies } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8")) as {
    dependencies: { baileys: string };
  };
  let version: string;
  try {
    ({ version } = require(`${packageName}/package.json`) as { version: string });
  } catch {
    return { kind: "failed", why: "not_installed", reason: "The WhatsApp library is not installed." };
  }
  if (version !== dependencies.baileys)
    return {
      kind: "failed",
      why: "wrong_version",
      reason: `The WhatsApp library is installed in version ${version} instead of ${dependencies.baileys}.`,
    };
  if (verification === "strict") {
    const curve = require("libsignal/src/curve.js") as Curve;
    const { verifySignature } = curve;
    curve.verifySignature = (key, message, signature) => {
      if (!verifySignature(key, message, signature)) throw new Error("A signature is invalid.");
      return true;
    };
  }
  const library = (await import(packageName)) as Library;
  if (verification === "strict" && !verifiesSignatures(library))
    return { kind: "failed", why: "unsafe", reason: "The WhatsApp library does not check signatures." };
  return { kind: "loaded", library, version };
}

function verifiesSignatures({ Curve }: Library): boolean {
  const { public: key, private: secret } = Curve.generateKeyPair();
  const message = Buffer.from("self-test");
  const signature = Curve.sign(secret, message);
  const isRightTaken = Curve.verify(key, message, signature);
  const isOtherTaken = Curve.verify(key, Buffer.from("another text"), signature);
  return isRightTaken && !isOtherTaken;
}
