// Opens outbound connections, guarded twice: every address that a name resolves to is checked before one is tried, and the address that the
// socket really reached is checked before a byte is sent, including the TLS handshake. undici never calls a lookup function for an address
// literal; those are checked in `url.ts`.

import { promises as dns } from "node:dns";
import type { LookupFunction, Socket } from "node:net";
import { buildConnector } from "undici";
import { type AllowList, forbiddenAddress } from "./address.ts";
import { allowListHint, bareHost, isLoopbackName, loopbackAddresses } from "./url.ts";

const connectTimeoutMs = 10_000;
/** Node gives each address of a name 250 ms before it tries the next: too short for another continent. */
const attemptTimeoutMs = 1000;

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

export interface Connector {
  connect: buildConnector.connector;
  /** Aborts connections that are still being opened. */
  abandon(): void;
}

/** `lookup` should be a guarded one; the peer is also checked against `allow` after connecting. */
export function guardedConnector(allow: AllowList, lookup: Lookup): Connector {
  const open = buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    lookup: nodeLookup(lookup),
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not turn it off.
    rejectUnauthorized: true,
    // The declared return type is void; the socket is returned nevertheless, and needed before `connect`.
  } as buildConnector.BuildOptions) as unknown as (
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ) => Socket;
  const opening = new Set<Socket>();

  return {
    connect(options, callback) {
      let refused: Error | null = null;
      const socket: Socket = open(options, (error, connected) => {
        opening.delete(socket);
        // A plain socket's own `connect` listener still runs after ours destroyed it. undici must then get our error: with the dead socket,
        // it would connect again and again.
        if (refused !== null) callback(refused, null);
        else if (error !== null) callback(error, null);
        else callback(null, connected);
      });
      opening.add(socket);
      // First in line: for TLS, the listener after this one begins the handshake.
      socket.prependOnceListener("connect", () => {
        refused = judgePeer(socket.remoteAddress, options.hostname, allow);
        if (refused !== null) socket.destroy(refused);
      });
    },
    abandon() {
      for (const socket of opening) socket.destroy(new Error("closed"));
    },
  };
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
