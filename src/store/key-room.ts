// Keys of one owner are bounded. Revoked ones stay for their names, as many as there may be valid ones.

/** The columns of keys by which room is made, the longest revoked first. */
interface KeptKey {
  id: string;
  revoked_at: number | null;
}

/** Whether there is room for another key, and the revoked one that goes for it, if any has to. */
export function roomFor(keys: readonly KeptKey[], max: number): { isFull: boolean; goes: string | null } {
  const revoked = keys.filter(({ revoked_at }) => revoked_at !== null);
  return {
    isFull: keys.length - revoked.length >= max,
    goes: revoked.length >= max ? (revoked[0]?.id ?? null) : null,
  };
}
