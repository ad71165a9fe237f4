// The sealer of the installation, once its master key is known to be the one that the database was sealed with.

import type { Random } from "#runtime/runtime.ts";
import { type Database, StorageError } from "#store/database.ts";
import { getOrSetFact } from "#store/maintenance/provisioned.ts";
import { createSealer, type Sealer } from "#store/seal.ts";

/** Remembers the key's fingerprint in a new database. Rejects, and closes the database, when it has another key's. */
export async function openSealer(masterKey: string, random: Random, database: Database): Promise<Sealer> {
  const sealer = createSealer(masterKey, random);
  const { fingerprint } = sealer;
  const stored = await database.run(getOrSetFact, { name: "master_key", value: fingerprint });
  if (stored === fingerprint) return sealer;
  await database.close();
  throw new StorageError(
    "failed",
    "The master key is not the one that this database was sealed with. Give the one it was made with (TRUNKLINE_MASTER_KEY, or master.key in the data folder).",
  );
}
