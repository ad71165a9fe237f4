// What a password costs in tests, whose passwords protect nothing.

import type { PasswordCost } from "#identity/password.ts";

/** The least that argon2id takes: 0.1 ms in place of 50. */
export const testPasswordCost: PasswordCost = { memoryKib: 8, passes: 1, lanes: 1 };
