// DNS as a test writes it down: records by kind and name, names without an answer, and what was asked.

import type { Dns, DnsAnswer } from "#runtime/runtime.ts";

export interface Zone extends Dns {
  /** `TXT example.com`, `A smtp.example.com` (addresses of both versions) and `MX example.com`, to their values. */
  records: Map<string, string[]>;
  /** Keys like those of `records` that are not answered. */
  silent: Set<string>;
  asked: string[];
}

export function zone(records: Record<string, string[]> = {}): Zone {
  const known = new Map(Object.entries(records));
  const silent = new Set<string>();
  const asked: string[] = [];
  const answer =
    (kind: string) =>
    async (name: string): Promise<DnsAnswer> => {
      const key = `${kind} ${name}`;
      asked.push(key);
      if (silent.has(key)) return { kind: "failed", reason: "DNS did not answer in time." };
      const values = known.get(key);
      return values === undefined ? { kind: "none" } : { kind: "found", values };
    };
  return { records: known, silent, asked, txt: answer("TXT"), addresses: answer("A"), mx: answer("MX") };
}
