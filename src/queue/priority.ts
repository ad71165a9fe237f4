// Small requests overtake large ones on the same lane, so that a one-time code is not stuck behind a
// campaign. A message's band is the size class of its request; a lane serves the smallest band first, but
// every fifth place goes to the largest one, so that a campaign always moves.

export const priorities = [0, 1, 2] as const;
export type Priority = (typeof priorities)[number];

/** The band of a request with this many messages. */
export function priorityOf(messages: number): Priority {
  return messages <= 10 ? 0 : messages <= 1000 ? 1 : 2;
}

/** The order in which the `turn`-th place is offered to the bands. */
export function priorityOrder(turn: number): readonly Priority[] {
  return turn % 5 === 4 ? [2, 1, 0] : priorities;
}
