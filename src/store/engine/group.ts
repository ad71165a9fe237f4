// Decides which waiting calls share the next transaction. A long send exists several times on its way into the database, as values and as
// the bytes that are sent to another thread or to the server, so a large group of them would take hundreds of megabytes.

/** Most bytes of the long inputs of one group, unless a single one exceeds this. */
export const maxGroupBytes = 8 * 1024 * 1024;

/** Takes the next group from the start of `waiting`, at most `maxMembers` calls. `bytesOf`: size of a member's input. */
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
