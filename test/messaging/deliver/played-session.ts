// The supervisor of a gateway's session over real storage, with a session that the test plays.

import { after, afterEach, before } from "node:test";
import type { OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { GatewaySession, SessionHost, SessionReport } from "#gateways/session.ts";
import { SessionSupervisor } from "#messaging/deliver/session.ts";
import type { SessionDeps } from "#messaging/deliver/session-scope.ts";
import type { SendOutcome } from "#messaging/deliver/transmit.ts";
import { SharedChildren } from "#runtime/children/shared-children.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import { Semaphore } from "#runtime/waiting/semaphore.ts";
import type { Database } from "#store/database.ts";
import { claimLanes } from "#store/lanes/lanes.ts";
import { createSealer } from "#store/seal.ts";
import { scriptedOutbound } from "../../gateways/scripted-outbound.ts";
import { type Ground, ground, seededRandom } from "../../harness.ts";
import { memoryLog } from "../../log.ts";
import { makeAccount, makeGateway } from "../../store/rows.ts";

let place: Ground;
export let database: Database;

export const accepted: Outcome = { kind: "accepted", reference: "ref" };
export const message: OutgoingMessage = {
  id: "msg_1",
  requestId: "req_1",
  recipient: "+15550000001",
  attempt: 1,
  content: { kind: "text", text: "Hello" },
};

export interface Played {
  clock: MovableClock;
  log: ReturnType<typeof memoryLog>;
  gatewayId: string;
  supervisor: SessionSupervisor;
  /** Hosts of the sessions that were opened, oldest first, with the time of each. */
  hosts: SessionHost[];
  openedAt: number[];
  /** What was done to the lane: a reason, null, or `resume`. */
  lane: (string | null)[];
  closed: number[];
  reports: SessionReport[];
  send(): Promise<SendOutcome>;
}

const running: Played[] = [];
/** Gives the tests of a file a store, and closes what each of them played. Called once at the top of the file. */
export function playSessions(): void {
  before(async () => {
    place = await ground("sqlite");
    database = await place.open();
  });
  after(async () => {
    await database?.close();
    await place?.remove();
  });
  afterEach(async () => {
    for (const { supervisor, clock } of running.splice(0)) {
      const closing = supervisor.close();
      await clock.advance(60_000);
      await closing;
    }
  });
}

interface Script {
  open?(host: SessionHost, number: number): Promise<Partial<GatewaySession>> | Partial<GatewaySession>;
  linked?: boolean;
  deps?: Partial<SessionDeps>;
}

/** Starts the supervisor of a session that the test plays; it is closed after the test. */
export async function play({ open = () => ({}), linked = false, deps = {} }: Script = {}): Promise<Played> {
  const calls = new Set<Promise<unknown>>();
  const clock = movableClock(undefined, {
    idle: async () => {
      for (let quiet = 0; quiet < 2; quiet += 1) {
        while (calls.size > 0) {
          quiet = 0;
          await Promise.allSettled(calls);
        }
        for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
  const run: Database["run"] = (operation, input) => {
    const call = database.run(operation, input);
    calls.add(call);
    const done = () => calls.delete(call);
    call.then(done, done);
    return call;
  };
  const log = memoryLog();
  const gatewayId = await makeGateway(database, await makeAccount(database), { kind: "played" });
  await database.run(claimLanes, { processId: "one", lanes: [{ id: gatewayId, owner: null, fence: 0 }] });
  const it: Omit<Played, "supervisor" | "send"> = {
    clock,
    log,
    gatewayId,
    hosts: [],
    openedAt: [],
    lane: [],
    closed: [],
    reports: [],
  };
  const supervisor = new SessionSupervisor(
    {
      database: { ...database, run },
      clock,
      random: { ...seededRandom(), random: () => 1 },
      log,
      outbound: scriptedOutbound(() => {
        throw new Error("no request is expected");
      }),
      sealer: createSealer("a master key that is only used in tests", seededRandom()),
      fileBytes: new Semaphore(1024),
      newId: (prefix) => `${prefix}_${gatewayId}`,
      storeReport: async (report) => void it.reports.push(report),
      sharedChildren: new SharedChildren(clock),
      ...deps,
    },
    {
      id: gatewayId,
      identifier: "link",
      fence: 1,
      linked,
      callbackUrl: null,
      channel: "sms",
      messageUrl: () => null,
      timeoutMs: 30_000,
      dkim: [],
    },
    async (host) => {
      const number = it.hosts.push(host);
      it.openedAt.push(clock.monotonic());
      return {
        send: async () => accepted,
        close: async () => void it.closed.push(number),
        ...(await open(host, number)),
      };
    },
  );
  supervisor.start({
    suspend: (reason) => it.lane.push(reason),
    resume: () => it.lane.push("resume"),
    answered: (id) => it.lane.push(`answered ${id}`),
  });
  const played = { ...it, supervisor, send: () => supervisor.send(message, new AbortController().signal) };
  running.push(played);
  await clock.settle();
  return played;
}

export const connected = { kind: "connected" } as const;
