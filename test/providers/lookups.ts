// Counts how often work looks something up, so that a test can tell work that grows with its input from work that grows with its
// square, without a clock.

/** How often `work`, which is synchronous, asks a set or a map for something. */
export function lookupsIn(work: () => void): number {
  const { has } = Set.prototype;
  const { get, has: hasKey } = Map.prototype;
  let count = 0;
  Set.prototype.has = function (value) {
    count += 1;
    return has.call(this, value);
  };
  Map.prototype.get = function (key) {
    count += 1;
    return get.call(this, key);
  };
  Map.prototype.has = function (key) {
    count += 1;
    return hasKey.call(this, key);
  };
  try {
    work();
  } finally {
    Set.prototype.has = has;
    Map.prototype.get = get;
    Map.prototype.has = hasKey;
  }
  return count;
}
