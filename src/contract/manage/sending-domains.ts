// The management API's words for sending domains: their keys without the private halves, the DNS records to publish,
// and what DNS says about them.

import { z } from "zod";

const instant = z.iso.datetime({ precision: 3 });
const success = { success: z.literal(true), message: z.string() };

const dnsRecord = z.object({
  purpose: z.enum(["dkim", "dmarc"]),
  type: z.literal("TXT"),
  name: z.string().describe("The record's name in full, without the dot at its end."),
  value: z.string().describe("The value, in one piece."),
  strings: z
    .array(z.string())
    .describe("The value in pieces of at most 255 bytes, as zone files and some DNS panels want it."),
  required: z
    .boolean()
    .describe("Whether signatures need it; `false`: advice, for domains that have no such record yet."),
});

const dkimKey = z.object({
  id: z.string(),
  selector: z.string().describe("Where its record stands: `{selector}._domainkey.{domain}`."),
  algorithm: z.enum(["rsa-sha256", "ed25519-sha256"]),
  public_key: z.string().describe("The value of `p=` in its record."),
  state: z
    .enum(["pending", "active", "retired"])
    .describe(
      "`pending`: waits for its record and signs nothing; `active`: signs; `retired`: signs no more, and its record should stay for a week.",
    ),
  created_at: instant,
  updated_at: instant.describe("When its state changed."),
});

const sendingDomain = z.object({
  id: z.string(),
  domain: z.string().describe("In lower case and ASCII."),
  keys: z.array(dkimKey).describe("Oldest first. Private keys are never shown."),
  records: z.array(dnsRecord).describe("What to publish in DNS, for the keys that sign or are about to."),
  created_at: instant,
  updated_at: instant,
});
export type SendingDomainData = z.output<typeof sendingDomain>;

export const sendingDomainReply = z.object({ ...success, data: sendingDomain });

/** All sending domains of the account, by name. */
export const sendingDomainsReply = z.object({
  ...success,
  data: z.array(sendingDomain),
  next_cursor: z.null().describe("They all come at once."),
});

const finding = z.object({
  result: z
    .enum(["ok", "missing", "wrong", "doubtful", "unknown"])
    .describe(
      "`doubtful`: it may be right, and `advice` says what to look at; `unknown`: DNS did not answer.",
    ),
  name: z.string().describe("The name that was looked up, or where the record was found."),
  found: z.array(z.string()).describe("The records that are there."),
  message: z.string().describe("What this means, in plain words."),
  advice: z.string().nullable().describe("What to do; null: nothing."),
});

const domainCheck = z.object({
  domain: sendingDomain.describe("As it is after the check."),
  spf: finding.describe("Which servers may send in the domain's name."),
  dkim: z
    .array(finding.extend({ key: z.string().describe("The key's id.") }))
    .describe("Whether signatures can be verified, for each key that is not retired."),
  dmarc: finding.describe("What receivers are to do with mail that fails."),
  activated: z
    .array(z.string())
    .describe("Ids of keys that sign from now on, because their records are right."),
});

export const domainCheckReply = z.object({ ...success, data: domainCheck });

/** It is gone. */
export const sendingDomainGoneReply = z.object({ ...success, data: z.object({ id: z.string() }) });
