// Values that depend on one object alone, computed once for each: what follows from a member's settings is the same for all of its calls.

/** The function, which computes its value once for each object and keeps it as long as the object lives. The object must not change. */
export function oncePer<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { value: Value }>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      found = { value: compute(key) };
      known.set(key, found);
    }
    return found.value;
  };
}
