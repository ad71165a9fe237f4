// The management API's schemas for sending domains: public keys, the DNS records to publish, and the result of a check.

import { z } from "zod";
import { instant, page, reply } from "#contract/envelope.ts";

const dnsRecord = z
  .object({
    purpose: z.enum(["dkim", "dmarc"]),
    type: z.literal("TXT"),
    name: z.string().describe("The record's full name, without the trailing dot."),
    value: z.string().describe("The value, in one piece."),
    strings: z
      .array(z.string())
      .describe("The value in pieces of at most 255 bytes, as zone files and some DNS panels need it."),
    required: z
      .boolean()
      .describe(
        "Whether signatures need the record. `false`: a recommendation for domains that have no such record yet.",
      ),
  })
  .meta({ id: "DnsRecord" });

const dkimKey = z
  .object({
    id: z.string(),
    selector: z.string().describe("The record's name in DNS: `{selector}._domainkey.{domain}`."),
    algorithm: z.enum(["rsa-sha256", "ed25519-sha256"]),
    public_key: z.string().describe("The value of `p=` in the record."),
    state: z
      .enum(["pending", "active", "retired"])
      .describe(
        "`pending`: waits for its record and does not sign. `active`: signs. `retired`: no longer signs; its record should stay for a week.",
      ),
    created_at: instant,
    updated_at: instant.describe("When the key's state changed."),
  })
  .meta({ id: "DkimKey" });

const sendingDomain = z
  .object({
    id: z.string(),
    domain: z.string().describe("The domain in lower case and ASCII."),
    keys: z.array(dkimKey).describe("The keys, oldest first. Private keys are never shown."),
    records: z
      .array(dnsRecord)
      .describe("The records to publish in DNS, for the keys that sign or wait to sign."),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: "SendingDomain" });
export type SendingDomainData = z.output<typeof sendingDomain>;

export const sendingDomainReply = reply("SendingDomainReply", sendingDomain);

/** All sending domains of the account, by name. */
export const sendingDomainsReply = page("SendingDomainPage", sendingDomain);

const findingFields = z.object({
  result: z
    .enum(["ok", "missing", "wrong", "doubtful", "unknown"])
    .describe(
      "`doubtful`: the record may be right, and `advice` says what to check. `unknown`: DNS did not answer.",
    ),
  name: z.string().describe("The name that was queried or where the record was found."),
  found: z.array(z.string()).describe("The records that were found."),
  message: z.string().describe("What the result means."),
  advice: z.string().nullable().describe("What to do; null if nothing."),
});

const finding = findingFields.meta({ id: "DomainFinding" });

const domainCheck = z.object({
  domain: sendingDomain.describe("The domain after the check."),
  spf: finding.describe("Which servers may send in the domain's name."),
  dkim: z
    .array(findingFields.extend({ key: z.string().describe("The key's id.") }).meta({ id: "DkimFinding" }))
    .describe("Whether receivers can verify signatures, for each key that is not retired."),
  dmarc: finding.describe("What receivers should do with mail that fails."),
  activated: z
    .array(z.string())
    .describe("The ids of the keys that this check activated because their records are correct."),
});

export const domainCheckReply = reply("DomainCheckReply", domainCheck);
