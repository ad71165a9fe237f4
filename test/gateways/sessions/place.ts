// Where sessions are tested: an installation of one or more processes, a gateway that holds a connection, and its peer.

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { GatewayAdapter } from "#gateways/gateway.ts";
import { adapters } from "#gateways/registry.ts";
import { type MovableClock, movableClock } from "#runtime/movable-clock.ts";
import {
  type EngineName,
  type Ground,
  ground,
  type Harness,
  type HarnessOptions,
  harness,
} from "../../harness.ts";
import { bearer, type Method, manage, tokenFor } from "../../http/managing.ts";
import type { Injected } from "../../inject.ts";
import { listen, posts, says } from "../../scenarios/receiver.ts";

/** The other side of the connection, as a real server of the gateway's protocol on loopback. */
export interface SessionPeer {
  /** With which the gateway reaches it. */
  settings: Record<string, unknown>;
  secrets: readonly string[];
  /** Texts of all messages that it was given, in order, whether it answered or not. */
  taken: readonly string[];
  /** Sessions that are open now, and the most there were at once. */
  connections(): number;
  maxAtOnce(): number;
  /** How often a client came with state that is not the latest. */
  staleStates(): number;
  /** From here on messages get no answer; `answer` gives those that are missing. */
  hold(): void;
  answer(): void;
  /** Ends all connections and lets none in, and says why, with a secret in it; `allow` ends that. */
  refuse(): void;
  allow(): void;
  /** Cuts all connections, as a network does. */
  drop(): void;
  /** Makes every connected client store new state. */
  changeState(): void;
  /** Reports this message as delivered. */
  deliver(text: string): void;
  /** Whether the client has acknowledged the report. */
  acknowledged(text: string): boolean;
  /** Of linked devices: the link is ended over there. */
  endLink?(reason: string): void;
  /** Of sessions with a process of their own: it dies at once. */
  crash?(): void;
  close(): Promise<void>;
}

const settings = { heartbeatMs: 5_000, takeoverMs: 45_000, pollMs: 60_000 };
const number = "+4915123456789";
/** Sockets and processes have a time of their own: it only has to be long enough in all. */
const maxLooks = 10_000;
const moment = () => new Promise((resolve) => setTimeout(resolve, 2));

interface Shown {
  state: string;
  pause: { reason: string; until: string | null } | null;
  session: { state: string; reason: string | null; linked_at: string | null } | null;
}

/** One installation with the gateway, its processes, and the peer. */
export class Place {
  readonly peer: SessionPeer;
  readonly gateway: { identifier: string; kind: string; settings: Record<string, unknown>; default: boolean };
  readonly #ground: Ground;
  readonly #clock: MovableClock = movableClock();
  readonly #processes: Harness[] = [];
  #account: { id: string; key: string } | null = null;
  #token = "";
  readonly #others = new Map<string, string>();

  private constructor(adapter: GatewayAdapter, peer: SessionPeer, own: Ground) {
    this.peer = peer;
    this.#ground = own;
    this.gateway = { identifier: "link", kind: adapter.kind, settings: peer.settings, default: true };
  }

  static async open(
    context: TestContext,
    adapter: GatewayAdapter,
    peer: SessionPeer,
    engine: EngineName,
  ): Promise<Place> {
    // Kinds that are not in the registry are there for the test.
    const registry = adapters as GatewayAdapter[];
    if (!registry.includes(adapter)) {
      registry.push(adapter);
      context.after(() => void registry.splice(registry.indexOf(adapter), 1));
    }
    const place = new Place(adapter, peer, await ground(engine));
    context.after(async () => {
      for (const it of place.#processes.toReversed()) await it.close();
      await peer.close();
      await place.#ground.remove();
    });
    return place;
  }

  /** Starts a process; the first one makes the account and the gateway. */
  async start(options: HarnessOptions = {}): Promise<Harness> {
    const it = await harness({
      ground: this.#ground,
      clock: this.#clock,
      allow: "127.0.0.0/8",
      respond: () => says(200),
      ...options,
      settings: { ...settings, ...options.settings },
    });
    this.#processes.push(it);
    if (this.#account === null) {
      this.#account = await it.account();
      this.#token = await tokenFor(it);
      await listen(it, this.#account.id, { events: ["gateway.*"] });
      await it.gateway(this.gateway);
    } else it.as(this.#account);
    return it;
  }

  get #alive(): Harness {
    const alive = this.#processes.findLast((it) => !it.dead());
    assert.ok(alive);
    return alive;
  }

  async send(message: string, by = this.#alive, to = number): Promise<string> {
    const [id] = await by.accepted([{ number: to, message }]);
    assert.ok(id);
    return id;
  }

  connected(): boolean {
    return this.peer.connections() === 1;
  }

  /** The gateway, as the management API shows it. */
  async shown(): Promise<Shown> {
    const path = `/accounts/${this.#account?.id}/gateways/link`;
    const reply = await manage(this.#alive, "GET", path, { headers: bearer(this.#token) });
    assert.equal(reply.statusCode, 200, reply.body);
    return reply.json().data;
  }

  /** A request about the gateway to the management API, by an operator of its own, or a member, if `as` is another name. */
  async ask(
    method: Method,
    path: string,
    { body, as = "operator" }: { body?: object; as?: string } = {},
  ): Promise<Injected> {
    const accountId = as.startsWith("member") ? this.#account!.id : null;
    const token =
      as === "operator" ? this.#token : (this.#others.get(as) ?? (await tokenFor(this.#alive, accountId)));
    this.#others.set(as, token);
    const url = `/accounts/${this.#account?.id}/gateways/link${path}`;
    return await manage(this.#alive, method, url, { headers: bearer(token), body });
  }

  /** A stream of events about the gateway, over a connection of its own. */
  async watch(path: string): Promise<Response> {
    const address = await this.#alive.system.app.listen({ host: "127.0.0.1", port: 0 });
    const url = `${address}/api/manage/v1/accounts/${this.#account?.id}/gateways/link${path}`;
    return await fetch(url, { headers: bearer(this.#token) });
  }

  /** Data of the events of a type that were posted. */
  eventData(type: string): Record<string, unknown>[] {
    return this.#processes
      .flatMap((it) => posts(it).filter((post) => post.type === type))
      .map(({ data }) => data);
  }

  /** The types of the events that were posted, of these, in order. */
  events(...types: string[]): string[] {
    return this.#processes
      .flatMap((it) => posts(it).map(({ type }) => type))
      .filter((type) => types.includes(type));
  }

  /** Moves the clock, and lets what is on the wire arrive. */
  async pass(ms: number): Promise<void> {
    await moment();
    await this.#clock.advance(ms);
    await moment();
  }

  /** Waits for what needs no time of the clock: sockets, processes and storage. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let looks = 0; looks < maxLooks; looks += 1) {
      await this.#clock.settle();
      if (await condition()) return;
      await moment();
    }
    throw new Error(`It never was: ${what}.`);
  }

  /** Waits for what comes with time. */
  async untilLater(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let looks = 0; looks < maxLooks; looks += 1) {
      if (await condition()) return;
      await this.pass(1_000);
    }
    throw new Error(`It never was: ${what}.`);
  }

  /** Waits for work that ends with time. */
  async finish(work: Promise<void>): Promise<void> {
    let done = false;
    void work.finally(() => {
      done = true;
    });
    await this.untilLater(() => done, "finished");
    await work;
  }
}
