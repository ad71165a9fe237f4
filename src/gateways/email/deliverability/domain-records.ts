// The DNS records of a sending domain: what exactly to publish so that its signatures can be verified.

import { readAddress } from "#contract/address.ts";

/** The public half of a DKIM key, as its row has it. */
export interface PublishedKey {
  id: string;
  selector: string;
  algorithm: "rsa-sha256" | "ed25519-sha256";
  /** The value of `p=` in DNS. */
  public_key: string;
  state: "pending" | "active" | "retired";
}

interface DnsRecord {
  purpose: "dkim" | "dmarc";
  type: "TXT";
  /** The full name, without the trailing dot. */
  name: string;
  value: string;
  /** The value in strings of at most 255 bytes, which a zone file needs; DNS joins them again. */
  strings: string[];
  /** Whether signatures need the record; otherwise it is advice. */
  required: boolean;
}

/** The domain in lower case and ASCII; null if mail cannot come from it. */
export const domainOf = (text: string) => readAddress(`a@${text}`)?.domain ?? null;

export const dkimName = (selector: string, domain: string) => `${selector}._domainkey.${domain}`;
export const dmarcName = (domain: string) => `_dmarc.${domain}`;

export function dkimValue({ algorithm, public_key }: Pick<PublishedKey, "algorithm" | "public_key">): string {
  return `v=DKIM1; k=${algorithm === "rsa-sha256" ? "rsa" : "ed25519"}; p=${public_key}`;
}

/** The first policy to publish: nothing is refused yet, and reports show who sends in the domain's name. */
export const firstDmarc = (domain: string) => `v=DMARC1; p=none; rua=mailto:dmarc@${domain}`;

function text(purpose: DnsRecord["purpose"], name: string, value: string): DnsRecord {
  const strings = value.match(/.{1,255}/g) ?? [];
  return { purpose, type: "TXT", name, value, strings, required: purpose === "dkim" };
}

/** The record of one key. */
function dkimRecord(domain: string, key: PublishedKey): DnsRecord {
  return text("dkim", dkimName(key.selector, domain), dkimValue(key));
}

/** The records to publish: one for each key that signs or will sign, and a policy. */
export function recordsOf(domain: string, keys: readonly PublishedKey[]): DnsRecord[] {
  const signing = keys.filter(({ state }) => state !== "retired").map((key) => dkimRecord(domain, key));
  return [...signing, text("dmarc", dmarcName(domain), firstDmarc(domain))];
}
