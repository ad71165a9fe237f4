// Writes what an installation has as a provisioning file. A secret is a variable, `${NAME}`: its text is never written. Equal installations
// have equal exports, so an export that is applied to a fresh installation is that one's export too.

import type { z } from "zod";
import { findAdapter } from "#gateways/registry.ts";
import { findProvider } from "#providers/registry.ts";
import { mapSettings } from "#settings/secrets.ts";
import { type PresentAccount, type PresentDeps, readPresentAccounts, readPresentTokens } from "./present.ts";

/** A variable of the export. Only its name leaves this process. */
interface ExportedVariable {
  name: string;
  /** What it stands for: the text, or where only its hash is known, that. */
  secret: { text: string } | { hash: string };
}

export interface Exported {
  /** The file, with `${NAME}` for each variable. */
  file: Readonly<Record<string, unknown>>;
  variables: ExportedVariable[];
  /** Sentences about what the file cannot hold. */
  leftOut: string[];
}

const isVariable = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** Names the variables of one export, each once. */
class Variables {
  readonly all: ExportedVariable[] = [];
  readonly #names = new Set<string>();

  /** The placeholder of a secret, named by its place. */
  add(words: readonly (string | number)[], secret: ExportedVariable["secret"]): string {
    const joined = words
      .join("_")
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, "_");
    // Not a setting of the service, and no digit first.
    const stem = /^(?:TRUNKLINE_|\d|_*$)/.test(joined) ? `_${joined}` : joined;
    let name = stem;
    for (let count = 2; this.#names.has(name); count++) name = `${stem}_${count}`;
    this.#names.add(name);
    this.all.push({ name, secret });
    return `\${${name}}`;
  }

  /** Texts that would be read as variables become variables, and what is null is left out. */
  plain(value: unknown, words: readonly (string | number)[]): unknown {
    if (typeof value === "string") return isVariable.test(value) ? this.add(words, { text: value }) : value;
    if (Array.isArray(value)) return value.map((item, at) => this.plain(item, [...words, at + 1]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, this.plain(item, [...words, name])]),
    );
  }
}

type Kind = { settings: z.ZodObject };
type Words = readonly (string | number)[];

export async function exportProvision(deps: PresentDeps): Promise<Exported> {
  const present = await readPresentAccounts(deps);
  const variables = new Variables();
  const leftOut: string[] = [];
  const accounts = present.map((account) => accountEntry(account, variables, leftOut));
  const management_tokens = (await readPresentTokens(deps, present)).map(({ fields, hash }) => ({
    ...(variables.plain(fields, ["token", fields.name]) as object),
    ...keyOf("token", hash, variables, [fields.name, "token"]),
  }));
  return { file: { accounts, management_tokens }, variables: variables.all, leftOut };
}

const keyOf = (field: string, hash: string | null, variables: Variables, words: Words) =>
  hash === null ? {} : { [field]: variables.add(words, { hash }) };

function accountEntry(present: PresentAccount, variables: Variables, leftOut: string[]) {
  const { account, gateways, sending_domains, webhooks, hooks, pools } = present;
  const { name } = account.fields;
  const settings = (kind: Kind | null | undefined, what: string, value: unknown, words: Words) => {
    if (!kind) {
      leftOut.push(`${what}: this version does not know its kind.`);
      return null;
    }
    const shown = mapSettings(kind.settings, value, (leaf, path, secret) => {
      const place = [...words, ...path.map((part) => (typeof part === "number" ? part + 1 : part))];
      return secret && typeof leaf === "string"
        ? variables.add(place, { text: leaf })
        : variables.plain(leaf, place);
    });
    return { settings: shown };
  };
  return {
    ...(variables.plain(account.fields, [name]) as object),
    ...keyOf("api_key", account.hash, variables, [name, "api_key"]),
    gateways: gateways.flatMap(({ settings: own, ...fields }) => {
      const kind = findAdapter(fields.kind, fields.channel);
      const words = [fields.identifier];
      const shown = settings(kind, `gateway ${fields.identifier}`, own, words);
      return shown === null ? [] : [{ ...(variables.plain(fields, words) as object), ...shown }];
    }),
    sending_domains: sending_domains.map(({ domain, keys }) => ({
      domain,
      keys: keys.map(({ selector, private_key }) => ({
        selector,
        private_key: variables.add([name, domain, selector, "private_key"], { text: private_key }),
      })),
    })),
    webhooks: webhooks.map(({ url, secret, ...fields }, at) => {
      const words = [name, "webhook", at + 1];
      return {
        // A key may be in its query, and for some receivers in its path: an export is a file that people commit.
        url: variables.add([...words, "url"], { text: url }),
        secret: variables.add([...words, "secret"], { text: secret }),
        ...(variables.plain(fields, words) as object),
      };
    }),
    hooks: hooks.map(({ fields, hash }) => {
      const words = [name, "hook", fields.name];
      return {
        ...(variables.plain(fields, words) as object),
        ...keyOf("key", hash, variables, [...words, "key"]),
      };
    }),
    pools: pools.map(({ fields, members, keys }) => ({
      ...(variables.plain(fields, [name, fields.name]) as object),
      members: members.flatMap(({ settings: own, ...member }) => {
        const kind = findProvider(member.kind);
        const words = [name, fields.name, member.name];
        const shown = settings(kind, `account ${name}: pool ${fields.name}: ${member.name}`, own, words);
        return shown === null ? [] : [{ ...(variables.plain(member, words) as object), ...shown }];
      }),
      keys: keys.map(({ fields: key, hash }) => {
        const words = [name, fields.name, key.name];
        return {
          ...(variables.plain(key, words) as object),
          ...keyOf("key", hash, variables, [...words, "key"]),
        };
      }),
    })),
  };
}
