// A file of a message from a person, which its provider keeps and which we hand on.

import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { Clock, Outbound } from "#runtime/runtime.ts";

/** What is stored of a file that a person sent. */
export interface ReceivedFile {
  /** The provider's id. */
  id: string;
  /** As the provider reports it. */
  contentType: string | null;
  filename: string | null;
  /** What opens it, such as a key of its own. Kept sealed. */
  secret?: string;
}

export interface FileTools {
  outbound: Outbound;
  upstreams: StreamingClient;
  clock: Clock;
  timeoutMs: number;
  signal: LightAbortSignal;
}

/** `gone`: the provider does not keep it any more. */
export type OpenedFile =
  | {
      kind: "opened";
      /** Null: not known before its end. */
      bytes: number | null;
      /** The next piece; null at the end. Rejects when it breaks off. One call at a time. */
      next(): Promise<Uint8Array | null>;
      cancel(): void;
    }
  | { kind: "gone" }
  | { kind: "unavailable"; reason: string };
