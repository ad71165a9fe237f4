// What the runner and the processes that run test files say to each other, over the IPC channel of `fork`.

/** To a worker: the next file, or null after the last one. */
export interface NextFile {
  file: string | null;
}

export interface Counts {
  tests: number;
  suites: number;
  pass: number;
  fail: number;
  cancelled: number;
  skipped: number;
  todo: number;
}

export interface Failure {
  /** From the outermost suite to the test. */
  name: string;
  /** The error, with its stack and cause. */
  error: string;
}

/** From a worker: what became of a file. */
export interface FileResult {
  kind: "result";
  file: string;
  ms: number;
  counts: Counts;
  failures: Failure[];
  /** The reasons of skipped tests. */
  skipped: string[];
  /** One line for each test, indented by its depth. */
  lines: string[];
}

/** From a worker: it waits for a file. */
export interface Ready {
  kind: "ready";
}

/** From a worker: a warning of the test runner that belongs to no test. */
export interface Notice {
  kind: "notice";
  text: string;
}

export type FromWorker = FileResult | Ready | Notice;

export const noCounts: Counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    tests: a.tests + b.tests,
    suites: a.suites + b.suites,
    pass: a.pass + b.pass,
    fail: a.fail + b.fail,
    cancelled: a.cancelled + b.cancelled,
    skipped: a.skipped + b.skipped,
    todo: a.todo + b.todo,
  };
}
