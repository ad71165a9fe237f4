// Which URLs the service may call, judged by their text alone. The WHATWG parser first turns every notation of a host (2130706433, 0x7f.1,
// 127.1, full-width digits, percent escapes) into the one that a socket would get, so only canonical hosts are judged. The addresses of a
// name are judged when connecting (`connect.ts`).

import { type AllowList, forbiddenAddress } from "./address.ts";

/** The end of every reason that an operator can change. */
export const allowListHint = "TRUNKLINE_OUTBOUND_ALLOW can let it through";

/**
 * Why a URL is refused, as a clause without a full stop, or null. Refuses schemes other than http and https, credentials in the URL, and
 * hosts that are forbidden addresses or loopback names; any port is allowed, because gateways use unusual ones, and services on forbidden
 * ports are behind forbidden addresses.
 */
function urlRefusal(url: URL, allow: AllowList): string | null {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "only http and https URLs are allowed";
  if (url.username !== "" || url.password !== "") return "a URL with a user name or password is not allowed";
  const host = bareHost(url.hostname);
  if (host === "") return "the URL names no host";
  if (isLoopbackName(host)) {
    return loopbackAddresses(allow).length > 0 ? null : `${host} is a loopback name; ${allowListHint}`;
  }
  // A colon or a last label of digits: the parser has accepted it, so it is an address. Names skip the parse.
  if (!host.includes(":") && !/^[\d.]+$/.test(host)) return null;
  const forbidden = forbiddenAddress(host, allow);
  return forbidden === null ? null : `${host} is ${forbidden}; ${allowListHint}`;
}

/** A URL's host without the brackets of IPv6 and without the root's trailing dots. */
export function bareHost(hostname: string): string {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return hostname.endsWith(".") ? hostname.replace(/(?<!\.)\.+$/, "") : hostname;
}

/** `localhost` and its subdomains mean this machine; DNS is not queried (RFC 6761, 6.3). */
export function isLoopbackName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/** The addresses of a loopback name: those of this machine's two that are allowed. */
export function loopbackAddresses(allow: AllowList): { address: string; family: 4 | 6 }[] {
  const both = [
    { address: "127.0.0.1", family: 4 as const },
    { address: "::1", family: 6 as const },
  ];
  return both.filter(({ address }) => forbiddenAddress(address, allow) === null);
}

/** A URL to call, in the parts that a request needs. `refused` is why it must not be called, or null if it may be. */
interface Target {
  origin: string;
  /** With the port, unless it is the scheme's own. */
  host: string;
  path: string;
  refused: string | null;
}

export function readTarget(text: string, allow: AllowList): Target {
  const url = URL.parse(text);
  if (url === null) return { origin: "", host: "", path: "", refused: "it is not a valid URL" };
  const { origin, host, pathname, search } = url;
  return { origin, host, path: pathname + search, refused: urlRefusal(url, allow) };
}

/** Campaigns whose URLs differ by recipient, and members whose URLs contain a model's name, must not fill the memory. */
const maxKept = 1_000;
const maxKeptLength = 2_000;

/** Parses targets and caches them: the same few URLs are called over and over, and parsing one costs as much as sending to it. */
export function targetReader(allow: AllowList): (text: string) => Target {
  const known = new Map<string, Target>();
  return (text) => {
    const kept = known.get(text);
    if (kept !== undefined) return kept;
    const target = readTarget(text, allow);
    if (text.length > maxKeptLength) return target;
    if (known.size >= maxKept) known.clear();
    known.set(text, target);
    return target;
  };
}
