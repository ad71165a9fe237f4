// Adds many items to a list. `list.push(...items)` passes each of them as a separate argument and throws a RangeError from about 120,000
// on; a caller's request may have 500,000.

/** Adds the items at the end of the list, in their order. The items must not be the list itself. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
