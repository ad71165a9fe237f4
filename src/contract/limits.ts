// Limits on how many things an account may have, and on their sizes. Separate from their schemas, which the storage threads must not load.

/** Pools of an account. */
export const maxPools = 100;

/** Members of a pool. */
export const maxMembers = 50;

/** Gateways of an account. */
export const maxGateways = 500;

/** Hooks of an account. */
export const maxHooks = 100;

/** Named API keys of an account that are not revoked, and keys of a pool. */
export const maxNamedKeys = 200;
export const maxPoolKeys = 1_000;

/** Settings of a gateway or of a pool's member, and the other fields of any resource; bytes of JSON. */
export const maxSettingsBytes = 64 * 1024;
