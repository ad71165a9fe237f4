// What tests use of Baileys and of its WebSocket server, and how its nodes are read.

import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

// What the library exports has types of its own, which are not there where the sources are checked.
export type Bytes = Uint8Array;
export interface Node {
  tag: string;
  attrs: Record<string, string>;
  content?: Node[] | Bytes | string;
}
export interface KeyPair {
  public: Buffer;
  private: Buffer;
}
interface Codec {
  encode(value: object): { finish(): Bytes };
  decode(bytes: Bytes): Record<string, never>;
}
export interface PeerSignal {
  decryptMessage(input: { jid: string; type: string; ciphertext: Bytes }): Promise<Bytes>;
  encryptMessage(input: { jid: string; data: Bytes }): Promise<{ type: string; ciphertext: Bytes }>;
  injectE2ESession(input: object): Promise<void>;
}
export interface Lib {
  Curve: {
    generateKeyPair(): KeyPair;
    sharedKey(secret: Bytes, key: Bytes): Buffer;
    sign(secret: Bytes, message: Bytes): Buffer;
  };
  encodeBinaryNode(node: Node): Buffer;
  decodeBinaryNode(bytes: Bytes): Promise<Node>;
  addTransactionCapability(store: object, logger: object, options: object): object;
  makeLibSignalRepository(auth: object, logger: object, lids: () => Promise<[]>): PeerSignal;
  DEFAULT_CONNECTION_CONFIG: { makeSignalRepository: Lib["makeLibSignalRepository"] };
  signedKeyPair(identity: KeyPair, id: number): { keyPair: KeyPair; signature: Buffer; keyId: number };
  encodeWAMessage(message: object): Bytes;
  unpadRandomMax16(bytes: Bytes): Bytes;
  proto: Record<string, Codec> & {
    CertChain: Codec & { NoiseCertificate: { Details: Codec } };
    Message: Codec;
  };
}
export interface WebSocket {
  on(event: "message", listener: (data: Buffer) => void): void;
  on(event: "close" | "error", listener: () => void): void;
  send(data: Bytes): void;
  terminate(): void;
}
export interface WebSocketServer {
  on(event: "connection", listener: (socket: WebSocket, request: IncomingMessage) => void): void;
  address(): AddressInfo;
  close(done: () => void): void;
}

export const silent = {
  level: "silent",
  child: () => silent,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
};

export const number = (bytes: Bytes) => Buffer.from(bytes).readUIntBE(0, bytes.length);
export const bigEndian = (value: number, size: number) => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
};
export const child = (node: Node | undefined, tag: string): Node | undefined =>
  Array.isArray(node?.content) ? node.content.find((one) => one.tag === tag) : undefined;
export const children = (node: Node | undefined): Node[] =>
  Array.isArray(node?.content) ? node.content : [];
export const bytesOf = (node: Node | undefined): Bytes =>
  node?.content instanceof Uint8Array ? node.content : Buffer.alloc(0);
