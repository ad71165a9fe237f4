// Small requests overtake large ones on the same lane, so that a one-time code does not wait behind a campaign. The
// priority of a message is the size class of its request. A lane serves the smallest requests first, but every fifth
// place goes to the largest, so that a campaign always moves.

export const priorities = [0, 1, 2] as const;
export type Priority = (typeof priorities)[number];

/** The priority of a request with this many messages. */
export function priorityOf(messages: number): Priority {
  return messages <= 10 ? 0 : messages <= 1000 ? 1 : 2;
}

/** The order in which the `turn`-th slot is offered to the priorities. */
export function priorityOrder(turn: number): readonly Priority[] {
  return turn % 5 === 4 ? [2, 1, 0] : priorities;
}
