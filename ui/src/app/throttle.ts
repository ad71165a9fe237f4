/** Collects names and passes them on: the first at once, the same name again only after `ms`. `now` and `later` are the clock's. */
export function createThrottle(
  ms: number,
  pass: (names: ReadonlySet<string>) => void,
  now: () => number = () => performance.now(),
) {
  const passedAt = new Map<string, number>();
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function flush(): void {
    timer = undefined;
    const at = now();
    const due = new Set(
      [...waiting].filter((name) => at - (passedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= ms),
    );
    for (const name of due) {
      waiting.delete(name);
      passedAt.set(name, at);
    }
    if (due.size > 0) pass(due);
    if (waiting.size > 0) {
      const next = Math.min(...[...waiting].map((name) => (passedAt.get(name) ?? at) + ms - at));
      timer = setTimeout(flush, Math.max(1, next));
    }
  }

  return {
    add(names: readonly string[]): void {
      for (const name of names) waiting.add(name);
      clearTimeout(timer);
      flush();
    },
    end(): void {
      clearTimeout(timer);
      waiting.clear();
    },
  };
}
