// Form fields with bracket names (`contact[0][number]`) as the value that JSON would have given.
// The rules are PHP's, which clients of this interface were written against, but for three: nothing is
// allocated by index (`contact[999999999]` costs one entry), gaps close up, and lists are in index order.

/** What became of a form. */
export type Form = { kind: "value"; value: Record<string, unknown> } | { kind: "too_deep" };

/** Text, a file that was uploaded under the name, or what its brackets hold. */
type Node = string | Branch;

class Branch {
  readonly entries = new Map<string, Node>();
  /** Where `[]` puts the next item. */
  next = 0;
}

const index = /^(0|[1-9]\d{0,8})$/;

/** `contact[0][number]` as its steps. A name without well-formed brackets is one step. */
function stepsOf(name: string): string[] {
  const open = name.indexOf("[");
  if (open <= 0 || !name.endsWith("]")) return [name];
  return [name.slice(0, open), ...name.slice(open + 1, -1).split("][")];
}

function put(root: Branch, steps: string[], value: string): void {
  let branch = root;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at]!;
    const key = step === "" && at > 0 ? String(branch.next) : step;
    if (index.test(key)) branch.next = Math.max(branch.next, Number(key) + 1);
    if (at === steps.length - 1) {
      branch.entries.set(key, value);
      return;
    }
    let child = branch.entries.get(key);
    if (!(child instanceof Branch)) {
      child = new Branch();
      branch.entries.set(key, child);
    }
    branch = child;
  }
}

/** A branch whose keys are all indices is a list; any other is an object without a prototype. */
function toValue(node: Node): unknown {
  if (typeof node === "string") return node;
  const keys = [...node.entries.keys()];
  if (keys.length > 0 && keys.every((key) => index.test(key))) {
    keys.sort((one, other) => Number(one) - Number(other));
    return keys.map((key) => toValue(node.entries.get(key)!));
  }
  return toMap(node);
}

function toMap(branch: Branch): Record<string, unknown> {
  const map: Record<string, unknown> = Object.create(null);
  for (const [key, child] of branch.entries) map[key] = toValue(child);
  return map;
}

/** The value of a form's fields, in their order; of a name that repeats, the last counts. */
export function readForm(fields: Iterable<readonly [string, string]>, maxDepth: number): Form {
  const root = new Branch();
  for (const [name, value] of fields) {
    const steps = stepsOf(name);
    if (steps.length > maxDepth) return { kind: "too_deep" };
    put(root, steps, value);
  }
  return { kind: "value", value: toMap(root) };
}
