// One child process for many users of the same module, for a library that would take too much memory once for each. A user has a channel of
// its own: values travel both ways as `{ channel, message }`, and `{ channel, closed: true }` tells the child that a channel has ended. The
// process starts with the first channel and stops with the last.

import type { Clock } from "#runtime/runtime.ts";
import { type Child, type ChildPermissions, startChild } from "./child-process.ts";

interface SharedChildOptions {
  permissions: ChildPermissions;
  /** Maximum number of channels per process; further ones start another process. */
  maxChannels: number;
}

interface Process {
  child: Child;
  /** The module that runs in it, with its permissions. */
  key: string;
  channels: Map<number, (message: unknown) => void>;
}

export class SharedChildren {
  readonly #clock: Clock;
  readonly #processes = new Set<Process>();
  #lastChannel = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Opens a channel to a process that runs `module` (a `file:` URL) with these permissions. `stop` closes the channel, and ends the process
   * if it was the last; `kill` ends the process for all.
   */
  open(module: URL, { permissions, maxChannels }: SharedChildOptions): Child {
    const key = JSON.stringify([module, permissions]);
    let process = [...this.#processes].find(
      (running) => running.key === key && running.channels.size < maxChannels,
    );
    if (process === undefined) process = this.#start(key, module, permissions);
    return this.#channelOf(process);
  }

  #start(key: string, module: URL, permissions: ChildPermissions): Process {
    const child = startChild({ module, clock: this.#clock, permissions });
    const process: Process = { child, key, channels: new Map() };
    this.#processes.add(process);
    child.onMessage((value) => {
      const { channel, message } = value as { channel?: unknown; message?: unknown };
      process.channels.get(Number(channel))?.(message);
    });
    void child.ended.then(() => this.#processes.delete(process));
    return process;
  }

  #channelOf(process: Process): Child {
    const { child, channels } = process;
    this.#lastChannel += 1;
    const channel = this.#lastChannel;
    const listeners: ((message: unknown) => void)[] = [];
    channels.set(channel, (message) => {
      for (const listener of listeners) listener(message);
    });
    return {
      send: (message) => child.send({ channel, message }),
      onMessage: (listener) => {
        listeners.push(listener);
      },
      ended: child.ended,
      stop: async () => {
        if (!channels.delete(channel)) return;
        child.send({ channel, closed: true });
        if (channels.size > 0) return;
        this.#processes.delete(process);
        await child.stop();
      },
      kill: () => child.kill(),
    };
  }
}
