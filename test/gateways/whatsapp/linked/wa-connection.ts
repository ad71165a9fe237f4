// A connection to the WhatsApp server of tests: the Noise handshake (XX, 25519, AES-256-GCM, SHA-256) with a certificate, and
// then binary nodes.

import { createCipheriv, createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { type Bytes, bigEndian, type KeyPair, type Lib, type Node, type WebSocket } from "./wa-library.ts";

const sha256 = (bytes: Bytes) => createHash("sha256").update(bytes).digest();
const noiseMode = Buffer.from("Noise_XX_25519_AESGCM_SHA256\0\0\0\0");
const noiseHeader = Buffer.from([87, 65, 6, 3]);
/** AES-256-GCM with a counter as nonce. */
function seal(key: Bytes, counter: number, data: Bytes, aad: Bytes): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(counter, 8);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad);
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
}
function unseal(key: Bytes, counter: number, data: Bytes, aad: Bytes): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(counter, 8);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce).setAAD(aad);
  decipher.setAuthTag(data.subarray(data.length - 16));
  return Buffer.concat([decipher.update(data.subarray(0, data.length - 16)), decipher.final()]);
}

interface ConnectionEvents {
  onLogin(payload: Record<string, never>): void;
  onNode(node: Node): void;
  onEnd(): void;
}

/** One connection: the handshake, and then binary nodes. */
export class Connection {
  isReady = false;
  isSilent = false;
  readonly #lib: Lib;
  readonly #socket: WebSocket;
  readonly #events: ConnectionEvents;
  readonly #ephemeral: KeyPair;
  readonly #static: KeyPair;
  readonly #root: KeyPair;
  #buffer: Buffer = Buffer.alloc(0);
  #started = false;
  #hash: Buffer = noiseMode;
  #salt: Buffer = noiseMode;
  #key: Buffer = noiseMode;
  #counter = 0;
  #step: "hello" | "finish" | "open" = "hello";
  #transport: { read: Buffer; write: Buffer; reads: number; writes: number } | null = null;
  #handled: Promise<void> = Promise.resolve();

  constructor(lib: Lib, root: KeyPair, socket: WebSocket, events: ConnectionEvents) {
    this.#lib = lib;
    this.#root = root;
    this.#socket = socket;
    this.#events = events;
    this.#ephemeral = lib.Curve.generateKeyPair();
    this.#static = lib.Curve.generateKeyPair();
    socket.on("message", (data) => this.#read(data));
    socket.on("close", () => events.onEnd());
    socket.on("error", () => {});
  }

  send(node: Node): void {
    const { write, writes } = this.#transport ?? { write: Buffer.alloc(32), writes: 0 };
    if (this.isSilent || this.#transport === null) return;
    this.#transport.writes += 1;
    this.#frame(seal(write, writes, this.#lib.encodeBinaryNode(node), Buffer.alloc(0)));
  }

  end(node: Node): void {
    this.send(node);
    setTimeout(() => this.drop(), 20).unref();
  }

  drop(): void {
    this.#socket.terminate();
  }

  #frame(data: Bytes): void {
    this.#socket.send(Buffer.concat([bigEndian(data.length, 3), data]));
  }

  #read(data: Buffer): void {
    if (this.isSilent) return;
    this.#buffer = Buffer.concat([this.#buffer, data]);
    if (!this.#started) {
      if (this.#buffer.length < 4) return;
      this.#buffer = this.#buffer.subarray(4);
      this.#started = true;
    }
    while (this.#buffer.length >= 3) {
      const size = this.#buffer.readUIntBE(0, 3);
      if (this.#buffer.length < size + 3) return;
      const frame = Buffer.from(this.#buffer.subarray(3, size + 3));
      this.#buffer = this.#buffer.subarray(size + 3);
      this.#handled = this.#handled.then(() => this.#take(frame)).catch(() => this.drop());
    }
  }

  async #take(frame: Buffer): Promise<void> {
    const { proto, Curve, decodeBinaryNode } = this.#lib;
    if (this.#step === "hello") {
      const { clientHello } = proto.HandshakeMessage!.decode(frame) as unknown as {
        clientHello: { ephemeral: Bytes };
      };
      this.#mixHash(noiseHeader);
      this.#mixHash(clientHello.ephemeral);
      this.#mixHash(this.#ephemeral.public);
      this.#mixKey(Curve.sharedKey(this.#ephemeral.private, clientHello.ephemeral));
      const sealedStatic = this.#seal(this.#static.public);
      this.#mixKey(Curve.sharedKey(this.#static.private, clientHello.ephemeral));
      const payload = this.#seal(this.#certificate());
      const serverHello = { ephemeral: this.#ephemeral.public, static: sealedStatic, payload };
      this.#frame(proto.HandshakeMessage!.encode({ serverHello }).finish());
      this.#step = "finish";
      return;
    }
    if (this.#step === "finish") {
      const { clientFinish } = proto.HandshakeMessage!.decode(frame) as unknown as {
        clientFinish: { static: Bytes; payload: Bytes };
      };
      const clientStatic = this.#unseal(clientFinish.static);
      this.#mixKey(Curve.sharedKey(this.#ephemeral.private, clientStatic));
      const payload = this.#unseal(clientFinish.payload);
      const [read, write] = this.#hkdf(Buffer.alloc(0));
      this.#transport = { read, write, reads: 0, writes: 0 };
      this.#step = "open";
      this.#events.onLogin(proto.ClientPayload!.decode(payload));
      return;
    }
    const transport = this.#transport;
    if (transport === null) return;
    const node = await decodeBinaryNode(unseal(transport.read, transport.reads, frame, Buffer.alloc(0)));
    transport.reads += 1;
    this.#events.onNode(node);
  }

  #certificate(): Buffer {
    const { proto, Curve } = this.#lib;
    const { Details } = proto.CertChain.NoiseCertificate;
    const intermediate = Curve.generateKeyPair();
    const signed = (issuer: Bytes, serial: number, issuerSerial: number, key: Bytes) => {
      const details = Buffer.from(Details.encode({ serial, issuerSerial, key }).finish());
      return { details, signature: Curve.sign(issuer, details) };
    };
    return Buffer.from(
      proto.CertChain.encode({
        leaf: signed(intermediate.private, 2, 1, this.#static.public),
        intermediate: signed(this.#root.private, 1, 0, intermediate.public),
      }).finish(),
    );
  }

  #mixHash(data: Bytes): void {
    this.#hash = sha256(Buffer.concat([this.#hash, data]));
  }

  #hkdf(data: Bytes): [Buffer, Buffer] {
    const bytes = Buffer.from(hkdfSync("sha256", data, this.#salt, "", 64));
    return [bytes.subarray(0, 32), bytes.subarray(32)];
  }

  #mixKey(data: Bytes): void {
    [this.#salt, this.#key] = this.#hkdf(data);
    this.#counter = 0;
  }

  #seal(data: Bytes): Buffer {
    const sealed = seal(this.#key, this.#counter, data, this.#hash);
    this.#counter += 1;
    this.#mixHash(sealed);
    return sealed;
  }

  #unseal(data: Bytes): Buffer {
    const plain = unseal(this.#key, this.#counter, data, this.#hash);
    this.#counter += 1;
    this.#mixHash(data);
    return plain;
  }
}
