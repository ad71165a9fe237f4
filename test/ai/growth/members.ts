// A member of each provider, as the reference pages show it.

import { parse } from "yaml";
import type { Provider } from "#providers/provider.ts";
import { memberExamples } from "../../../scripts/docs-examples.ts";
import { credentials } from "../../providers/vertex/key-file.ts";

/** The settings of the member, and the models of it that are asked. */
export function memberOf({ kind, settings }: Provider): { settings: unknown; models: readonly string[] } {
  const [example] = parse(memberExamples[kind] ?? "[]");
  const filled = JSON.parse(JSON.stringify(example.settings ?? {}), (_, value) =>
    typeof value !== "string" || !value.startsWith("${")
      ? value
      : value.includes("GOOGLE")
        ? credentials
        : "secret",
  );
  const others = kind === "vertex" ? ["claude-sonnet-4-5@20250929"] : [];
  const { models } = example;
  // The last of the sandbox's models reads tools, the others messages and formats.
  const asked = kind === "sandbox" ? [models.at(0), models.at(-1)] : [...models, ...others];
  return { settings: settings.parse(filled), models: asked };
}
