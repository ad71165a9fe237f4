// Notifies watchers of an account that something changed, and in which topic, but not what: a hint to read again. Hints are batched for
// half a second, so a busy account sends its watchers at most two a second. Between processes they travel as notifications of the database.
// A lost hint is made up for by the next one, or by polling.

import { type Topic, topics } from "#contract/manage/account-events.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { readAccountLanes } from "#store/gateways/account-lanes.ts";

interface Watch {
  /** Ends the watch. A second call has no effect. */
  end(): void;
}

export interface AccountChanges {
  /**
   * Calls `changed` with the topics of each half second in which something changed, and `over` when the process stops. `person`: the
   * watcher, who may have 20 watches at once. Returns null if that limit is reached.
   */
  watch(
    accountId: string,
    person: string,
    listener: { changed(topics: readonly Topic[]): void; over(): void },
  ): Watch | null;
  /** Ends all watches. */
  close(): void;
}

const gatherMs = 500;
const maxWatches = 20;
/** A notification of PostgreSQL has 8,000 bytes at most; an id and its topics take less than 60. */
const subjectsPerNotification = 100;
const prefix = "changed ";

interface Watcher {
  accountId: string;
  changed(topics: readonly Topic[]): void;
  over(): void;
}

export function createAccountChanges(deps: { clock: Clock; database: Database; log: Log }): AccountChanges {
  const { clock, database, log } = deps;
  const watchers = new Set<Watcher>();
  const watchesOf = new Map<string, number>();
  /** The account of each gateway and webhook endpoint of the accounts that are watched. */
  const accountOf = new Map<string, string>();
  /** By id of an account, gateway or endpoint: what changed since the last half second. */
  let here = new Map<string, Set<Topic>>();
  let elsewhere = new Map<string, Set<Topic>>();
  let isGathering = false;
  let isClosed = false;
  const isShared = database.engine === "postgres";

  function add(to: Map<string, Set<Topic>>, subject: string, topic: Topic): void {
    const known = to.get(subject);
    if (known === undefined) to.set(subject, new Set([topic]));
    else known.add(topic);
    if (isGathering) return;
    isGathering = true;
    void clock.sleep(gatherMs).then(flush);
  }

  function flush(): void {
    isGathering = false;
    if (isClosed) return;
    const own = here;
    const all = elsewhere;
    here = new Map();
    elsewhere = new Map();
    if (isShared) forward(own);
    for (const [subject, found] of own) for (const topic of found) addTo(all, subject, topic);
    const byAccount = new Map<string, Set<Topic>>();
    for (const [subject, found] of all)
      for (const topic of found) addTo(byAccount, accountOf.get(subject) ?? subject, topic);
    for (const watcher of watchers) {
      const found = byAccount.get(watcher.accountId);
      if (found !== undefined) watcher.changed([...found].sort());
    }
  }

  function forward(changes: ReadonlyMap<string, ReadonlySet<Topic>>): void {
    const texts = [...changes].map(
      ([subject, found]) => `${subject}.${[...found].map((topic) => topics.indexOf(topic)).join(".")}`,
    );
    for (let at = 0; at < texts.length; at += subjectsPerNotification)
      database.notify(prefix + texts.slice(at, at + subjectsPerNotification).join(" "));
  }

  function onNotification(notification: string): void {
    if (notification === "lanes") void refresh();
    if (watchers.size === 0 || !notification.startsWith(prefix)) return;
    for (const text of notification.slice(prefix.length).split(" ")) {
      const [subject = "", ...numbers] = text.split(".");
      for (const number of numbers) {
        const topic = topics[Number(number)];
        if (topic !== undefined) add(elsewhere, subject, topic);
      }
    }
  }

  async function refresh(): Promise<void> {
    const accounts = [...new Set([...watchers].map(({ accountId }) => accountId))];
    try {
      const lanes = await Promise.all(
        accounts.map(async (accountId) => ({
          accountId,
          ids: await database.run(readAccountLanes, accountId),
        })),
      );
      accountOf.clear();
      for (const { accountId, ids } of lanes) for (const id of ids) accountOf.set(id, accountId);
    } catch (error) {
      log.warn(
        { event: "watch.lanes_unknown", error },
        "The gateways of watched accounts could not be read; their changes are seen by polling only.",
      );
    }
  }

  database.onChanges(({ kinds, topics }) => {
    if (isShared || watchers.size > 0)
      for (const [subject, found] of topics) for (const topic of found) add(here, subject, topic);
    if (kinds.includes("lanes")) void refresh();
  });
  database.onNotify(onNotification);

  return {
    watch: (accountId, person, { changed, over }) => {
      const count = watchesOf.get(person) ?? 0;
      if (count >= maxWatches || isClosed) return null;
      const watcher: Watcher = { accountId, changed, over };
      watchesOf.set(person, count + 1);
      watchers.add(watcher);
      void refresh();
      return {
        end: () => {
          if (!watchers.delete(watcher)) return;
          const left = (watchesOf.get(person) ?? 1) - 1;
          if (left === 0) watchesOf.delete(person);
          else watchesOf.set(person, left);
        },
      };
    },
    close: () => {
      isClosed = true;
      for (const watcher of watchers) watcher.over();
    },
  };
}

function addTo(to: Map<string, Set<Topic>>, subject: string, topic: Topic): void {
  const known = to.get(subject);
  if (known === undefined) to.set(subject, new Set([topic]));
  else known.add(topic);
}
