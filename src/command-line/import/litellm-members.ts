// Deployments of a LiteLLM configuration, as members of a pool.

import type { Fields } from "./litellm-providers.ts";

/** One deployment, under one name by which requests ask for it. */
export interface Deployment {
  group: string;
  /** What the member is named after. */
  kind: string;
  /** The member's fields, and the provider's name of the model. */
  target: Fields & { model: string };
  /** The list of the member that the model belongs to. */
  list: string;
  priority: number;
  price: Fields | null;
}

interface Member {
  [field: string]: unknown;
  name: string;
  aliases: Record<string, string>;
  prices: Record<string, unknown>;
}

export const withoutNulls = (values: Fields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
export const isEmpty = (value: object) => Object.keys(value).length === 0;

/** One member for what has the same settings, as long as its names do not contradict each other. `suffix`: of the members' names. */
export function membersOf(deployments: readonly Deployment[], suffix: string): Member[] {
  const members: (Member & { same: string; lists: Map<string, Set<string>> })[] = [];
  for (const { group, kind, target, list, priority, price } of deployments) {
    const { model, ...fields } = target;
    const same = JSON.stringify([fields, priority]);
    const contradicts = ({ aliases, lists }: (typeof members)[number]) =>
      (aliases[group] ?? model) !== model ||
      (group !== model && [...lists.values()].some((names) => names.has(group))) ||
      aliases[model] !== undefined;
    let member = members.find((each) => each.same === same && !contradicts(each));
    if (member === undefined) {
      const count = members.filter(({ name }) => name.replace(/-\d+$/, "") === `${kind}${suffix}`).length;
      const name = `${kind}${suffix}${count === 0 ? "" : `-${count + 1}`}`;
      member = { name, ...fields, priority, aliases: {}, prices: {}, same, lists: new Map() };
      members.push(member);
    }
    const names = member.lists.get(list) ?? new Set();
    member.lists.set(list, names.add(model));
    if (group !== model) member.aliases[group] = model;
    if (price !== null) member.prices[model] = price;
  }
  return members.map(({ same: _, lists, ...member }) => ({
    ...member,
    ...Object.fromEntries([...lists].map(([list, names]) => [list, [...names]])),
  }));
}

/** Without what is the default anyway, in the order in which people write it. */
export function tidied({ name, kind, settings, aliases, prices, priority, ...rest }: Member): Fields {
  return withoutNulls({
    name,
    kind,
    ...rest,
    aliases: isEmpty(aliases) ? null : aliases,
    prices: isEmpty(prices) ? null : prices,
    priority: priority === 1 ? null : priority,
    settings,
  });
}
