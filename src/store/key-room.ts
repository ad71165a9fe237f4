// The number of keys of one owner is limited. Revoked ones are kept for their names, as many as there may be valid ones.

/** The columns of keys that decide which is removed: the one revoked longest ago. */
interface KeptKey {
  id: string;
  revoked_at: number | null;
}

/** Whether there is room for another key, and the revoked one that is removed for it, if any. */
export function roomFor(keys: readonly KeptKey[], max: number): { isFull: boolean; goes: string | null } {
  const revoked = keys.filter(({ revoked_at }) => revoked_at !== null);
  return {
    isFull: keys.length - revoked.length >= max,
    goes: revoked.length >= max ? (revoked[0]?.id ?? null) : null,
  };
}
