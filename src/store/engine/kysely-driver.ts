// kysely over one existing connection: the engine begins, commits and releases around it.

import type { DatabaseConnection, Dialect, DialectAdapter, QueryCompiler } from "kysely";
import { Kysely } from "kysely";
import type { Schema } from "#store/schema/schema.ts";

/** A query builder that runs on `connection`, in the SQL of `adapter` and `compiler`. */
export function kyselyOn(
  connection: DatabaseConnection,
  adapter: DialectAdapter,
  compiler: QueryCompiler,
): Kysely<Schema> {
  const nothing = async () => {};
  const dialect: Dialect = {
    createDriver: () => ({
      init: nothing,
      acquireConnection: async () => connection,
      beginTransaction: nothing,
      commitTransaction: nothing,
      rollbackTransaction: nothing,
      releaseConnection: nothing,
      destroy: nothing,
    }),
    createAdapter: () => adapter,
    createIntrospector: () => {
      throw new Error("The schema is not introspected.");
    },
    createQueryCompiler: () => compiler,
  };
  return new Kysely<Schema>({ dialect });
}
