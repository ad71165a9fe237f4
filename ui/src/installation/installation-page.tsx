import { useChange, useRead } from "#ui/api/queries.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { Facts, PageHead, Waiting } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

export function Page() {
  const read = useRead("getInstallation", {});
  const release = useChange("releaseHeldMessages", ["getInstallation"]);
  const cancel = useChange("cancelHeldMessages", ["getInstallation"]);
  const installation = read.data?.data;
  const held = installation?.held ?? null;
  return (
    <>
      <PageHead title="Installation" />
      {installation === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          {held === null ? null : (
            <section className="notice warn" aria-labelledby="held">
              <strong id="held">What was pending when this copy was made is held</strong>
              <p>
                Restored from a copy of <Time at={held.at} />: {number(held.messages)} messages,{" "}
                {number(held.deliveries)} webhook deliveries and {number(held.events)} events wait. Compare
                with your provider's log first: what the original sent after the copy is not known here.
              </p>
              <div className="row">
                <Ask
                  verb="Release"
                  label="Release…"
                  title="Release what is held"
                  effect={`${number(held.messages)} messages go out.`}
                  typed={String(held.messages)}
                  run={() => release.mutateAsync({})}
                />
                <Ask
                  verb="Cancel them"
                  label="Cancel…"
                  title="Cancel what is held"
                  effect={`${number(held.messages)} messages are cancelled and never go out.`}
                  typed={String(held.messages)}
                  run={() => cancel.mutateAsync({})}
                />
              </div>
            </section>
          )}
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
