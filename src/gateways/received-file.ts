// A file of a message from a person, which its provider stores and which we pass on.

import type { LightAbortSignal } from "#runtime/light-abort-controller.ts";
import type { StreamingClient } from "#runtime/net/streaming-client.ts";
import type { Clock, Outbound } from "#runtime/runtime.ts";

/** What is stored about a file that a person sent. */
export interface ReceivedFile {
  /** The provider's id. */
  id: string;
  /** As the provider reports it. */
  contentType: string | null;
  filename: string | null;
  /** The secret that opens it, such as a key of its own. Stored sealed. */
  secret?: string;
}

export interface FileTools {
  outbound: Outbound;
  upstreams: StreamingClient;
  clock: Clock;
  timeoutMs: number;
  signal: LightAbortSignal;
}

/** `gone`: the provider no longer has it. */
export type OpenedFile =
  | {
      kind: "opened";
      /** Null if it is unknown before the end. */
      bytes: number | null;
      /** The next piece; null at the end. Rejects if the file is cut off. One call at a time. */
      next(): Promise<Uint8Array | null>;
      cancel(): void;
    }
  | { kind: "gone" }
  | { kind: "unavailable"; reason: string };
