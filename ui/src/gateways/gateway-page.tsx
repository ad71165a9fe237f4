import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useChange, useRead } from "#ui/api/queries.ts";
import type { Gateway } from "#ui/api/schema.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { channelNames } from "#ui/parts/channels.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Back } from "#ui/parts/link.tsx";
import { Ask } from "#ui/parts/over/ask.tsx";
import { More } from "#ui/parts/over/more.tsx";
import { done } from "#ui/parts/over/toast.tsx";
import { Facts, PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Time } from "#ui/parts/time.tsx";
import { duration, number } from "#ui/words/numbers.ts";
import { callbackToken, tokenHints } from "./callback-token.ts";
import { DeferringNotice, PauseNotice, Pauses } from "./gateway-pause.tsx";
import { GatewayState, LinkNotice, useKind } from "./gateway-state.tsx";
import { GatewayTabs } from "./gateway-tabs.tsx";
import { Now, Traffic } from "./gateway-traffic.tsx";
import { TestSend } from "./test-send.tsx";

function Actions({ gateway }: { gateway: Gateway }) {
  const { id: account } = useAccount();
  const params = { account, gateway: gateway.identifier };
  const pause = useChange("pauseGateway");
  const resume = useChange("resumeGateway");
  const makeDefault = useChange("setDefaultGateway");
  const remove = useChange("deleteGateway");
  const navigate = useNavigate();
  const waits = gateway.state === "paused" || gateway.state === "stopped";
  return (
    <>
      {waits ? (
        <Button look="first" disabled={resume.isPending} onClick={() => resume.mutate({ params })}>
          {gateway.state === "paused" && gateway.pause?.until ? "Retry now" : "Resume"}
        </Button>
      ) : null}
      {gateway.state === "active" ? (
        <Ask
          verb="Pause"
          label="Pause…"
          title={`Pause ${gateway.identifier}`}
          effect="Its messages wait until it is resumed. Nothing is lost."
          grave={false}
          run={async () => {
            await pause.mutateAsync({ params });
            done(`${gateway.identifier} is paused`, () => resume.mutateAsync({ params }));
          }}
        />
      ) : null}
      <Link to="/a/$account/gateways/$gateway/settings" params={params} className="button">
        Settings
      </Link>
      <More of={gateway.identifier}>
        {gateway.default ? null : (
          <Button disabled={makeDefault.isPending} onClick={() => makeDefault.mutate({ params })}>
            Make it the default
          </Button>
        )}
        <Ask
          verb="Delete"
          label="Delete…"
          title={`Delete ${gateway.identifier}`}
          effect={`${number(gateway.waiting)} messages wait for it. It takes no new ones, and is gone for good when those have ended.`}
          typed={gateway.identifier}
          run={async () => {
            const { data, message } = await remove.mutateAsync({ params });
            done(message);
            if (data.deleted) await navigate({ to: "/a/$account/gateways", params: { account } });
          }}
        />
      </More>
      <Problem error={resume.error ?? makeDefault.error} />
    </>
  );
}

const findingLooks = { ok: "ok", warning: "doubtful", error: "wrong", unknown: "unknown" } as const;

function Check({ gateway }: { gateway: Gateway }) {
  const { id: account } = useAccount();
  const check = useRead(
    "checkGateway",
    { params: { account, gateway: gateway.identifier } },
    { every: false, enabled: false },
  );
  return (
    <Section
      title="Check with the provider"
      actions={
        <Button disabled={check.isFetching} onClick={() => check.refetch()}>
          {check.isFetching ? "Checking…" : "Check"}
        </Button>
      }
    >
      <Problem error={check.error} />
      {check.data?.data.findings.length === 0 ? <p className="good">Nothing is wrong.</p> : null}
      <ul className="stack tight">
        {check.data?.data.findings.map(({ what, state, detail }) => (
          <li key={`${what} ${detail}`}>
            <Status of={findingLooks[state]}>{state}</Status> {what}: {detail}
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function Page() {
  const { id: account } = useAccount();
  const { gateway: identifier = "" } = useParams({ strict: false }) as { gateway?: string };
  const read = useRead("getGateway", { params: { account, gateway: identifier } });
  const gateway = read.data?.data;
  const kind = useKind(gateway);
  const token = gateway === undefined ? "none" : callbackToken(gateway, kind);
  return (
    <>
      <PageHead
        title={identifier}
        back={<Back to="/a/$account/gateways" params={{ account }} of="Gateways" />}
      >
        {gateway === undefined ? null : <Actions gateway={gateway} />}
      </PageHead>
      <GatewayTabs gateway={gateway} kind={kind} />
      {gateway === undefined ? (
        <Waiting error={read.error} />
      ) : (
        <>
          <p className="row">
            <GatewayState gateway={gateway} />
            <span className="soft">
              {kind?.title ?? gateway.kind} · {channelNames[gateway.channel]}
            </span>
            {gateway.default ? <span className="tag">default</span> : null}
            {gateway.test ? <span className="tag">test: nothing is sent</span> : null}
            {gateway.draining ? <span className="tag">being deleted: it sends its queue first</span> : null}
          </p>
          {gateway.active && kind?.links ? <LinkNotice gateway={gateway} /> : null}
          <PauseNotice gateway={gateway} />
          <DeferringNotice gateway={gateway} />
          <Now gateway={gateway} />
          <Traffic gateway={gateway.identifier} />
          <Pauses gateway={gateway.identifier} />
          <Section title="How it sends">
            <Facts
              of={{
                Retries: `first after ${duration(gateway.retry.first_ms)}, for ${duration(gateway.retry.for_ms)}`,
                "Slowed down":
                  gateway.slowed === null ? null : (
                    <span>
                      {number(gateway.slowed.factor)} times slower, because the phone may not send so fast;
                      its own pace again <Time at={gateway.slowed.until} />
                    </span>
                  ),
                "Unknown outcomes": gateway.on_unknown,
                Session:
                  gateway.session === null ? null : (
                    <span>
                      <Status of={gateway.session.state} /> {gateway.session.reason}
                    </span>
                  ),
                "Unknown status word":
                  gateway.unknown_word === null ? null : <code>{gateway.unknown_word.word}</code>,
                Receipts:
                  gateway.receipts_unmatched_since === null ? null : (
                    <span>
                      name no message of this gateway since <Time at={gateway.receipts_unmatched_since} />
                    </span>
                  ),
                Notice:
                  gateway.provider?.notice == null ? null : (
                    <span>
                      {gateway.provider.notice.text} (<Time at={gateway.provider.notice.at} />)
                    </span>
                  ),
                "Callback URL":
                  gateway.callback_url === null ? null : (
                    <div className="stack tight">
                      <Snippet text={`${gateway.callback_url}${token === "none" ? "" : "?token=TOKEN"}`} />
                      {token === "none" ? null : <span className="hint">{tokenHints[token]}</span>}
                    </div>
                  ),
                "Last heard of":
                  gateway.callback_url === null &&
                  gateway.reported_at === null ? null : gateway.reported_at === null ? (
                    "never: no report has come in"
                  ) : (
                    <Time at={gateway.reported_at} />
                  ),
                Changed: <Time at={gateway.updated_at} />,
              }}
            />
          </Section>
          {gateway.active ? <TestSend gateway={gateway} /> : null}
          {kind?.checks === true ? <Check gateway={gateway} /> : null}
        </>
      )}
    </>
  );
}
