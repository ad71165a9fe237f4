// The doctor's checks of a database that no process of this machine has open.

import { existsSync } from "node:fs";
import { configuredKey, databaseFile } from "#command-line/settings.ts";
import type { Config } from "#config.ts";
import { systemClock } from "#runtime/clock.ts";
import { systemRandom } from "#runtime/random.ts";
import type { Inspection } from "#store/engine/inspection.ts";
import { createSealer } from "#store/seal.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** Several providers refuse signed requests if clocks differ by five minutes. */
const warnMs = 5_000;
const errorMs = 300_000;

/** What a difference between two clocks means. `other`: the owner of the second one. */
export function judgeClocks(ours: number, theirs: number, other: string): Finding {
  const apart = Math.abs(ours - theirs);
  const detail = `This machine and ${other} are ${(apart / 1_000).toFixed(1)} s apart.`;
  const advice = "Keep both clocks by NTP (timedatectl set-ntp true).";
  if (apart >= errorMs) return fault("clock", detail, advice);
  return apart >= warnMs ? warning("clock", detail, advice) : ok("clock", detail);
}

async function inspect(config: Config): Promise<Inspection | null> {
  if (config.DATABASE_URL) {
    const { inspectPostgres } = await import("#store/engine/postgres/inspect.ts");
    return await inspectPostgres(config.DATABASE_URL, config.DATABASE_SCHEMA, config.DATABASE_LISTEN_URL);
  }
  const file = databaseFile(config);
  if (!existsSync(file)) return null;
  const { inspectSqlite } = await import("#store/engine/sqlite/inspect.ts");
  return inspectSqlite(file);
}

function keyFinding(config: Config, sealedWith: string | null): Finding[] {
  if (sealedWith === null) return [];
  const key = configuredKey(config);
  const advice =
    "Give the key that the database was made with, in TRUNKLINE_MASTER_KEY or in master.key; nothing else opens it.";
  if (key === null) return [fault("master key", "The database has one, and it is missing here.", advice)];
  return createSealer(key, systemRandom()).fingerprint === sealedWith
    ? [ok("master key", "It is the one that the database was sealed with.")]
    : [fault("master key", "It is not the one that the database was sealed with.", advice)];
}

export async function checkStorage(config: Config): Promise<Finding[]> {
  const found = await inspect(config);
  const engine = config.DATABASE_URL ? "PostgreSQL" : databaseFile(config);
  if (found === null) return [ok("database", `${engine} does not exist yet; the first start makes it.`)];
  if ("fault" in found)
    return [
      fault(
        "database",
        found.fault,
        config.DATABASE_URL
          ? "Compare TRUNKLINE_DATABASE_URL with the server's address, user, password and rights."
          : "Restore a backup into an empty data folder: trunkline restore FILE --key KEYFILE",
      ),
    ];
  const { schema, newestSchema, mayRun, masterKey, clock, moves, pooler } = found;
  const move = moves
    ? ` The next start moves the tables from the schema public to ${config.DATABASE_SCHEMA}.`
    : "";
  const findings: Finding[] = [
    !mayRun
      ? fault(
          "database",
          `A newer version wrote it: it has schema ${schema}, this version knows ${newestSchema}.`,
          "Start a version that is at least as new.",
        )
      : ok(
          "database",
          schema < newestSchema
            ? `${engine}; the next start brings it from schema ${schema} to ${newestSchema}.${move}`
            : schema > newestSchema
              ? `${engine}, schema ${schema}, of a newer version that this one may run beside.`
              : `${engine}, schema ${schema}.${move}`,
        ),
    ...(pooler === null ? [] : [ok("pooler", pooler)]),
    ...keyFinding(config, masterKey),
  ];
  if (clock !== null) findings.push(judgeClocks(systemClock().now(), clock, "the database's server"));
  return findings;
}
