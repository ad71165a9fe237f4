// Writes server-sent events as clients receive them.

/** The text of a stream; each event has its `type`, if it has one, as its name. */
export const events = (list: readonly Record<string, unknown>[]) =>
  list
    .map(
      (value) =>
        `${value.type === undefined ? "" : `event: ${value.type}\n`}data: ${JSON.stringify(value)}\n\n`,
    )
    .join("");
