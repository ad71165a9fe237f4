// Several servers in one URL, as libpq reads it: postgres://a:5432,b:5432/db?target_session_attrs=read-write. The driver knows one server a
// connection, so a URL is made for each; new connections go to the last one that worked, and to the next one when that fails.

import type { ClientBase, Pool, PoolClient } from "pg";
import { StorageError } from "#store/database.ts";

const writable = new Set([null, "any", "read-write", "primary"]);

/** A URL for each server. Throws a `StorageError` if `target_session_attrs` asks for a server that takes no writes. */
export function urlsOf(url: string): [string, ...string[]] {
  const authority = url.indexOf("//") + 2;
  const length = url.slice(authority).search(/[/?]/);
  const end = length === -1 ? url.length : authority + length;
  // Commas of a password name no host.
  const start = url.slice(0, end).lastIndexOf("@") + 1 || authority;
  const [before, after] = [url.slice(0, start), url.slice(end)];
  const [first, ...others] = url.slice(start, end).split(",");
  if (first === undefined || others.length === 0) return [url];
  const query = after.includes("?") ? after.slice(after.indexOf("?") + 1) : "";
  const attributes = new URLSearchParams(query).get("target_session_attrs");
  if (!writable.has(attributes)) {
    throw new StorageError(
      "failed",
      `TRUNKLINE_DATABASE_URL: target_session_attrs=${attributes} asks for a server that takes no writes. Use read-write.`,
    );
  }
  return [`${before}${first}${after}`, ...others.map((host) => `${before}${host}${after}`)];
}

/** Rejects if the server takes no writes: the next one may. */
export async function refuseReadOnly(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>("show transaction_read_only");
  if (rows[0]?.transaction_read_only === "on")
    throw new StorageError("unavailable", "PostgreSQL takes no writes: it is a standby, or read-only.");
}

/** The server has no room, or the pool had none. */
function saysNothingOfServer(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === "53300" || message === "timeout exceeded when trying to connect";
}

/** Connects through `pool` to one of `urls` after the other, at most once each. */
export function connectorOf(pool: Pool, urls: readonly string[]): Pick<Pool, "connect" | "options"> {
  let current = 0;
  const connect = async (): Promise<PoolClient> => {
    for (let failed = 1; ; failed++) {
      const tried = current;
      try {
        return await pool.connect();
      } catch (error) {
        if (urls.length === 1 || saysNothingOfServer(error)) throw error;
        // Of calls that fail together, one moves on.
        if (tried === current) {
          current = (current + 1) % urls.length;
          pool.options.connectionString = urls[current];
        }
        if (failed >= urls.length) throw error;
      }
    }
  };
  return { connect: connect as Pool["connect"], options: pool.options };
}
