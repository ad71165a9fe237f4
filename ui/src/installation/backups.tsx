import type { InstallationDetailsReply, InstallationReply } from "#ui/api/schema.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Section } from "#ui/parts/page.tsx";

interface Copied extends Pick<InstallationReply["data"], "engine"> {
  commands: InstallationDetailsReply["data"]["commands"];
}

const examples = {
  sqlite: "/backups/trunkline.db --key /elsewhere/master.key",
  docker: "docker compose exec trunkline trunkline backup /data/backup.db",
  postgres: 'pg_dump --format=custom --file=trunkline.dump "$TRUNKLINE_DATABASE_URL"',
};

/** Commands that make a backup, and what to do with it. */
export function Backups({ engine, commands }: Copied) {
  const isFile = engine === "sqlite";
  return (
    <>
      <Section title="Back it up">
        {isFile ? (
          <>
            <p>
              Trunkline may be running or stopped. The settings of gateways in the copy can only be read with
              the master key: keep the two apart.
            </p>
            <Snippet text={`${commands.backup} ${examples.sqlite}`} block />
            <p>In a container:</p>
            <Snippet text={examples.docker} block />
          </>
        ) : (
          <>
            <p>
              With PostgreSQL's own tools; Trunkline may be running or stopped. Keep the master key as well,
              and elsewhere: the settings of gateways in the copy can only be read with it.
            </p>
            <Snippet text={examples.postgres} block />
          </>
        )}
      </Section>
      <Section title="Restore a copy">
        {isFile ? (
          <Snippet text={`${commands.restore} ${examples.sqlite}`} block />
        ) : (
          <p>
            Load the copy into an empty database with <code>pg_restore</code>, and put the master key into{" "}
            <code>TRUNKLINE_MASTER_KEY</code>.
          </p>
        )}
        <ol className="stack">
          <li>
            {isFile ? (
              <>
                The command puts the copy and its master key into a data folder that has no database yet. By
                hand: the file as <code>trunkline.db</code>, the key as <code>master.key</code>.
              </>
            ) : (
              <>
                Run <code>{commands.hold}</code> with the service's settings, before its first start.
              </>
            )}
          </li>
          <li>
            {isFile ? (
              <>
                Start. A copy that the backup command made holds what was pending in it by itself; for a
                snapshot of the file system run <code>{commands.hold}</code> first.
              </>
            ) : (
              "Start."
            )}
          </li>
          <li>
            Compare with your provider's log: what the original sent after the copy is not known here. Then
            release or cancel what is held, on any page.
          </li>
        </ol>
      </Section>
    </>
  );
}
