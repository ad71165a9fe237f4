// `trunkline import litellm`: prints the provisioning file that a configuration of the LiteLLM proxy becomes, and what is not carried over.

import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { Failure, plain, type Terminal } from "#command-line/terminal.ts";
import { faultWords } from "#contract/fault-words.ts";
import { poolName } from "#contract/manage/pools/names.ts";
import { poolInput } from "#contract/manage/pools/pools.ts";
import { readYaml, yamlText } from "#provision/yaml.ts";
import { type Imported, importConfig } from "./litellm-config.ts";
import { fieldsOf, listOf } from "./litellm-providers.ts";

const maxBytes = 4 * 1024 * 1024;
const maxDeployments = 1_000;
/** In place of variables when the pool is checked: long enough for a key. */
const anyValue = "x".repeat(40);

interface LitellmOptions {
  account?: string;
  pool?: string;
  json?: boolean;
}

function configIn(path: string, shown: string): unknown {
  if (statSync(path).size > maxBytes) throw new Error(`${shown} has more than 4 MB.`);
  const read = readYaml(readFileSync(path, "utf8"));
  if ("value" in read) return read.value;
  throw new Error(`${shown} is not YAML${read.line === null ? "" : ` (line ${read.line})`}.`);
}

function report({ notes, variables }: Imported): string {
  const lines = notes.map(({ path, reason }) => plain(`  ${path}: ${reason}`));
  return [
    `It refers to these variables, which belong into .env: ${variables.join(", ")}.`,
    ...(lines.length === 0 ? ["Everything is carried over."] : ["To look at:", ...lines]),
    "",
  ].join("\n");
}

/** The provisioning file goes to the output, and what a person has to look at to the errors, so that a redirection keeps them apart. */
export async function importLitellm(
  terminal: Terminal,
  file: string,
  options: LitellmOptions,
): Promise<void> {
  const { account = "default", pool = "default", json } = options;
  if (!poolName.safeParse(pool).success) throw new Error("The pool has no valid name.");
  const config = configIn(resolve(terminal.folder, file), file);
  const { length } = listOf(fieldsOf(config).model_list);
  if (length > maxDeployments)
    throw new Error(`${file} has more than ${maxDeployments} entries in model_list.`);
  if (length === 0)
    throw new Error(`${file} has no model_list: it is not a configuration of the LiteLLM proxy.`);
  const imported = importConfig(config, pool);
  const filled = JSON.stringify(imported.pool).replaceAll(/\$\{\w+\}/g, anyValue);
  const checked = poolInput.safeParse(JSON.parse(filled), faultWords);
  if (!checked.success)
    throw new Failure(
      checked.error.issues.map(
        ({ path, message }) => `The pool would have an invalid ${path.join(".")}: ${message}.`,
      ),
    );
  const provision = { accounts: [{ name: account, pools: [imported.pool] }] };
  if (json) {
    const { variables, notes } = imported;
    terminal.output.write(`${JSON.stringify({ provision, variables, notes }, null, 2)}\n`);
    return;
  }
  terminal.output.write(yamlText(provision));
  terminal.errors.write(report(imported));
}
