// The messages held after a restore, on every page: since when, how many, and how to end the hold.

import { useChange, useRead } from "#ui/api/queries.ts";
import { useSession } from "#ui/parts/account.ts";
import { Ask } from "#ui/parts/over/ask.tsx";
import { Waiting } from "#ui/parts/page.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

const counted = (count: number, one: string, many = `${one}s`) =>
  `${number(count)} ${count === 1 ? one : many}`;

/** For operators, who can end the hold. */
function OfInstallation() {
  const read = useRead("getInstallation", {}, { every: 60_000 });
  const release = useChange("releaseHeldMessages");
  const cancel = useChange("cancelHeldMessages");
  if (read.isPending) return <Waiting error={null} />;
  const held = read.data?.data.held ?? null;
  if (held === null) return null;
  const messages = counted(held.messages, "message");
  return (
    <section className="notice warn held" aria-labelledby="held">
      <strong id="held">
        Restored from a copy of <Time at={held.at} />: what was pending in it is held
      </strong>
      <p>
        Waiting: {messages}, {counted(held.deliveries, "webhook delivery", "webhook deliveries")} and{" "}
        {counted(held.events, "event")}. Nothing is sent automatically. Compare with your provider's log
        first: messages that the original sent after the copy are not known here.
      </p>
      <div className="row">
        <Ask
          verb="Release"
          label="Release…"
          title="Release what is held"
          effect={`The held messages will be sent: ${messages}.`}
          typed={String(held.messages)}
          run={() => release.mutateAsync({})}
        />
        <Ask
          verb="Cancel them"
          label="Cancel…"
          title="Cancel what is held"
          effect={`The held messages will be cancelled and never sent: ${messages}.`}
          typed={String(held.messages)}
          run={() => cancel.mutateAsync({})}
        />
      </div>
    </section>
  );
}

/** For members: how many of the account's own messages wait. */
function OfAccount({ account }: { account: string }) {
  const read = useRead("getOverview", { params: { account } }, { every: 60_000 });
  if (read.isPending) return <Waiting error={null} />;
  const held = read.data?.data.attention.find(({ kind }) => kind === "held");
  if (held === undefined) return null;
  const { n, more } = held.count ?? { n: 0, more: false };
  return (
    <section className="notice warn held" aria-label="Held">
      <strong>
        {number(n)}
        {more ? " or more" : ""} {n === 1 && !more ? "message is" : "messages are"} held
      </strong>
      <p>
        This installation was restored from a copy. What was pending in it waits until an operator releases
        it.
      </p>
    </section>
  );
}

export function HeldNotice({ account }: { account: string | undefined }) {
  const { role } = useSession();
  if (role === "operator") return <OfInstallation />;
  return account === undefined ? null : <OfAccount account={account} />;
}
