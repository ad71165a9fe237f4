// How schemathesis is set up, and what it must not expect, with the reasons.

import { join } from "node:path";
import { apiKey, managementToken, poolKey } from "./installation.ts";

/** A check that is off for some operations. Everything else that schemathesis finds is a failure. */
interface Exception {
  check: string;
  operations: readonly string[];
  reason: string;
}

/** Operations of Google's API, which are there in two versions. */
const contentOperations = (names: readonly string[]) => names.flatMap((name) => [name, `${name}InStable`]);

export const exceptions: readonly Exception[] = [
  {
    check: "negative_data_rejection",
    operations: ["createChatCompletion", "createEmbedding"],
    reason: "Parameters are passed on to the provider unchanged, so the provider judges them.",
  },
  {
    check: "negative_data_rejection",
    operations: contentOperations(["createContent", "createContentStream", "countContentTokens"]),
    reason:
      "Google's clients may write a text or one part where the document has lists, and all of them are taken.",
  },
  {
    check: "negative_data_rejection",
    operations: ["countResponseTokens"],
    reason: "Items are counted as they are. Only the request itself is judged.",
  },
  {
    check: "positive_data_acceptance",
    operations: ["createCompletion", "createCompaction"],
    reason:
      "They are passed on, and the pool of this run has no member that has them: 400 `operation_not_served`.",
  },
  {
    check: "positive_data_acceptance",
    operations: [
      "createMessage",
      ...contentOperations([
        "createContent",
        "createContentStream",
        "countContentTokens",
        "createContentEmbeddings",
      ]),
    ],
    reason:
      "Vendors answer 400, and not 422, for rules that JSON Schema does not express: roles and kinds of parts that the member does not take, one of two fields, one `outputDimensionality` in a batch.",
  },
];

/** `schemathesis.toml`. Each phase runs at most `examples` cases per operation. */
export function schemathesisConfig({ managed, examples }: { managed: string; examples: number }): string {
  const text = (value: string) => JSON.stringify(value);
  const disabled = exceptions.map(
    ({ check, operations, reason }) =>
      `# ${reason}\n[[operations]]\ninclude-operation-id = ${JSON.stringify(operations)}\nchecks.${check}.enabled = false`,
  );
  return `continue-on-failure = true
hooks = ${text(join(import.meta.dirname, "hooks.py"))}
request-timeout = 20
color = false
warnings = false

[generation]
max-examples = ${examples}
database = "none"

[parameters]
"path.account" = ${text(managed)}

[auth.openapi.apiKeyHeader]
api_key = ${text(apiKey)}

[auth.openapi.poolKey]
bearer = ${text(poolKey)}

[auth.openapi.managementToken]
bearer = ${text(managementToken)}

# A 422 also answers rules that JSON Schema cannot express: phone numbers, time zones, cursors, the settings of a kind,
# names that are taken, fields that depend on each other.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "422", "429", "5xx"]

${disabled.join("\n\n")}
`;
}
