// Shared rules of pools, members, keys and gateways: each is one definition, and is created, changed, checked and shown by the same rules.
// A row has columns for what statements select by. Its other fields are JSON in `rules`, in the terms of the API, so that a new one needs
// no column. Settings that depend on a kind are sealed as a whole.

import type { z } from "zod";
import type { Issue } from "#contract/issue.ts";
import { maxSettingsBytes } from "#contract/limits.ts";
import { applyChanges, readFields } from "#contract/resource-schema.ts";
import { isoTime } from "#contract/time.ts";
import type { Core } from "#core/core.ts";
import { masked } from "#settings/secrets.ts";
import type { Database, Operation } from "#store/database.ts";
import { changeRow, type Overtaken, type Revised } from "#store/revision.ts";
import type { Sealer } from "#store/seal.ts";
import type { Refusal } from "./changes.ts";
import {
  type Kind,
  maskIssues,
  mergeSettings,
  parseSettings,
  type SettingsChange,
} from "./settings-change.ts";

export type ConfigureDeps = Pick<Core, "clock" | "database" | "newId" | "outbound" | "sealer">;

/** The columns of every resource's table. */
interface ManagedRow extends Revised {
  id: string;
  /** JSON of the fields without a column. */
  rules: string;
  created_at: number;
  updated_at: number;
}

type Shape = z.core.$ZodShape;
type ObjectOf<S extends Shape> = z.ZodObject<S, z.core.$ZodObjectConfig>;
type FieldsOf<S extends Shape> = z.output<z.ZodObject<S>>;

/** The kinds of a resource whose settings depend on its kind. */
interface Kinds<Fields> {
  /** Null for an unknown kind. */
  find(fields: Fields): Kind | null;
  unknown(fields: Fields): Issue;
  /** The context in which the settings of the row with this id are sealed. */
  context(id: string): string;
}

/**
 * What is special about one resource. `Of`: what it belongs to.
 *
 * @example
 * const pools = defineResource({ noun: "pool", idPrefix: "pool", fields: poolFields, rules: poolRules, … });
 * await pools.update(deps, { accountId }, id, { revision: 3, deadline_ms: 5_000 });
 */
interface ResourceDefinition<Of, Row extends ManagedRow, S extends Shape, R extends Shape> {
  /** Names the resource in error messages. */
  noun: string;
  idPrefix: string;
  /** All fields of a request that creates it. */
  fields: ObjectOf<S>;
  /** The fields that are stored in `rules`. */
  rules: ObjectOf<R>;
  /** The columns of the other fields, and of its owner. */
  columns(
    fields: FieldsOf<S>,
    of: Of,
    existing: Row | null,
  ): Omit<Row, keyof ManagedRow | "settings"> & Partial<Row>;
  /** The other fields of a stored row. */
  fieldsOf(row: Row): Omit<FieldsOf<S>, keyof FieldsOf<R> | "settings">;
  kinds?: Kinds<FieldsOf<S>>;
  /** The fields to store if they depend on the previous ones, which are null if the resource is created. */
  settled?(fields: FieldsOf<S>, before: FieldsOf<S> | null): FieldsOf<S>;
  /** Checks that the schema cannot express. `before`: the stored fields; null if the resource is created. */
  check?(
    fields: FieldsOf<S>,
    deps: ConfigureDeps,
    of: Of,
    before: FieldsOf<S> | null,
  ): readonly Issue[] | Promise<readonly Issue[]>;
  /** Why the row must not change; null if it may. */
  refusal?(row: Row): Refusal | null;
  find(database: Database, of: Of, id: string): Promise<Row | null>;
  /** Stores a row if its revision is the one from which the change was computed, 0 for a new one, and increments it. */
  save: Operation<Row, string>;
  /** The outcome of `save` if another row has the name, and its issue. */
  taken: readonly [outcome: string, issue: Issue];
  /** The outcomes of `save` if the state of another resource does not allow the change, and the message for each. */
  conflicts?: Readonly<Record<string, string>>;
  /** The issues of other outcomes of `save`. */
  issues?: Readonly<Record<string, Issue>>;
}

export type Saved = { kind: "saved"; id: string };
/** `taken`: another row has the name, which was free, or had another row, when it was read. */
export type Stored = Saved | Refusal | { kind: "taken"; issue: Issue };
export type Prepared<Row> = { kind: "ready"; row: Row } | { kind: "invalid"; issues: Issue[] };

class Resource<Of, Row extends ManagedRow, S extends Shape, R extends Shape> {
  readonly #definition: ResourceDefinition<Of, Row, S, R>;

  constructor(definition: ResourceDefinition<Of, Row, S, R>) {
    this.#definition = definition;
  }

  /** The fields of a stored row that have no column. */
  rulesOf(row: Pick<ManagedRow, "rules">): FieldsOf<R> {
    return readFields(this.#definition.rules, JSON.parse(row.rules));
  }

  /** A stored row as the request that would create it, with its secrets in plain text. */
  fieldsOf(sealer: Sealer, row: Row): FieldsOf<S> {
    const { kinds, fieldsOf } = this.#definition;
    return {
      ...fieldsOf(row),
      ...this.rulesOf(row),
      ...(kinds ? { settings: JSON.parse(sealer.unseal(settingsIn(row), kinds.context(row.id))) } : {}),
    } as FieldsOf<S>;
  }

  /** A stored row as it may be shown: each secret is replaced by a mask. */
  shown(sealer: Sealer, row: Row) {
    const { kinds } = this.#definition;
    const fields = this.fieldsOf(sealer, row);
    const kind = kinds?.find(fields);
    // For a kind that no longer exists, it is not known which settings are secret.
    const settings = kind ? masked(kind.settings, (fields as { settings: unknown }).settings) : {};
    return {
      id: row.id,
      ...fields,
      ...(kinds ? { settings } : {}),
      revision: row.revision,
      created_at: isoTime(row.created_at),
      updated_at: isoTime(row.updated_at),
    };
  }

  /** All issues of a resource that is to be created or to replace `existing`. */
  async issues(deps: ConfigureDeps, of: Of, fields: FieldsOf<S>, existing: Row | null): Promise<Issue[]> {
    const prepared = await this.prepare(deps, of, fields, existing);
    return prepared.kind === "invalid" ? prepared.issues : [];
  }

  /** The row to store: a new one, or `existing` with these fields. Stores nothing. `change`: the origin of the settings. */
  async prepare(
    deps: ConfigureDeps,
    of: Of,
    input: FieldsOf<S>,
    existing: Row | null,
    change: { before: FieldsOf<S>; settings: SettingsChange | null } | null = null,
  ): Promise<Prepared<Row>> {
    const { kinds, check, columns, rules, idPrefix, settled } = this.#definition;
    const before = change?.before ?? this.#known(deps.sealer, existing);
    const fields = settled?.(input, before) ?? input;
    const issues = [...((await check?.(fields, deps, of, before)) ?? [])];
    const id = existing?.id ?? deps.newId(idPrefix);
    const sealed: { settings?: string } = {};
    if (kinds) {
      const kind = kinds.find(fields);
      if (kind === null) return { kind: "invalid", issues: [kinds.unknown(fields), ...issues] };
      const { settings } = fields as { settings: Record<string, unknown> };
      const result = parseSettings(kind, deps.outbound, settings, change?.settings ?? null);
      issues.push(...result.issues);
      if (issues.length === 0) {
        const text = JSON.stringify(result.parsed);
        issues.push(...sizeIssues(text, "settings"));
        sealed.settings = deps.sealer.seal(text, kinds.context(id));
      }
    }
    const rulesText = JSON.stringify(readFields(rules, fields as Record<string, unknown>));
    issues.push(...sizeIssues(rulesText));
    if (issues.length > 0) return { kind: "invalid", issues };
    const now = deps.clock.now();
    const row = {
      ...columns(fields, of, existing),
      ...sealed,
      id,
      rules: rulesText,
      revision: existing?.revision ?? 0,
      created_at: existing?.created_at ?? now,
      updated_at: now,
    };
    return { kind: "ready", row: row as unknown as Row };
  }

  /** The stored fields; null if there are none, or their settings cannot be unsealed. */
  #known(sealer: Sealer, row: Row | null): FieldsOf<S> | null {
    try {
      return row && this.fieldsOf(sealer, row);
    } catch {
      return null;
    }
  }

  async store({ database }: Pick<ConfigureDeps, "database">, row: Row): Promise<Stored> {
    const { save, taken, issues, conflicts } = this.#definition;
    const outcome = await database.run(save, row);
    if (outcome === taken[0]) return { kind: "taken", issue: taken[1] };
    const issue = issues?.[outcome];
    if (issue !== undefined) return { kind: "invalid", issues: [issue] };
    const message = conflicts?.[outcome];
    if (message !== undefined) return { kind: "conflict", message };
    if (outcome !== "saved") return { kind: outcome } as Exclude<Refusal, { kind: "invalid" | "conflict" }>;
    return { kind: "saved", id: row.id };
  }

  /** Creates a resource. */
  async create(deps: ConfigureDeps, of: Of, fields: FieldsOf<S>): Promise<Saved | Refusal> {
    if (this.#definition.kinds) {
      const masks = maskIssues((fields as { settings: unknown }).settings);
      if (masks.length > 0) return { kind: "invalid", issues: masks };
    }
    return untaken(await this.put(deps, of, fields, null));
  }

  /** Creates a resource, or replaces every field of `existing`. */
  async put(deps: ConfigureDeps, of: Of, fields: FieldsOf<S>, existing: Row | null): Promise<Stored> {
    const prepared = await this.prepare(deps, of, fields, existing);
    return prepared.kind === "invalid" ? prepared : await this.store(deps, prepared.row);
  }

  /**
   * Changes the fields of `changes`; the others stay. A mask in the settings keeps the stored secret, except when the address changes.
   * `revision`: the one from which the change was made.
   */
  async update(
    deps: ConfigureDeps,
    of: Of,
    id: string,
    { revision, ...changes }: { revision?: number | undefined } & { [K in keyof FieldsOf<S>]?: unknown },
  ): Promise<Saved | Refusal> {
    const read = () => this.#definition.find(deps.database, of, id);
    return await changeRow(revision, read, async (row): Promise<Saved | Refusal | Overtaken> => {
      const refusal = this.#definition.refusal?.(row) ?? null;
      if (refusal !== null) return refusal;
      const before = this.fieldsOf(deps.sealer, row);
      const change = this.#changed(before, changes);
      if (change.kind === "invalid") return change;
      const prepared = await this.prepare(deps, of, change.fields, row, {
        before,
        settings: change.settings,
      });
      if (prepared.kind === "invalid") return prepared;
      const stored = untaken(await this.store(deps, prepared.row));
      return stored.kind === "overtaken" ? "overtaken" : stored;
    });
  }

  #changed(
    before: FieldsOf<S>,
    changes: Readonly<Record<string, unknown>>,
  ):
    | { kind: "changed"; fields: FieldsOf<S>; settings: SettingsChange | null }
    | { kind: "invalid"; issues: Issue[] } {
    const { fields: schema, kinds, noun } = this.#definition;
    const { settings: requested = {}, ...rest } = changes as { settings?: Record<string, unknown> };
    const fields = applyChanges(schema as never, before, rest) as FieldsOf<S> & { kind?: string };
    if (!kinds) return { kind: "changed", fields, settings: null };
    const known = before as { kind?: string; settings: Record<string, unknown> };
    const stored = fields.kind === known.kind ? known.settings : null;
    const { settings, issues } = mergeSettings(stored, requested);
    if (issues.length > 0) return { kind: "invalid", issues };
    const change = stored === null ? null : { owner: noun, stored, changes: requested };
    return { kind: "changed", fields: { ...fields, settings }, settings: change };
  }
}

/** The issue of a JSON text that is too long. Every process keeps it in memory and unseals it for each list. */
const sizeIssues = (text: string, ...path: string[]): Issue[] =>
  Buffer.byteLength(text) > maxSettingsBytes
    ? [{ path, message: `takes more than ${maxSettingsBytes / 1024} KiB as JSON` }]
    : [];

const settingsIn = (row: object) => (row as { settings: string }).settings;

/** A name that is already in use is an issue of the request. */
const untaken = (stored: Stored): Saved | Refusal =>
  stored.kind === "taken" ? { kind: "invalid", issues: [stored.issue] } : stored;

/** Defines a resource of the configuration. */
export function defineResource<Of, Row extends ManagedRow, S extends Shape, R extends Shape>(
  definition: ResourceDefinition<Of, Row, S, R>,
): Resource<Of, Row, S, R> {
  return new Resource(definition);
}
