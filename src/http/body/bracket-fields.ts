// Form fields with bracket names (`contact[0][number]`) as the value that JSON would have given.
// The rules are PHP's, which clients of this interface were written against, but for three: nothing is
// allocated by index (`contact[999999999]` costs one entry), gaps close up, and lists are in index order.

/** The result of a form. `values`: how many texts, lists and objects the value contains. */
type Form =
  | { kind: "value"; value: Record<string, unknown>; values: number }
  | { kind: "too_deep" }
  | { kind: "too_many" };

interface FormBounds {
  /** Maximum number of steps in a name: `contact[0][number]` has three. */
  maxDepth: number;
  /** Maximum number of texts, lists and objects together: 30 brackets in each of 80,000 names would otherwise be 2.4 million lists. */
  maxValues: number;
}

/** Text, a file that was uploaded under the name, or the contents of its brackets. */
type Node = string | Branch;

class Branch {
  readonly entries = new Map<string, Node>();
  /** The position at which `[]` puts the next item. */
  next = 0;
}

const index = /^(0|[1-9]\d{0,8})$/;

/** `contact[0][number]` as its steps, at most `maxSteps` of them. A name without well-formed brackets is one step. */
function stepsOf(name: string, maxSteps: number): string[] {
  const open = name.indexOf("[");
  if (open <= 0 || !name.endsWith("]")) return [name];
  return [name.slice(0, open), ...name.slice(open + 1, -1).split("][", maxSteps - 1)];
}

/** The first step of a name: the member of the form's value that it adds to. */
export function memberOf(name: string): string {
  const open = name.indexOf("[");
  return open <= 0 || !name.endsWith("]") ? name : name.slice(0, open);
}

/** Inserts a text; returns how many branches it created. */
function put(root: Branch, steps: string[], value: string): number {
  let branch = root;
  let count = 0;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at]!;
    const key = step === "" && at > 0 ? String(branch.next) : step;
    if (index.test(key)) branch.next = Math.max(branch.next, Number(key) + 1);
    if (at === steps.length - 1) {
      branch.entries.set(key, value);
      return count;
    }
    let child = branch.entries.get(key);
    if (!(child instanceof Branch)) {
      child = new Branch();
      branch.entries.set(key, child);
      count += 1;
    }
    branch = child;
  }
  return count;
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

/** The value of a form's fields, in their order; if a name repeats, the last one counts. */
export function readForm(
  fields: Iterable<readonly [string, string]>,
  { maxDepth, maxValues }: FormBounds,
): Form {
  const root = new Branch();
  let values = 1;
  for (const [name, value] of fields) {
    const steps = stepsOf(name, maxDepth + 1);
    if (steps.length > maxDepth) return { kind: "too_deep" };
    values += 1 + put(root, steps, value);
    if (values > maxValues) return { kind: "too_many" };
  }
  return { kind: "value", value: toMap(root), values };
}
