import { Link } from "@tanstack/react-router";
import { useRead } from "#ui/api/queries.ts";
import { useAccount, useSession } from "#ui/parts/account.ts";
import { Table } from "#ui/parts/list/table.tsx";
import { PageHead, Problem, Section, Waiting } from "#ui/parts/page.tsx";
import { Status } from "#ui/parts/status.tsx";
import { number } from "#ui/words/numbers.ts";
import { bySeverity, columns, type Line, lineOf } from "./attention.tsx";
import { RangeFigures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";

/** What needs a person: one line for each item, the worst first. If the API lists nothing, all is well. */
function NeedsYou() {
  const { role } = useSession();
  const { id: account } = useAccount();
  const overview = useRead("getOverview", { params: { account } });
  const installation = useRead("getInstallation", {}, { enabled: role === "operator", every: 30_000 });
  const items = overview.data?.data.attention ?? [];
  const held = installation.data?.data.held ?? null;
  const outdated = installation.data?.data.node.outdated ?? null;
  const look = (verb: string) => (
    <Link to="/installation" className="button">
      {verb}
    </Link>
  );
  const ofInstallation = { name: "Installation", since: null, next: null } as const;
  const lines: Line[] = [
    ...(held === null
      ? []
      : [
          {
            ...ofInstallation,
            key: "held",
            severity: "error" as const,
            state: ["paused", "held"] as const,
            why: `A backup was restored: ${number(held.messages)} messages and ${number(held.deliveries)} webhook deliveries wait`,
            since: held.at,
            act: look("Release or cancel"),
          },
        ]),
    ...items.map(lineOf),
    ...(outdated === null
      ? []
      : [
          {
            ...ofInstallation,
            key: "node",
            severity: "warning" as const,
            state: ["doubtful", "old Node"] as const,
            why: outdated,
            act: look("View"),
          },
        ]),
  ];
  const isWell = lines.length === 0;
  // An earlier answer is no longer current if the service does not answer.
  const isKnown =
    overview.isSuccess && overview.error === null && (role !== "operator" || installation.isSuccess);
  return (
    <Section title="Needs attention">
      {overview.data === undefined ? <Waiting error={overview.error} /> : <Problem error={overview.error} />}
      <Problem error={installation.error} />
      {isKnown && isWell ? (
        <p>
          <Status of="ok">All is well.</Status>
        </p>
      ) : null}
      {isWell ? null : (
        <Table
          label="Causes, the most severe first"
          rows={bySeverity(lines)}
          id={({ key }) => key}
          columns={columns}
        />
      )}
    </Section>
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
      <FirstSteps />
      <RangeFigures />
    </>
  );
}
