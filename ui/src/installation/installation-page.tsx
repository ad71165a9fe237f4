import { useRead } from "#ui/api/queries.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Facts, PageHead, Waiting } from "#ui/parts/page.tsx";
import { number } from "#ui/words/numbers.ts";

export function Page() {
  const read = useRead("getInstallation", {});
  const installation = read.data?.data;
  const held = installation?.held ?? null;
  return (
    <>
      <PageHead title="Installation" />
      {installation === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          <section className="card" aria-label="This installation">
            <Facts
              of={[
                ["Version", installation.version],
                ["Database", installation.engine],
                ["Held", held === null ? "nothing" : `${number(held.messages)} messages`],
              ]}
            />
          </section>
          {installation.engine === "sqlite" ? (
            <section className="card" aria-labelledby="backup">
              <h2 id="backup">Back it up</h2>
              <p>While it runs or not; the master key goes to a file of its own, to be kept apart.</p>
              <Snippet text="npm run backup -- trunkline.backup --key master.key.backup" block />
            </section>
          ) : null}
        </>
      )}
    </>
  );
}
