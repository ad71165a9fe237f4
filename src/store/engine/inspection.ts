// What a look at a database finds that no process of this machine has open.

/** `fault`: it cannot be used, in the words of the database. */
export type Inspection =
  | { fault: string }
  | {
      /** The newest migration that was made; 0: none, the first start makes all. */
      schema: number;
      /** The newest one that this version knows. */
      newestSchema: number;
      /** The fingerprint of the master key that it was sealed with; null: nothing was sealed yet. */
      masterKey: string | null;
      /** The clock of the database's server, epoch ms; null: it has the clock of this machine. */
      clock: number | null;
      /** The next start moves the tables from the schema `public` of PostgreSQL to that of the setting. */
      moves: boolean;
    };
