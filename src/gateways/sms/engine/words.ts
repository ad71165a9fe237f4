// The words with which a vendor reports how a message ended.

import type { ReceiptStatus } from "#gateways/outcome.ts";

/** A vendor's status words by meaning. `ignored`: known, and without news. A word may end in `*`, for every one with this prefix. */
type WordTable = Partial<Record<ReceiptStatus | "ignored", readonly string[]>>;

/** What a word means; undefined if the vendor's documentation did not list it. */
export type Words = (word: string) => ReceiptStatus | "ignored" | undefined;

/** Vendors change the case of letters between versions, so it is ignored. */
export function wordReader(table: WordTable): Words {
  const exact = new Map<string, ReceiptStatus | "ignored">();
  const prefixes: [string, ReceiptStatus | "ignored"][] = [];
  for (const [meaning, words] of Object.entries(table) as [ReceiptStatus | "ignored", readonly string[]][]) {
    for (const word of words.map((text) => text.toLowerCase())) {
      if (word.endsWith("*")) prefixes.push([word.slice(0, -1), meaning]);
      else exact.set(word, meaning);
    }
  }
  return (word) => {
    const lower = word.toLowerCase();
    return exact.get(lower) ?? prefixes.find(([prefix]) => lower.startsWith(prefix))?.[1];
  };
}
