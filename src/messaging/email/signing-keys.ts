// The keys that sign an account's mail from a domain. Only those whose records were seen in DNS, or that somebody
// said are there: a signature that nobody can verify makes mail look forged to some receivers.

import { readPrivateKey } from "#gateways/email/mime/dkim-key.ts";
import type { DkimKey } from "#gateways/message.ts";
import type { Database } from "#store/database.ts";
import { findSigningKeys, privateKeyPlace } from "#store/email/sending-domains.ts";
import type { Sealer } from "#store/seal.ts";

/**
 * Of the domain itself, else of the nearest domain above it that has keys: DMARC's usual, relaxed alignment counts
 * example.com as the author of mail from news.example.com. RSA first. `domain`: in ASCII. Throws when a key was
 * sealed with another master key.
 */
export async function activeDkimKeys(
  database: Database,
  sealer: Sealer,
  accountId: string,
  domain: string,
): Promise<DkimKey[]> {
  const labels = domain.toLowerCase().split(".");
  const domains = labels.slice(0, -1).map((_, at) => labels.slice(at).join("."));
  if (domains.length === 0) return [];
  const rows = await database.run(findSigningKeys, { accountId, domains });
  return rows.map((row) => {
    const read = readPrivateKey(sealer.open(row.private_key, privateKeyPlace(row.id)));
    if (read === null || read.algorithm !== row.algorithm) throw new Error(`The key ${row.id} is damaged.`);
    const { domain: signing, selector, algorithm } = row;
    return { domain: signing, selector, algorithm, privateKey: read.key };
  });
}
