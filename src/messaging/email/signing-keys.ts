// The DKIM keys that sign an account's mail from a domain. Only keys whose DNS records were found, or which a user
// activated, are used: to some receivers mail with a signature that cannot be verified looks forged.

import { readPrivateKey } from "#gateways/email/mime/dkim-key.ts";
import type { DkimKey } from "#gateways/message.ts";
import type { Database } from "#store/database.ts";
import { findSigningKeys, privateKeyContext } from "#store/email/sending-domains.ts";
import type { Sealer } from "#store/seal.ts";

/**
 * The keys of the domain, or of the nearest parent domain that has keys: with DMARC's default, relaxed alignment, example.com counts as the
 * author of mail from news.example.com. RSA comes first. `domain`: in ASCII. Throws if a key was sealed with another master key.
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
    const read = readPrivateKey(sealer.unseal(row.private_key, privateKeyContext(row.id)));
    if (read === null || read.algorithm !== row.algorithm) throw new Error(`The key ${row.id} is damaged.`);
    const { domain: signing, selector, algorithm } = row;
    return { domain: signing, selector, algorithm, privateKey: read.key };
  });
}
