// The changes of a release to files of this repository.

/** `1.2.3`, or `1.2.3-rc.1`. */
const versionForm = /^(\d+)\.(\d+)\.(\d+)(?:-[a-z0-9]+(?:\.[a-z0-9]+)*)?$/;

function partsOf(version: string): number[] {
  const [, ...parts] = versionForm.exec(version) ?? [];
  if (parts.length < 3) throw new Error(`${version} is no version such as 1.2.3 or 1.2.3-rc.1.`);
  return parts.slice(0, 3).map(Number);
}

/** Throws unless `next` comes after `current`; a pre-release comes before its release. */
export function checkNext(current: string, next: string): void {
  const [from, to] = [partsOf(current), partsOf(next)];
  const at = from.findIndex((part, index) => part !== to[index]);
  const later = at === -1 ? current.includes("-") && !next.includes("-") : (to[at] ?? 0) > (from[at] ?? 0);
  if (!later) throw new Error(`${next} does not come after ${current}.`);
}

/** Maximum age of list prices at a release, days: vendors release models every few weeks. */
const maxPriceDays = 60;

/** Throws if the list prices of `date` are too old for a release on `today`; both as `2026-11-26`. */
export function checkPrices(date: string, today: string): void {
  const days = (Date.parse(today) - Date.parse(date)) / 86_400_000;
  if (days > maxPriceDays)
    throw new Error(
      `The list prices are ${days} days old, and may be ${maxPriceDays}: run npm run prices, and commit what it writes.`,
    );
}

/** The changelog with the unreleased part under the version, and a new empty part above it. `date`: `2026-11-26`. */
export function cutChangelog(text: string, version: string, date: string): string {
  const heading = "## Unreleased\n";
  const at = text.indexOf(heading);
  if (at === -1) throw new Error("CHANGELOG.md has no part called Unreleased.");
  const rest = text.slice(at + heading.length);
  const end = rest.search(/^## /m);
  const part = end === -1 ? rest : rest.slice(0, end);
  if (part.trim() === "") throw new Error("Nothing is unreleased in CHANGELOG.md.");
  return `${text.slice(0, at)}${heading}\n## ${version} (${date})\n${rest}`;
}

/** The part of a version, for the release notes. */
export function notesOf(changelog: string, version: string): string {
  const [, after] = changelog.split(new RegExp(`^## ${version.replaceAll(".", "\\.")} \\([\\d-]+\\)\n`, "m"));
  if (after === undefined) throw new Error(`CHANGELOG.md has no part of ${version}.`);
  const end = after.search(/^## /m);
  return (end === -1 ? after : after.slice(0, end)).trim();
}

/** A `package.json` or `package-lock.json` with the new version and its layout unchanged. */
export function bumped(text: string, version: string): string {
  const file = JSON.parse(text) as { version: string; packages?: Record<string, { version?: string }> };
  file.version = version;
  const root = file.packages?.[""];
  if (root !== undefined) root.version = version;
  return `${JSON.stringify(file, null, /^ +/m.exec(text)?.[0] ?? 2)}\n`;
}

/** The Helm chart's `Chart.yaml` with the new version in both places. */
export function bumpedChart(text: string, version: string): string {
  const changed = text.replace(/^version: .*$/m, `version: ${version}`);
  return changed.replace(/^appVersion: .*$/m, `appVersion: "${version}"`);
}
