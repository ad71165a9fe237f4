// The provisioning file of a running process: applied again, compared and exported. One file is applied after another.

import { applyProvision } from "./apply.ts";
import { type Comparison, compareProvision } from "./compare.ts";
import type { ProvisionDeps } from "./entry.ts";
import { exportProvision } from "./export.ts";

interface Reapplied extends Comparison {
  /** What was generated because the file does not contain it, to be shown once. */
  made: { what: string; secret: string }[];
}

export class Provisioning {
  readonly #deps: ProvisionDeps;
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: ProvisionDeps) {
    this.#deps = deps;
  }

  /** What applying `value`, the content of a file, would change. */
  async compare(value: unknown): Promise<Comparison> {
    const read = await checked(value);
    return "errors" in read ? { ...read, changes: [] } : await compareProvision(this.#deps, read.file);
  }

  /** Applies `value` as a start does. With errors in the file, nothing is changed. */
  apply(value: unknown): Promise<Reapplied> {
    const applied = this.#last.then(() => this.#apply(value));
    this.#last = applied.catch(() => {});
    return applied;
  }

  async #apply(value: unknown): Promise<Reapplied> {
    const read = await checked(value);
    if ("errors" in read) return { ...read, changes: [], made: [] };
    const { errors, changes } = await compareProvision(this.#deps, read.file);
    if (errors.length > 0) return { errors, changes: [], made: [] };
    return { changes, ...(await applyProvision(this.#deps, read.file)) };
  }

  /** What there is as a file, and the names of the variables that stand for its secrets. */
  async export() {
    const { file, variables, leftOut } = await exportProvision(this.#deps);
    return { file, variables: variables.map(({ name }) => name), left_out: leftOut };
  }
}

/** The parser is loaded only if there is a file. */
async function checked(value: unknown) {
  const { checkProvisionFile } = await import("./file.ts");
  return checkProvisionFile(value);
}
