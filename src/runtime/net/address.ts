// Which IP addresses the service may connect to: global unicast, and those on the operator's allow list. Pure. ipaddr.js knows the
// registries; our own rules refuse what it calls unicast although it leads inside (`::7f00:1`, everything outside 2000::/3) and check IPv4
// addresses that are embedded in others.

import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** CIDR blocks that are allowed although they are not global unicast. */
export type AllowList = readonly {
  readonly address: Address;
  readonly bits: number;
  /** As the operator wrote it. */
  readonly text: string;
}[];

/** The names of ranges in reasons. Ranges not listed here are "a reserved address". */
const words: Readonly<Record<string, string | undefined>> = {
  unspecified: "an unspecified address",
  broadcast: "a broadcast address",
  multicast: "a multicast address",
  linkLocal: "a link-local address",
  loopback: "a loopback address",
  carrierGradeNat: "a carrier-grade NAT address",
  private: "a private address",
  uniqueLocal: "a private address",
  deprecatedSiteLocal: "a private address",
  "6to4": "a 6to4 address",
  teredo: "a Teredo address",
  benchmarking: "a benchmarking address",
};
const otherwise = "a reserved address";

const globalUnicast = ipaddr.IPv6.parse("2000::");
const compatible = ipaddr.IPv6.parse("::");
const nat64 = ipaddr.IPv6.parse("64:ff9b::");

/**
 * Why an address is refused, in words that complete "… is", or null if it is allowed. `ip` is an address in canonical text, as DNS, a
 * socket or a URL parser returns it; any other text is refused. An IPv4 address inside an IPv4-mapped or NAT64 (64:ff9b::/96) one is judged
 * itself; 6to4, Teredo and the local NAT64 block (64:ff9b:1::/48, whose layout only its owner knows) are refused completely.
 */
export function forbiddenAddress(ip: string, allow: AllowList): string | null {
  if (ip.includes("%")) return "an address with a zone";
  switch (isIP(ip)) {
    case 4:
      return judge4(ipaddr.IPv4.parse(ip), allow);
    case 6:
      return judge6(parse6(ip), allow);
    default:
      return "not an IP address";
  }
}

/**
 * ipaddr.js 2.5.0 reads `::127.0.0.1` (which is how getaddrinfo writes `::7f00:1`) as `::ffff:127.0.0.1`, another address; the URL parser
 * first converts the dotted part into hexadecimal groups.
 */
function parse6(ip: string): ipaddr.IPv6 {
  const groups = ip.includes(".") ? new URL(`http://[${ip}]/`).hostname.slice(1, -1) : ip;
  return ipaddr.IPv6.parse(groups);
}

function judge4(address: ipaddr.IPv4, allow: AllowList): string | null {
  const range = address.range();
  return range === "unicast" || allows(allow, address) ? null : (words[range] ?? otherwise);
}

function judge6(address: ipaddr.IPv6, allow: AllowList): string | null {
  // Before the allow list: `::/0` in it must not allow the machine's own IPv4 addresses.
  if (address.isIPv4MappedAddress()) return judge4(address.toIPv4Address(), allow);
  if (allows(allow, address)) return null;
  if (address.match(nat64, 96)) return judge4(new ipaddr.IPv4(address.toByteArray().slice(12)), allow);
  const range = address.range();
  if (range !== "unicast") return words[range] ?? otherwise;
  if (address.match(compatible, 96)) return "an IPv4-compatible address";
  return address.match(globalUnicast, 3) ? null : otherwise;
}

/** 4 or 6 for an IP address in any usual notation; 0 for anything else, including addresses with a zone. */
export function addressVersion(text: string): 0 | 4 | 6 {
  return text.includes("%") ? 0 : (isIP(text) as 0 | 4 | 6);
}

/** The 4 or 16 bytes of an address; null if the text is not an address. */
export function addressBytes(text: string): Uint8Array | null {
  return addressVersion(text) === 0 ? null : Uint8Array.from(ipaddr.parse(text).toByteArray());
}

/** Whether an address, including an IPv4-mapped one, is in one of the blocks. Text that is not an address is in none. */
export function isListed(ip: string, list: AllowList): boolean {
  const version = addressVersion(ip);
  if (version === 0) return false;
  const address = version === 4 ? ipaddr.IPv4.parse(ip) : parse6(ip);
  const mapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  return allows(list, mapped ? address.toIPv4Address() : address);
}

function allows(allow: AllowList, address: Address): boolean {
  return allow.some(
    (block) => block.address.kind() === address.kind() && address.match(block.address, block.bits),
  );
}

/**
 * Reads comma-separated CIDR blocks (`127.0.0.0/8, fd00::/8`); an address without a length is that one
 * address. Throws an error whose message names every entry that is wrong, in words for the operator.
 */
export function readAllowList(text: string): AllowList {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const wrong: string[] = [];
  const list: { address: Address; bits: number; text: string }[] = [];
  for (const entry of entries) {
    const block = readBlock(entry);
    if (typeof block === "string") wrong.push(`"${entry}" ${block}`);
    else list.push({ ...block, text: entry });
  }
  if (wrong.length > 0) throw new Error(`${wrong.join("; ")}.`);
  return list;
}

function readBlock(entry: string): { address: Address; bits: number } | string {
  const [ip = "", length, ...rest] = entry.split("/");
  const version = isIP(ip);
  if (version === 0 || ip.includes("%") || rest.length > 0) return "is not a CIDR block such as 10.0.0.0/8";
  const maxBits = version === 4 ? 32 : 128;
  const bits = length === undefined ? maxBits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (!(bits <= maxBits)) return `needs a length from 0 to ${maxBits} after the slash`;
  if (version === 4) return { address: ipaddr.IPv4.parse(ip), bits };
  const address = parse6(ip);
  return address.isIPv4MappedAddress() ? "has to be written as an IPv4 block" : { address, bits };
}
