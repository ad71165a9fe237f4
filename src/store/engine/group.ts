// Which of the waiting calls share the next transaction. A long send exists several times over on its way into the database,
// as values and as the bytes that cross to another thread or to the server, so that a group of them would take hundreds of megabytes.

/** Long inputs of one group take so many bytes together, unless one alone takes more. */
export const maxGroupBytes = 8 * 1024 * 1024;

/**
 * Takes the next group out of `waiting`: its first members, at most `maxMembers` of them. `bytesOf` says what a member's
 * input takes.
 */
export function takeGroup<Member>(
  waiting: Member[],
  maxMembers: number,
  bytesOf: (member: Member) => number,
): Member[] {
  let count = 0;
  for (let bytes = 0; count < waiting.length && count < maxMembers; count += 1) {
    bytes += bytesOf(waiting[count]!);
    if (bytes > maxGroupBytes && count > 0) break;
  }
  return waiting.splice(0, count);
}
