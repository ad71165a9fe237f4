// DNS queries for records that are checked, not connected to. Results distinguish missing records from failed queries:
// advice that is based on a failed query would be wrong.

import { Resolver } from "node:dns/promises";
import type { Dns, DnsAnswer } from "#runtime/runtime.ts";

/** Per try. A resolver nearby answers what it has not cached within about a second. */
const timeoutMs = 2_500;
const tries = 2;
const maxValues = 64;
const maxValueLength = 4_096;

/** `servers`: `address` or `address:port`; without any, those of the operating system. */
export function createDns({ servers }: { servers?: readonly string[] } = {}): Dns {
  const resolver = () => {
    // Each query has a resolver of its own, because queries on a shared one wait for the slowest on its socket.
    const fresh = new Resolver({ timeout: timeoutMs, tries, maxTimeout: timeoutMs });
    if (servers !== undefined) fresh.setServers(servers);
    return fresh;
  };
  return {
    txt: (name) => asked(async () => (await resolver().resolveTxt(name)).map((strings) => strings.join(""))),
    mx: (name) =>
      asked(async () => {
        const found = await resolver().resolveMx(name);
        return found.toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange);
      }),
    addresses: async (name) => {
      const [four, six] = await Promise.all([
        asked(() => resolver().resolve4(name)),
        asked(() => resolver().resolve6(name)),
      ]);
      if (four.kind === "found" && six.kind === "found")
        return { kind: "found", values: [...four.values, ...six.values] };
      if (four.kind === "found") return four;
      if (six.kind === "found") return six;
      return four.kind === "failed" ? four : six;
    },
  };
}

const absent = new Set(["ENODATA", "ENOTFOUND"]);
const reasons: Readonly<Record<string, string>> = {
  ETIMEOUT: "DNS did not answer in time.",
  ECONNREFUSED: "The DNS server could not be reached.",
  ESERVFAIL: "DNS could not answer: the servers of the domain are at fault, or its DNSSEC signatures.",
  EREFUSED: "The DNS server refused to answer.",
};

async function asked(question: () => Promise<string[]>): Promise<DnsAnswer> {
  try {
    const values = (await question()).slice(0, maxValues).map((value) => value.slice(0, maxValueLength));
    return values.length === 0 ? { kind: "none" } : { kind: "found", values };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (absent.has(code)) return { kind: "none" };
    return { kind: "failed", reason: reasons[code] ?? "DNS could not be queried." };
  }
}
