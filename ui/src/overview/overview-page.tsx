import { Link } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Empty, Facts, PageHead, Problem, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";
import { AttentionLine } from "./attention.tsx";

/** Of the account and of what it has: what needs a person, and the credit. */
function useOverview() {
  const { id: account } = useAccount();
  return useRead("getOverview", { params: { account } });
}

/** What needs a person: one line for each thing, the worst first. All is well when the API names nothing. */
function NeedsYou() {
  const { role } = useSession();
  const overview = useOverview();
  const installation = useRead("getInstallation", {}, { enabled: role === "operator", every: 30_000 });
  const items = overview.data?.data.attention ?? [];
  const held = installation.data?.data.held ?? null;
  const isKnown = overview.data !== undefined && (role !== "operator" || installation.data !== undefined);
  return (
    <section className="card" aria-labelledby="needs">
      <h2 id="needs">Needs you</h2>
      {overview.data === undefined ? <Waiting error={overview.error} /> : <Problem error={overview.error} />}
      <Problem error={installation.error} />
      {isKnown && items.length === 0 && held === null ? <p className="good">All is well.</p> : null}
      {held === null ? null : (
        <p>
          <Status of="paused">held</Status> Restored from a copy of <Time at={held.at} />:{" "}
          {number(held.messages)} messages and {number(held.deliveries)} webhook deliveries of this
          installation wait. <Link to="/installation">Release or cancel them</Link>
        </p>
      )}
      {items.map((item) => (
        <AttentionLine key={`${item.kind} ${item.subject?.id}`} item={item} />
      ))}
    </section>
  );
}

function Credit() {
  const overview = useOverview();
  const { plan } = useAccount();
  return (
    <section className="card" aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      {overview.data === undefined ? (
        <Waiting error={overview.error} />
      ) : (
        <Facts
          of={(["sms", "whatsapp", "email"] as const).map((channel) => {
            const balance = overview.data.data.credit[channel];
            return [
              channel,
              balance === null ? "unlimited" : `${number(balance.remaining)} of ${number(balance.allowance)}`,
            ] as const;
          })}
        />
      )}
      <p className="soft">
        Plan {plan.name}
        {plan.renews === null ? "" : ", renews monthly"}
      </p>
    </section>
  );
}

function Recent() {
  const { id: account } = useAccount();
  const recent = useRead("listAccountMessages", { params: { account }, query: { limit: 8 } });
  const curl = `curl ${location.origin}/api/sms/send -H "Api-key: $TRUNKLINE_KEY" -H 'Content-Type: application/json' \\
  -d '{"contact":[{"number":"+15550000001","message":"Hello from Trunkline"}]}'`;
  return (
    <section className="stack" aria-labelledby="recent">
      <h2 id="recent">Latest messages</h2>
      {recent.data === undefined ? <Waiting error={recent.error} /> : null}
      {recent.data?.data.length === 0 ? (
        <Empty>
          <p>Nothing has been sent yet. Send the first message with the account's API key:</p>
          <Snippet text={curl} block />
          <p>
            or <Link to={`/a/${account}/gateways`}>send a test through a gateway</Link>.
          </p>
        </Empty>
      ) : null}
      {recent.data === undefined || recent.data.data.length === 0 ? null : (
        <ul className="card">
          {recent.data.data.map((record) => (
            <li key={record.id} className="row apart">
              <span className="row">
                <Status of={record.status} />
                <Link to={`/a/${account}/messages/${record.id}`} className="mono">
                  {record.channel === "email" ? record.email : record.recipient}
                </Link>
              </span>
              <span className="soft">
                {record.gateway_identifier} · <Time at={record.created_at} brief />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Pools() {
  const { id: account } = useAccount();
  const pools = useRead("listPools", { params: { account } }, { every: 60_000 });
  const overview = useOverview();
  const down = (pool: string) =>
    overview.data?.data.attention.filter(
      ({ kind, href }) => kind === "member_down" && href.includes(`/pools/${pool}/`),
    ).length ?? 0;
  return (
    <section className="card" aria-labelledby="pools">
      <h2 id="pools">AI pools</h2>
      {pools.data === undefined ? <Waiting error={pools.error} /> : null}
      {pools.data?.data.length === 0 ? <p className="soft">There is no pool.</p> : null}
      {pools.data?.data.map((pool) => (
        <p key={pool.id}>
          <Link to={`/a/${account}/pools/${pool.id}`}>{pool.name}</Link>: {pool.members.length}{" "}
          {pool.members.length === 1 ? "member" : "members"},{" "}
          {pool.members.filter(({ active }) => active).length} switched on
          {down(pool.id) === 0 ? null : (
            <>
              , <span className="bad">{down(pool.id)} down</span>
            </>
          )}
        </p>
      ))}
    </section>
  );
}

export function Page() {
  const account = useAccount();
  return (
    <>
      <PageHead title="Overview">
        <span className="soft">
          {account.name} · {account.time_zone}
        </span>
      </PageHead>
      <NeedsYou />
      <div className="grid">
        <Credit />
        <Pools />
      </div>
      <Recent />
    </>
  );
}
