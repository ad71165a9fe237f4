// Makes sure that an account of a test is there.

import { saveAccount } from "#configure/account.ts";

/** Creates the account, or replaces the one with this name. Returns its id. */
export async function upsertAccount(...account: Parameters<typeof saveAccount>): Promise<string> {
  return (await saveAccount(...account)).id;
}
