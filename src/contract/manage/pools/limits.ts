// How many pools and members there may be. Apart from their schemas, which the threads of the storage must not load.

/** Pools of an account. */
export const maxPools = 100;

/** Members of a pool. */
export const maxMembers = 50;
