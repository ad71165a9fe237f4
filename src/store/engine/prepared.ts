// Statements of the hot path, compiled once a connection: building and compiling one costs more than running it.

import type { CompiledQuery } from "kysely";
import type { Tx } from "#store/database.ts";

const known = new WeakMap<Tx["db"], Map<string, CompiledQuery<unknown>>>();

/**
 * The statement called `name` with these parameters, in the order of its text. `compile` runs only at the first call on a connection, so
 * the text must depend on nothing but the engine.
 */
export function compiledOnce<R>(
  tx: Tx,
  name: string,
  compile: () => CompiledQuery<R>,
  parameters: readonly unknown[],
): CompiledQuery<R> {
  let ofConnection = known.get(tx.db);
  if (!ofConnection) {
    ofConnection = new Map();
    known.set(tx.db, ofConnection);
  }
  let query = ofConnection.get(name) as CompiledQuery<R> | undefined;
  if (!query) {
    query = compile();
    if (query.parameters.length !== parameters.length)
      throw new Error(`${name} has ${query.parameters.length} parameters, not ${parameters.length}.`);
    ofConnection.set(name, query);
  }
  return { ...query, parameters };
}
