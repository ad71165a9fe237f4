// Tracks whether the frame of a message was encrypted and sent: only then may the message have arrived.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Socket } from "./library.ts";

/** The progress of one message's frame. */
export interface Frame {
  encrypted: boolean;
  left: boolean;
}

const frames = new AsyncLocalStorage<Frame>();

/** Runs the work of sending one message, whose frame this is. */
export const withFrame = <T>(frame: Frame, work: () => T): T => frames.run(frame, work);

/** The message that is being sent has been encrypted. */
export function markEncrypted(): void {
  const frame = frames.getStore();
  if (frame !== undefined) frame.encrypted = true;
}

/** Marks the frame of a message when it is written to the connection. */
export function markFrames({ ws }: Socket): void {
  const raw = ws.socket;
  if (raw === null) return;
  const send = raw.send.bind(raw);
  raw.send = (data, done) => {
    const frame = frames.getStore();
    if (frame?.encrypted === true) frame.left = true;
    send(data, done);
  };
}
