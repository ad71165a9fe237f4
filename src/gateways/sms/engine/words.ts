// The words with which a vendor reports how a message ended.

import type { ReceiptStatus } from "#gateways/outcome.ts";

/** A vendor's words by what they mean. `ignored`: known, and nothing new. A word may end in `*`: every one that begins so. */
type WordTable = Partial<Record<ReceiptStatus | "ignored", readonly string[]>>;

/** What a word means; undefined: the vendor's documentation did not have it. */
export type Words = (word: string) => ReceiptStatus | "ignored" | undefined;

/** Vendors change the case of letters between versions, so it does not count. */
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
