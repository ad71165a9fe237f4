// Opens outbound connections, guarded twice: every address that a name resolves to is checked before one is tried, and the address that the
// socket really reached is checked before a byte is sent, including the TLS handshake. Node never calls a lookup function for an address
// literal; those are checked in `url.ts`.

import { promises as dns } from "node:dns";
import { connect as connectPlain, isIP, type LookupFunction, type OnReadOpts, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import { type AllowList, forbiddenAddress } from "./address.ts";
import { HttpError } from "./http/http-error.ts";
import { allowListHint, bareHost, isLoopbackName, loopbackAddresses } from "./url.ts";

const connectTimeoutMs = 10_000;
/** Node gives each address of a name 250 ms before it tries the next: too short for another continent. */
const attemptTimeoutMs = 1000;
/** Idle time before TCP asks whether the peer is still there. */
const keepAliveMs = 60_000;
const maxSessions = 100;

export interface ResolvedAddress {
  address: string;
  family: number;
}

/** Queries DNS for all addresses of a name; rejects with the resolver's error. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>;

/** An address that the guard refused. Its message can be shown to customers; `address` is for the log. */
export class AddressRefusedError extends Error {
  readonly code = "URL_NOT_ALLOWED";
  readonly address: string;
  constructor(reason: string, address: string) {
    super(reason);
    this.address = address;
  }
}

export const systemLookup: Lookup = (hostname) => dns.lookup(hostname, { all: true });

/**
 * A lookup that succeeds only if *every* address of the name is allowed: a name that mixes public and private addresses is a rebinding
 * trick, or a mistake that should be noticed. Concurrent lookups of one name share an answer, which is not cached afterwards. The reason
 * names the class and not the address, so that a caller cannot read the internal DNS through it.
 */
export function guardedLookup(allow: AllowList, lookup: Lookup): Lookup {
  const running = new Map<string, Promise<ResolvedAddress[]>>();

  async function ask(hostname: string): Promise<ResolvedAddress[]> {
    const host = bareHost(hostname);
    const loopback = isLoopbackName(host);
    const answers = loopback ? loopbackAddresses(allow) : await lookup(hostname);
    // Copied, so that the connection uses exactly the addresses that were checked.
    const found = answers.map(({ address, family }) => ({ address, family }));
    for (const { address } of found) {
      const forbidden = forbiddenAddress(address, allow);
      if (forbidden !== null)
        throw new AddressRefusedError(`${host} resolves to ${forbidden}; ${allowListHint}`, address);
    }
    if (loopback && found.length === 0)
      throw new AddressRefusedError(`${host} is a loopback name; ${allowListHint}`, host);
    if (found.length === 0) throw Object.assign(new Error("no addresses"), { code: "ENOTFOUND" });
    return found;
  }

  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const answer = ask(hostname).finally(() => running.delete(hostname));
    running.set(hostname, answer);
    return answer;
  };
}

export interface ConnectTarget {
  /** `https:` for TLS; anything else is plain TCP. */
  protocol: string;
  /** Without the brackets of IPv6. */
  hostname: string;
  /** Empty: that of the protocol. */
  port: string;
}

export type ConnectCallback = (
  ...result: [error: Error, socket: null] | [error: null, socket: Socket]
) => void;

export interface Connector {
  /** `onread`: where the bytes of a plain socket go (see `isDirect`). */
  connect(target: ConnectTarget, callback: ConnectCallback, onread?: OnReadOpts): void;
  /** A plain socket goes to the target itself, and knows `onread`. */
  readonly isDirect?: true;
  /** Aborts connections that are still being opened. */
  abandon(): void;
}

/** `lookup` should be a guarded one; the peer is also checked against `allow` after connecting. */
export function guardedConnector(allow: AllowList, lookup: Lookup): Connector {
  const opening = new Set<Socket>();
  const sessions = new TlsSessions();
  const options = {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    lookup: nodeLookup(lookup),
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMs,
    noDelay: true,
  };

  return {
    isDirect: true,
    connect({ protocol, hostname, port }, callback, onread) {
      let refused: Error | null = null;
      const isSecure = protocol === "https:";
      const socket = isSecure
        ? secureSocket({ ...options, host: hostname, port: Number(port || 443) }, hostname, sessions)
        : connectPlain({ ...options, host: hostname, port: Number(port || 80), ...(onread && { onread }) });
      opening.add(socket);
      // First in line: for TLS, the listener after this one begins the handshake.
      socket.prependOnceListener("connect", () => {
        refused = judgePeer(socket.remoteAddress, hostname, allow);
        if (refused !== null) socket.destroy(refused);
      });
      onceOpen(socket, isSecure, (error, connected) => {
        opening.delete(socket);
        // A plain socket's own `connect` listener still runs after ours destroyed it.
        if (refused !== null) callback(refused, null);
        else if (error !== null) callback(error, null);
        else callback(null, connected);
      });
    },
    abandon() {
      for (const socket of opening) socket.destroy(new Error("closed"));
    },
  };
}

/** Encrypts an open connection to a server, behind a proxy. */
export function secureThrough(raw: Socket, hostname: string, callback: ConnectCallback): void {
  onceOpen(secureSocket({ socket: raw }, hostname, null), true, callback);
}

/** `hostname`: what the certificate must be for. */
function secureSocket(options: ConnectionOptions, hostname: string, sessions: TlsSessions | null): TLSSocket {
  const socket = connectTls({
    ...options,
    ...(isIP(hostname) === 0 ? { servername: hostname } : { host: hostname }),
    ALPNProtocols: ["http/1.1"],
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not turn it off.
    rejectUnauthorized: true,
    session: sessions?.of(hostname),
  });
  if (sessions !== null) socket.on("session", (session) => sessions.keep(hostname, session));
  return socket;
}

/** Calls back once: when the socket is open, when it fails, or when the time for it is over. */
function onceOpen(socket: Socket, isSecure: boolean, callback: ConnectCallback): void {
  const opened = isSecure ? "secureConnect" : "connect";
  let isOver = false;
  const end: ConnectCallback = (...result) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    callback(...result);
  };
  const timer = setTimeout(
    () => socket.destroy(new HttpError("connect_timeout", "no connection in time")),
    connectTimeoutMs,
  );
  socket.once(opened, () => end(null, socket));
  // It stays, because an error without a listener ends the process.
  socket.on("error", (error) => end(error, null));
  socket.once("close", () => end(new HttpError("closed", "the connection was closed"), null));
}

/** The latest TLS session with each server, which makes the next handshake with it shorter. */
class TlsSessions {
  readonly #sessions = new Map<string, Buffer>();

  of(hostname: string): Buffer | undefined {
    return this.#sessions.get(hostname);
  }

  keep(hostname: string, session: Buffer): void {
    this.#sessions.delete(hostname);
    if (this.#sessions.size >= maxSessions) {
      const [oldest] = this.#sessions.keys();
      if (oldest !== undefined) this.#sessions.delete(oldest);
    }
    this.#sessions.set(hostname, session);
  }
}

function judgePeer(peer: string | undefined, host: string, allow: AllowList): Error | null {
  // Already closed; nothing was sent, and an unknown peer gets nothing.
  if (peer === undefined) return Object.assign(new Error("closed at once"), { code: "ECONNRESET" });
  const forbidden = forbiddenAddress(peer, allow);
  return forbidden === null
    ? null
    : new AddressRefusedError(`${host} leads to ${forbidden}; ${allowListHint}`, peer);
}

function nodeLookup(lookup: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (found) => {
        if (options.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}
