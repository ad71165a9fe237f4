import { Link } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Empty, Facts, PageHead, Problem, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { number } from "#ui/words/numbers.ts";

/** What needs a person: one line for each thing, with its reason and where to look. */
function NeedsYou() {
  const { id: account } = useAccount();
  const { role } = useSession();
  const gateways = useRead("listGateways", { params: { account } });
  const webhooks = useRead("listWebhooks", { params: { account } });
  const unknown = useRead("listAccountMessages", {
    params: { account },
    query: { status: "unknown", limit: 10 },
  });
  const installation = useRead("getInstallation", {}, { enabled: role === "operator" });
  const error = gateways.error ?? webhooks.error ?? unknown.error;
  const troubled = gateways.data?.data.filter(({ state }) => state === "paused" || state === "stopped") ?? [];
  const failing =
    webhooks.data?.data.filter(({ failing_since, disabled_at }) => failing_since ?? disabled_at) ?? [];
  const doubts = unknown.data?.data.length ?? 0;
  const held = installation.data?.data.held ?? null;
  const waiting = gateways.data === undefined || webhooks.data === undefined || unknown.data === undefined;
  const calm = troubled.length + failing.length + doubts === 0 && held === null;
  return (
    <section className="card" aria-labelledby="needs">
      <h2 id="needs">Needs you</h2>
      <Problem error={error} />
      {waiting && !error ? <Waiting error={null} /> : null}
      {!waiting && calm ? <p className="good">All is well.</p> : null}
      {held === null ? null : (
        <p>
          <Status of="paused">held</Status> Restored from a copy of <Time at={held.at} />:{" "}
          {number(held.messages)} messages and {number(held.deliveries)} webhook deliveries wait for an
          operator.
        </p>
      )}
      {troubled.map((gateway) => (
        <p key={gateway.id}>
          <Status of={gateway.state} />{" "}
          <Link to={`/a/${account}/gateways/${gateway.identifier}`}>{gateway.identifier}</Link>
          {gateway.pause === null ? null : (
            <>
              : {gateway.pause.reason} · since <Time at={gateway.pause.since} />
              {gateway.pause.until === null ? null : (
                <>
                  {" "}
                  · next try <Time at={gateway.pause.until} brief />
                </>
              )}
            </>
          )}{" "}
          · {number(gateway.waiting)} wait
        </p>
      ))}
      {doubts === 0 ? null : (
        <p>
          <Status of="unknown">
            {doubts >= 10 ? "10+" : doubts} {doubts === 1 ? "message is" : "messages are"} unknown
          </Status>{" "}
          They may or may not have been sent.{" "}
          <Link to={`/a/${account}/messages`} search={{ status: "unknown" } as never}>
            Answer
          </Link>
        </p>
      )}
      {failing.map((webhook) => (
        <p key={webhook.id}>
          <Status of="open">{webhook.disabled_at === null ? "fails" : "switched off"}</Status>{" "}
          <Link to={`/a/${account}/webhooks/${webhook.id}`}>{webhook.url}</Link>
          {webhook.disabled_reason === null ? null : `: ${webhook.disabled_reason}`}
          {webhook.failing_since === null ? null : (
            <>
              {" "}
              · since <Time at={webhook.failing_since} />
            </>
          )}
        </p>
      ))}
    </section>
  );
}

function Credit() {
  const { id: account, plan } = useAccount();
  const credit = useRead("getCredit", { params: { account } });
  return (
    <section className="card" aria-labelledby="credit">
      <h2 id="credit">Credit</h2>
      {credit.data === undefined ? (
        <Waiting error={credit.error} />
      ) : (
        <Facts
          of={(["sms", "whatsapp", "email"] as const).map((channel) => {
            const balance = credit.data.data[channel];
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
  const pools = useRead("listPools", { params: { account } });
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
