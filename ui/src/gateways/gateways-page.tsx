import { Link } from "@tanstack/react-router";
import { Plus, RadioTower } from "lucide-react";
import { useRead } from "#ui/api/queries.ts";
import { words } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { RowLink } from "#ui/parts/link.tsx";
import { Empty, PageHead, Waiting } from "#ui/parts/page.tsx";
import { Due, WithTimes } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { GatewayState } from "./gateway-state.tsx";

const worst = ["stopped", "paused", "active", "off"];

export function Page() {
  const { id: account } = useAccount();
  const read = useRead("listGateways", { params: { account } });
  const gateways = (read.data?.data ?? []).toSorted(
    (a, b) => worst.indexOf(a.state) - worst.indexOf(b.state),
  );
  return (
    <>
      <PageHead title="Gateways">
        <Link to="/a/$account/gateways/new" params={{ account }} className="button first">
          <Plus aria-hidden="true" /> Add a gateway
        </Link>
      </PageHead>
      {read.data === undefined ? <Waiting error={read.error} /> : null}
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
            <h2 id={`channel-${channel}`}>{channel}</h2>
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
                    <span className="soft">{gateway.kind}</span>
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
                  <p className="soft">
                    {number(gateway.waiting)} {gateway.waiting === 1 ? "waits" : "wait"}
                  </p>
                </article>
              ))}
            </div>
          </section>
        );
      })}
    </>
  );
}
