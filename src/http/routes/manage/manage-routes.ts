// The five routes of a resource of an account in the management API: list, create, get, update and delete.

import type { z } from "zod";
import type { Refusal } from "#configure/changes.ts";
import { type Problem, problem } from "#contract/problem.ts";
import { deleted, noContent } from "#contract/replies.ts";
import type { ManageAccountCall } from "#http/call.ts";
import { type Endpoint, endpoint } from "#http/endpoint.ts";
import { created } from "#http/reply/created.ts";
import { orNotFound } from "#http/reply/problem-error.ts";
import { refused } from "#http/reply/refused.ts";

/** What a handler of a resource receives. */
export type ManagedCall = Pick<ManageAccountCall, "core" | "settings" | "account" | "params" | "request">;

type Reply<Data> = z.ZodType<unknown, { success: true; message: string; data: Data }>;

type Page<Data> = z.ZodType<
  unknown,
  { success: true; message: string; data: Data[]; next_cursor: string | null }
>;

interface Text {
  summary: string;
  description?: string;
}

/** A resource that was stored. `id`: the one used in paths. `issued`: additional fields of the reply to its creation. */
type Saved<Issued> = { kind: "saved"; id: string; issued?: Issued };

interface Managed<
  Data extends object,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Query,
  Issued,
> {
  tag: string;
  /** `["Pool", "Pools"]`: the operations are `listPools`, `createPool`, `getPool`, `updatePool` and `deletePool`. */
  operations: readonly [one: string, many: string];
  /** For messages: `["pool", "pools"]`. */
  nouns: readonly [one: string, many: string];
  /** The path of the list. */
  path: `/api/manage/v1/accounts/{account}/${string}`;
  /** The parameters of the list's path besides the account. */
  params?: Record<string, z.ZodType>;
  /** The parameter that identifies a resource, and its schema. */
  param: readonly [name: string, schema: z.ZodType];
  replies: { one: Reply<Data>; many: Page<Data>; created?: Reply<Data & Issued> };
  /** An additional sentence for the message of a reply to a creation or a change, or null. `body`: that of the request. */
  remark?(call: ManagedCall, data: Data, body: object): Promise<string | null>;
  list: Text & {
    query?: z.ZodObject & z.ZodType<Query>;
    run(call: ManagedCall, query: Query): Promise<{ data: Data[]; next_cursor: string | null }>;
  };
  /** Reads the one with this id. Null for an unknown id. */
  get: Text & { run(call: ManagedCall, id: string): Promise<Data | null> };
  create: Text & {
    body: Create;
    run(call: ManagedCall, fields: z.output<Create>): Promise<Saved<Issued> | Refusal>;
  };
  update?: Text & {
    body: Update;
    run(call: ManagedCall, id: string, changes: z.output<Update>): Promise<Saved<unknown> | Refusal>;
  };
  /** Its `run` returns false for an unknown id. */
  delete?: Text & {
    /** Default: `delete` and the name, such as `deletePool`. */
    name?: string;
    problems?: readonly "conflict"[];
    run(call: ManagedCall, id: string): Promise<boolean | Problem>;
  };
}

/** The routes. The problem of each is `not_found`, and `conflict` for a change. Without `update` or `delete`, there is no such route. */
export function manageRoutes<
  Data extends object,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Query = unknown,
  Issued = unknown,
>(managed: Managed<Data, Create, Update, Query, Issued>): readonly Endpoint[] {
  const { tag, nouns, path, params = {}, replies } = managed;
  const [one, many] = managed.operations;
  const [param, schema] = managed.param;
  const noun = `${nouns[0][0]!.toUpperCase()}${nouns[0].slice(1)}`;
  const head = { tag, scope: "account", params } as const;
  const ofOne = { ...head, path: `${path}/{${param}}`, params: { ...params, [param]: schema } } as const;
  const textOf = ({ summary, description }: Text) =>
    description === undefined ? { summary } : { summary, description };

  /** `body`: that of the request for a change. */
  async function shown(call: ManagedCall, id: string, text: string, body: object | null = null) {
    const data = orNotFound(await managed.get.run(call, id));
    const remark = body === null ? null : ((await managed.remark?.(call, data, body)) ?? null);
    return { message: remark === null ? text : `${text} ${remark}`, data };
  }

  const update = (change: NonNullable<typeof managed.update>) =>
    endpoint({
      ...ofOne,
      ...textOf(change),
      method: "PATCH",
      name: `update${one}`,
      body: change.body,
      replies: { 200: replies.one },
      problems: ["conflict"],
    })(async (call) => {
      const id = call.params[param]!;
      const saved = await change.run(call, id, call.input);
      if (saved.kind !== "saved") return refused(saved);
      return await shown(call, id, `The ${nouns[0]} has been updated.`, call.input);
    });

  const remove = (deletion: NonNullable<typeof managed.delete>) =>
    endpoint({
      ...ofOne,
      ...textOf(deletion),
      method: "DELETE",
      name: deletion.name ?? `delete${one}`,
      replies: { 204: noContent },
      problems: deletion.problems ?? [],
    })(async (call) => {
      const removed = await deletion.run(call, call.params[param]!);
      if (typeof removed !== "boolean") return removed;
      return removed ? deleted : problem("not_found");
    });

  return [
    endpoint({
      ...head,
      ...textOf(managed.list),
      method: "GET",
      path,
      name: `list${many}`,
      ...(managed.list.query === undefined ? {} : { query: managed.list.query }),
      replies: { 200: replies.many },
    })(async (call) => {
      const message = `${nouns[1][0]!.toUpperCase()}${nouns[1].slice(1)} found.`;
      return { message, ...(await managed.list.run(call, call.query as Query)) };
    }),

    endpoint({
      ...head,
      ...textOf(managed.create),
      method: "POST",
      path,
      name: `create${one}`,
      body: managed.create.body,
      replies: { 201: replies.created ?? replies.one },
    })(async (call) => {
      const saved = await managed.create.run(call, call.input);
      if (saved.kind !== "saved") return refused(saved);
      const text = `The ${nouns[0]} has been created.`;
      const { message, data } = await shown(call, saved.id, text, call.input);
      const list = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(call.params[name] ?? ""));
      const location = `${list}/${encodeURIComponent(saved.id)}`;
      return created(location, message, { ...data, ...saved.issued } as Data & Issued);
    }),

    endpoint({
      ...ofOne,
      ...textOf(managed.get),
      method: "GET",
      name: `get${one}`,
      replies: { 200: replies.one },
    })(async (call) => await shown(call, call.params[param]!, `${noun} found.`)),

    ...(managed.update === undefined ? [] : [update(managed.update)]),

    ...(managed.delete === undefined ? [] : [remove(managed.delete)]),
  ];
}
