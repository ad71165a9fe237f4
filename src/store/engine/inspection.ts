// The result of inspecting a database that no process of this machine has open.

/** `fault`: it cannot be used; the database's message. */
export type Inspection =
  | { fault: string }
  | {
      /** The newest applied migration; 0 if there is none, and the first start applies them all. */
      schema: number;
      /** The newest migration that this version knows. */
      newestSchema: number;
      /** Whether this version may run on it, also where a newer one has migrated it. */
      mayRun: boolean;
      /** The fingerprint of the master key that it was sealed with; null if nothing was sealed yet. */
      masterKey: string | null;
      /** The clock of the database's server, epoch ms; null if it is this machine's clock. */
      clock: number | null;
      /** The next start will move the tables from PostgreSQL's `public` schema to the configured one. */
      moves: boolean;
      /** A sentence about the pooler in transaction mode in front of the server; null without one. */
      pooler: string | null;
    };
