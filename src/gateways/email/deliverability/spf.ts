// Reads the SPF policy of a domain (RFC 7208) with everything that it includes, as receivers do for every mail: within ten DNS lookups, of
// which two may be void. Terms that depend on the single mail (macros) remain undecided.

import ipaddr from "ipaddr.js";
import type { Dns } from "#runtime/runtime.ts";

const maxLookups = 10;
const maxVoidLookups = 2;
/** Reading continues a little beyond the limit, so that the finding can give the number. */
const maxReadLookups = 20;
const maxDepth = 10;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];
type Qualifier = "+" | "-" | "~" | "?";

type Term = { qualifier: Qualifier } & (
  | { kind: "all" }
  | { kind: "networks"; networks: Network[] }
  | { kind: "include"; policy: Policy }
  /** Undecidable without the mail, or DNS did not answer. */
  | { kind: "open" }
);
interface Policy {
  terms: Term[];
  redirect: Policy | null;
}

export interface SpfPolicy {
  record: string;
  /** DNS lookups that receivers have to make, with everything that is included; counted up to about 20. */
  lookups: number;
  /** Why receivers ignore the whole policy, in plain words. */
  faults: string[];
  /** Lookups that DNS did not answer. */
  unanswered: string[];
  /** The result for all other servers; null if the policy does not say. */
  otherwise: Qualifier | null;
  /** Whether a server with this address may send; null if undecidable. */
  allows(ip: string): boolean | null;
}

type SpfReading =
  | { kind: "found"; policy: SpfPolicy }
  | { kind: "none" }
  /** More than one policy, which receivers treat like none. */
  | { kind: "many"; records: string[] }
  | { kind: "failed"; reason: string };

const isSpf = (text: string) => /^v=spf1(?: |$)/i.test(text);

export async function readSpf(dns: Dns, domain: string): Promise<SpfReading> {
  const answer = await dns.txt(domain);
  if (answer.kind === "failed") return answer;
  const records = answer.kind === "found" ? answer.values.filter(isSpf) : [];
  const [record] = records;
  if (record === undefined) return { kind: "none" };
  if (records.length > 1) return { kind: "many", records };
  const reader = new Reader(dns);
  const policy = await reader.read(record, domain, 0);
  const { lookups, unanswered } = reader;
  return {
    kind: "found",
    policy: {
      record,
      lookups,
      unanswered,
      faults: reader.faults(),
      otherwise: otherwiseOf(policy),
      allows: (ip) => allows(policy, ip),
    },
  };
}

function otherwiseOf({ terms, redirect }: Policy): Qualifier | null {
  const last = terms.find(({ kind }) => kind === "all");
  if (last) return last.qualifier;
  return redirect === null ? null : otherwiseOf(redirect);
}

class Reader {
  readonly unanswered: string[] = [];
  lookups = 0;
  readonly #dns: Dns;
  readonly #faults = new Set<string>();
  #void = 0;

  constructor(dns: Dns) {
    this.#dns = dns;
  }

  faults(): string[] {
    const faults = [...this.#faults];
    if (this.lookups > maxLookups)
      faults.push(`It needs more than ${maxLookups} DNS lookups (at least ${this.lookups}).`);
    if (this.#void > maxVoidLookups)
      faults.push(`${this.#void} of its names do not exist; at most ${maxVoidLookups} may.`);
    return faults;
  }

  async read(record: string, domain: string, depth: number): Promise<Policy> {
    const policy: Policy = { terms: [], redirect: null };
    let redirect: string | null = null;
    for (const text of record.split(" ").slice(1)) {
      if (text === "") continue;
      const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(text);
      if (modifier) {
        // `exp` and unknown ones change nothing.
        if (modifier[1]?.toLowerCase() === "redirect") redirect = modifier[2]!;
        continue;
      }
      const term = await this.#term(text, domain, depth);
      if (term !== null) policy.terms.push(term);
    }
    // Nothing after `all` is read.
    if (redirect !== null && !policy.terms.some(({ kind }) => kind === "all")) {
      policy.redirect = await this.#other(redirect, depth, "redirect");
      if (policy.redirect === null) policy.terms.push({ qualifier: "?", kind: "open" });
    }
    return policy;
  }

  async #term(text: string, domain: string, depth: number): Promise<Term | null> {
    const [, sign = "+", name = "", rest = ""] = /^([+?~-])?([a-z0-9]+)(?![a-z0-9])(.*)$/is.exec(text) ?? [];
    const qualifier = sign as Qualifier;
    const wrong = () => {
      this.#faults.add(`“${text.slice(0, 100)}” is not understood.`);
      return null;
    };
    switch (name.toLowerCase()) {
      case "all":
        return rest === "" ? { qualifier, kind: "all" } : wrong();
      case "ip4":
      case "ip6": {
        const network = networkOf(rest.slice(1), name.toLowerCase() === "ip4" ? 4 : 6);
        return network === null || !rest.startsWith(":")
          ? wrong()
          : { qualifier, kind: "networks", networks: [network] };
      }
      case "include": {
        if (!rest.startsWith(":") || rest.length === 1) return wrong();
        const policy = await this.#other(rest.slice(1), depth, "include");
        return policy === null ? { qualifier, kind: "open" } : { qualifier, kind: "include", policy };
      }
      case "a":
      case "mx": {
        const [, named, four, six] = /^(?::([^/]+))?(?:\/(\d{1,2}))?(?:\/\/(\d{1,3}))?$/.exec(rest) ?? [];
        if (rest !== "" && named === undefined && four === undefined && six === undefined) return wrong();
        const target = named ?? domain;
        const addresses = await this.#addresses(target, name.toLowerCase() === "mx");
        if (addresses === null) return { qualifier, kind: "open" };
        const networks = addresses.map((ip): Network => {
          const address = ipaddr.parse(ip);
          return [address, address.kind() === "ipv4" ? Number(four ?? 32) : Number(six ?? 128)];
        });
        return { qualifier, kind: "networks", networks };
      }
      case "ptr":
      case "exists":
        this.lookups += 1;
        return { qualifier, kind: "open" };
      default:
        return wrong();
    }
  }

  /** The policy of another domain; null if it could not be read. */
  async #other(name: string, depth: number, how: "include" | "redirect"): Promise<Policy | null> {
    this.lookups += 1;
    if (name.includes("%") || this.lookups > maxReadLookups || depth >= maxDepth) return null;
    const answer = await this.#dns.txt(name);
    if (answer.kind === "failed") {
      this.unanswered.push(`${name}: ${answer.reason}`);
      return null;
    }
    const records = answer.kind === "found" ? answer.values.filter(isSpf) : [];
    if (records.length === 1) return await this.read(records[0]!, name, depth + 1);
    const what = records.length === 0 ? "has no SPF policy" : "has more than one SPF policy";
    this.#faults.add(`${how} leads to ${name.slice(0, 253)}, which ${what}.`);
    return null;
  }

  /** The addresses of a name. Null for a macro, after too many lookups, and if DNS does not answer. */
  async #addresses(name: string, ofMail: boolean): Promise<string[] | null> {
    this.lookups += 1;
    if (name.includes("%") || this.lookups > maxReadLookups) return null;
    const first = ofMail ? await this.#dns.mx(name) : await this.#dns.addresses(name);
    if (first.kind === "failed") {
      this.unanswered.push(`${name}: ${first.reason}`);
      return null;
    }
    if (first.kind === "none") {
      this.#void += 1;
      return [];
    }
    if (!ofMail) return first.values;
    const answers = await Promise.all(first.values.slice(0, 10).map((host) => this.#dns.addresses(host)));
    return answers.flatMap((answer) => (answer.kind === "found" ? answer.values : []));
  }
}

function networkOf(text: string, version: 4 | 6): Network | null {
  const [ip = "", length, ...more] = text.split("/");
  const maxBits = version === 4 ? 32 : 128;
  const bits = length === undefined ? maxBits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  const isAddress = version === 4 ? ipaddr.IPv4.isValidFourPartDecimal(ip) : ipaddr.IPv6.isValid(ip);
  return isAddress && bits <= maxBits && more.length === 0 ? [ipaddr.parse(ip), bits] : null;
}

function allows(policy: Policy, ip: string): boolean | null {
  const found = match(policy, ipaddr.process(ip));
  return found === "open" ? null : found === "+";
}

/** The qualifier of the first matching term; null if none matches. `open`: an undecidable term comes first. */
function match(policy: Policy, address: Address): Qualifier | "open" | null {
  for (const term of policy.terms) {
    if (term.kind === "all") return term.qualifier;
    if (term.kind === "open") return "open";
    if (term.kind === "networks") {
      const fits = term.networks.some(
        ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
      );
      if (fits) return term.qualifier;
      continue;
    }
    const inside = match(term.policy, address);
    if (inside === "open") return "open";
    if (inside === "+") return term.qualifier;
  }
  return policy.redirect === null ? null : match(policy.redirect, address);
}
