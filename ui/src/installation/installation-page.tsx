import { useRead } from "#ui/api/queries.ts";
import type { InstallationDetailsReply, InstallationReply } from "#ui/api/schema.ts";
import { Snippet } from "#ui/parts/copy.tsx";
import { Facts, Figures, PageHead, Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { Moment, useNow } from "#ui/parts/time.tsx";
import { bytes, duration } from "#ui/words/numbers.ts";
import { Alerts } from "./alerts.tsx";
import { Backups } from "./backups.tsx";
import { HeldAccounts } from "./held-accounts.tsx";
import { Processes } from "./processes.tsx";

type Details = InstallationDetailsReply["data"];
type PublicUrl = InstallationReply["data"]["public_url"];

const kept = (days: number | null) => (days === null ? "forever" : `${days} ${days === 1 ? "day" : "days"}`);

function Uptime({ since }: { since: string }) {
  const now = useNow();
  return duration(Math.max(0, now - Date.parse(since)));
}

function Settings({ of, publicUrl }: { of: Details; publicUrl: PublicUrl }) {
  const { outbound_allow, retention, show_api_keys } = of;
  return (
    <Section title="Settings">
      <Facts
        of={{
          "Public address":
            publicUrl === null ? (
              <span>
                <Status of="doubtful">not set</Status> · providers cannot call back; set TRUNKLINE_PUBLIC_URL
              </span>
            ) : (
              <Snippet text={publicUrl} />
            ),
          "Requests may reach": ["public addresses", ...outbound_allow].join(", "),
          "API keys": show_api_keys ? "can be shown again" : "are shown once",
          "Keeps messages": kept(retention.messages_days),
          "Keeps webhook events": kept(retention.webhooks_days),
          "Keeps the audit log": kept(retention.audit_days),
          "Keeps AI calls": kept(retention.usage_days),
          "Keeps deferred completions": kept(retention.deferred_days),
        }}
      />
      <p className="hint">
        These settings are read when the process starts. docs/reference/configuration.md lists all of them.
      </p>
    </Section>
  );
}

export function Page() {
  const read = useRead("getInstallation", {});
  const more = useRead("getInstallationDetails", {});
  const installation = read.data?.data;
  const details = more.data?.data;
  if (installation === undefined || details === undefined)
    return (
      <>
        <PageHead title="Installation" />
        <Waiting error={read.error ?? more.error} />
      </>
    );
  const { version, node, engine, public_url, process, started_at, held } = installation;
  return (
    <>
      <PageHead title="Installation" />
      <Figures
        of={[
          { name: "Version", value: version, note: `Node ${node.version}` },
          { name: "Database", value: bytes(details.size_bytes), note: engine },
          { name: "Up", value: <Uptime since={started_at} />, note: <Moment at={started_at} /> },
        ]}
      />
      {node.outdated === null ? null : (
        <p>
          <Status of="doubtful">old Node</Status> {node.outdated} Update Node, or rebuild the image on a newer
          one.
        </p>
      )}
      {held === null ? null : <HeldAccounts of={details.held_accounts} />}
      <Settings of={details} publicUrl={public_url} />
      <Processes of={details.processes} answering={process} />
      <Backups engine={engine} commands={details.commands} />
      <Alerts metrics={details.metrics} />
    </>
  );
}
