import { Link } from "@tanstack/react-router";
import { Plus, RadioTower } from "lucide-react";
import { useRead } from "#ui/api/queries.ts";
import { type Gateway, type MessageStatistics, words } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { channelNames } from "#ui/parts/channels.ts";
import { acceptedByHour } from "#ui/parts/charts/outcomes.ts";
import { Sparkline } from "#ui/parts/charts/sparkline.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { Empty, PageHead, Waiting } from "#ui/parts/page.tsx";
import { Due, WithTimes } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { GatewayState, KindName } from "./gateway-state.tsx";

const worst = ["stopped", "paused", "active", "off"];

/** Its waiting messages, and its last day. */
function Busy({ gateway, statistics }: { gateway: Gateway; statistics: MessageStatistics | undefined }) {
  const { due, later, more } = gateway.queue;
  const own = statistics?.series.find(({ key }) => key === gateway.identifier);
  const values = statistics === undefined ? [] : acceptedByHour(statistics, own);
  const total = own?.total.accepted ?? 0;
  const words = `${number(total)} accepted in 24\u00a0h`;
  const waiting = [
    due === 0 ? "nothing due" : `${number(due)}${more ? "+" : ""} due`,
    ...(later === 0 ? [] : [`${number(later)} later`]),
  ].join(" · ");
  return (
    <div className="stack tight end">
      {total === 0 ? null : <Sparkline values={values} words={`${words}, by hour`} />}
      <p className="soft small row apart">
        <span>{waiting}</span>
        <span>{statistics === undefined ? "" : words}</span>
      </p>
    </div>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const read = useRead("listGateways", { params: { account } });
  const statistics = useRead(
    "getMessageStatistics",
    { params: { account }, query: { split: "gateway", step: "hour" } },
    { every: 30_000 },
  );
  const isPending = read.data === undefined || statistics.isPending;
  const gateways = (isPending ? [] : read.data.data).toSorted(
    (a, b) => worst.indexOf(a.state) - worst.indexOf(b.state),
  );
  return (
    <>
      <PageHead title="Gateways">
        <Link to="/a/$account/gateways/new" params={{ account }} className="button first">
          <Plus aria-hidden="true" /> Add a gateway
        </Link>
      </PageHead>
      {isPending ? <Waiting error={read.error} /> : null}
      {read.data?.data.length === 0 ? (
        <Empty icon={RadioTower}>
          <p>There is no gateway yet. A gateway is the account's own connection to a provider.</p>
          <Link to="/a/$account/gateways/new" params={{ account }} className="button">
            Add the first one
          </Link>
        </Empty>
      ) : null}
      {words.Channel.map((channel) => {
        const own = gateways.filter((gateway) => gateway.channel === channel);
        return own.length === 0 ? null : (
          <section key={channel} className="stack" aria-labelledby={`channel-${channel}`}>
            <h2 id={`channel-${channel}`}>{channelNames[channel]}</h2>
            <div className="grid">
              {own.map((gateway) => (
                <article key={gateway.id} className="tile">
                  <div className="row apart">
                    <h3>
                      <RowLink
                        to="/a/$account/gateways/$gateway"
                        params={{ account, gateway: gateway.identifier }}
                      >
                        {gateway.identifier}
                      </RowLink>
                    </h3>
                    <GatewayState gateway={gateway} />
                  </div>
                  <div className="row">
                    <KindName gateway={gateway} />
                    {gateway.default ? <span className="tag">default</span> : null}
                    {gateway.test ? <span className="tag">test</span> : null}
                  </div>
                  {gateway.pause === null ? null : (
                    <p className="warn">
                      <WithTimes text={gateway.pause.reason} />
                      {gateway.pause.until === null ? null : (
                        <>
                          {" "}
                          · next try <Due at={gateway.pause.until} over="with the next message that is due" />
                        </>
                      )}
                    </p>
                  )}
                  <Busy gateway={gateway} statistics={statistics.data?.data} />
                </article>
              ))}
            </div>
          </section>
        );
      })}
    </>
  );
}
