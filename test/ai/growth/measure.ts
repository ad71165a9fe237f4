// How work grows with its size, counted and not timed: V8 counts how often each block of the sources runs, and the built-in
// functions that walk lists and texts add what they walk. Quadratic work makes 64 times as many steps for 8 times the size,
// linear work 8 times; the limit between them is 16. A file that counts runs in a process of its own.

import { Session } from "node:inspector";

/** How many times larger the large size is. */
const larger = 8;
const maxGrowth = 16;

/** One piece of work: `make` prepares it for a size, which is not counted, and returns the work itself. */
export interface Work {
  name: string;
  /** The small size. */
  size: number;
  make(size: number): () => unknown;
}

/** The growth of each piece of work that makes more than 16 times as many steps for 8 times the size. */
export function tooSteep(works: Iterable<Work>): string[] {
  const findings: string[] = [];
  takenSteps();
  for (const { name, size, make } of works) {
    const small = stepsOf(make(size));
    const large = stepsOf(make(size * larger));
    if (large > maxGrowth * small)
      findings.push(`${name}: ${small} steps for ${size}, ${large} for ${size * larger}`);
  }
  return findings;
}

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const sources = new URL("../../../src/", import.meta.url).href;
let walked = 0;

/** Counts the steps of a piece of work; what prepared it runs none of the sources. */
function stepsOf(work: () => unknown): number {
  const restore = countBuiltIns();
  walked = 0;
  try {
    work();
  } finally {
    restore();
  }
  return walked + takenSteps();
}

/** How often blocks of the sources ran since this was asked last. Within its own thread a session answers at once. */
function takenSteps(): number {
  let steps = 0;
  session.post("Profiler.takePreciseCoverage", (error, covered) => {
    if (error) throw error;
    for (const { url, functions } of covered.result)
      if (url.startsWith(sources))
        for (const { ranges } of functions) for (const { count } of ranges) steps += count;
  });
  return steps;
}

type Method = (this: never, ...parameters: never[]) => unknown;
/** What a call walked: `receiver` is a list, a text or a collection. */
type Steps = (receiver: never, parameters: never[], result: never) => number;

const wholeLength: Steps = ({ length }: { length: number }) => length;
const resultLength: Steps = (_receiver, _given, result: { length: number }) => result.length;
const wholeSize: Steps = ({ size }: { size: number }) => size;
/** As far as what is found, from where the search began. */
const untilFound: Steps = ({ length }: { length: number }, [, from = 0]: unknown[], found: number) =>
  (found < 0 ? length : found) - Number(from) + 1;

/** Units of text that a built-in function walks in the time of a step, about. */
const unitsPerStep = 16;
const ofText =
  (steps: Steps): Steps =>
  (...parameters) =>
    Math.ceil(steps(...parameters) / unitsPerStep);

const builtIns: readonly [target: object, names: readonly PropertyKey[], steps: Steps][] = [
  [Array.prototype, ["indexOf"], untilFound],
  [
    Array.prototype,
    ["includes"],
    (list: unknown[], [value]: unknown[]) => untilFound(list as never, [], list.indexOf(value) as never),
  ],
  [
    Array.prototype,
    ["lastIndexOf", "splice", "shift", "unshift", "join", "reverse", "fill", Symbol.iterator],
    wholeLength,
  ],
  [Array.prototype, ["slice", "concat", "flat", "with", "toSpliced", "toReversed", "toSorted"], resultLength],
  [Set.prototype, [Symbol.iterator, "values", "union", "difference", "intersection"], wholeSize],
  [Map.prototype, [Symbol.iterator, "keys", "values", "entries"], wholeSize],
  [Object, ["keys", "values", "entries"], resultLength],
  [String.prototype, ["indexOf"], ofText(untilFound)],
  [String.prototype, ["includes", "split", "replace", "replaceAll"], ofText(wholeLength)],
  [JSON, ["stringify"], ofText((_receiver, _given, text: string | undefined) => text?.length ?? 0)],
  [JSON, ["parse"], ofText((_receiver, [text]: string[]) => text?.length ?? 0)],
];

/** Replaces the built-in functions by ones that count; returns what puts them back. */
function countBuiltIns(): () => void {
  const restores = builtIns.flatMap(([target, names, steps]) =>
    names.map((name) => {
      const before = Object.getOwnPropertyDescriptor(target, name);
      if (!before) throw new Error(`There is no built-in function ${String(name)}.`);
      const original = before.value as Method;
      let inside = false;
      const counting = function (this: never, ...parameters: never[]): unknown {
        const result = Reflect.apply(original, this, parameters);
        if (inside) return result;
        inside = true;
        walked += steps(this, parameters, result as never);
        inside = false;
        return result;
      };
      Object.defineProperty(target, name, { ...before, value: counting });
      return () => Object.defineProperty(target, name, before);
    }),
  );
  return () => {
    for (const restore of restores) restore();
  };
}
