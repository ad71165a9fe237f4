// Which of a client's headers travel to a member that speaks the door's format. Its credentials, its organization, its
// cookies and what is meant for the gateway do not; across formats no header does.

const names: ReadonlySet<string> = new Set([
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
  "session-id",
  "thread-id",
  "x-client-request-id",
  "originator",
  "x-app",
]);
const prefixes: readonly string[] = ["x-openai-internal-", "x-codex-", "x-claude-code-"];

/** `headers`: by names in lower case, as Node gives them. */
export function forwardedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const travelling: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !(names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))))
      continue;
    travelling[name] = typeof value === "string" ? value : value.join(", ");
  }
  return travelling;
}
