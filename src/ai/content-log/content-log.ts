// The content log of pools: requests and answers of randomly selected calls. A call is selected before anything of its answer is known and
// is not delayed: its content is redacted, shortened, sealed and written after the answer, like the usage records. The queue is limited in
// bytes, and dropped contents are counted.

import { clientApiOf } from "#ai/apis/apis.ts";
import type { ClientRequest, CompletionResult, ResponseStream } from "#ai/completion.ts";
import type { Pool } from "#ai/pools/member.ts";
import { createWriteBehind } from "#ai/write-behind.ts";
import type { ContentLogRules, RedactedKind } from "#contract/manage/pools/content-log.ts";
import { parseJson } from "#providers/translate/json.ts";
import type { Clock, Log } from "#runtime/runtime.ts";
import type { Database } from "#store/database.ts";
import { contentContext, keepCallContents } from "#store/pools/call-contents.ts";
import type { CallContentsTable } from "#store/schema/pools.ts";
import type { Sealer } from "#store/seal.ts";
import { redaction } from "./redact.ts";
import { shorten } from "./shorten.ts";

/** The content of a call as JSON, before it is sealed. */
export interface StoredContent {
  request: unknown;
  /** Null if the caller got none. */
  response: unknown;
  /** Bytes of JSON that were left out of the request or the answer. */
  missing: { request: number; response: number };
  redacted: readonly RedactedKind[];
}

interface ContentLog {
  /** The result of a call; its content is stored if the pool's rules and the random selection say so. */
  observe(
    pool: Pick<Pool, "id" | "accountId" | "content_log">,
    call: string,
    request: ClientRequest,
    result: CompletionResult,
  ): CompletionResult;
  /** Writes what is pending, as far as the storage accepts it. */
  stop(): Promise<void>;
}

/** What the client received. */
type Answered =
  | { kind: "stream"; text: string; missing: number }
  | Exclude<CompletionResult, { kind: "stream" }>;

interface Observed {
  id: string;
  accountId: string;
  poolId: string;
  rules: ContentLogRules;
  /** Epoch ms. */
  at: number;
  request: ClientRequest;
  answered: Answered;
  /** The size of its content, UTF-16 units and bytes. */
  size: number;
}

/** A content that waits to be written. A body may use many times its size until it is sealed. */
interface Sealed {
  id: string;
  row: CallContentsTable;
}

/** Maximum size that is collected of one stream and of all streams in progress, UTF-16 units. A token takes about 250 in a stream. */
const maxStream = 8 * 1024 * 1024;
const maxStreams = 64 * 1024 * 1024;
/** Maximum size that waits to be sealed, UTF-16 units and bytes. */
const maxUnsealed = 64 * 1024 * 1024;
/** The amount that is sealed in one turn of the event loop. */
const sealedInTurn = 256 * 1024;
/** The maximum that waits to be written, and the number of contents per transaction. */
const maxPending = 64 * 1024 * 1024;
const batchSize = 8;
const overhead = 1024;

export function createContentLog(deps: {
  database: Database;
  sealer: Pick<Sealer, "seal">;
  clock: Clock;
  log: Log;
  random: () => number;
  /** Number of calls whose content was dropped. */
  dropped(count: number): void;
  /** The content can be read. */
  written?(accountId: string): void;
}): ContentLog {
  const { database, sealer, clock, log, random, dropped, written } = deps;
  const writing = createWriteBehind<Sealed>({
    clock,
    log,
    write: (calls) =>
      database.run(
        keepCallContents,
        calls.map(({ row }) => row),
      ),
    dropped,
    written: ({ row }) => written?.(row.account_id),
    batchSize,
    sizeOf: ({ row }) => row.bytes + overhead,
    maxPending,
    words: { event: "content_log", many: "Contents of calls", one: "call's content" },
  });
  const unsealed: Observed[] = [];
  let unsealedSize = 0;
  let sealing: Promise<void> | null = null;

  /** Seals what waits in a later turn, with a separate turn for a large one: sealing takes as long as parsing. */
  async function seal(): Promise<void> {
    let inTurn = sealedInTurn;
    for (let call = unsealed.shift(); call !== undefined; call = unsealed.shift()) {
      if (inTurn + call.size > sealedInTurn) {
        await clock.sleep(0);
        inTurn = 0;
      }
      inTurn += call.size;
      unsealedSize -= call.size;
      const { id } = call;
      try {
        writing.record({ id, row: rowOf(call, sealer) });
      } catch (error) {
        log.error(
          { event: "content_log.record_rejected", error, call: id },
          "A call's content cannot be written; it is dropped.",
        );
        dropped(1);
      }
    }
    sealing = null;
  }

  /** The content collected from streams in progress. */
  let collected = 0;

  function observeStream(
    stream: ResponseStream,
    ended: (answered: Answered, size: number) => void,
  ): ResponseStream {
    const pieces: string[] = [];
    let size = 0;
    let missing = 0;
    let over = false;
    const end = () => {
      if (over) return;
      over = true;
      collected -= size;
      ended({ kind: "stream", text: pieces.join(""), missing }, size);
    };
    const note = (text: string) => {
      // Nothing is added after a gap, so that the stored text is the beginning of the answer.
      if (missing > 0 || size + text.length > maxStream || collected + text.length > maxStreams) {
        missing += Buffer.byteLength(text);
        return;
      }
      pieces.push(text);
      size += text.length;
      collected += text.length;
    };
    return {
      ...stream,
      next: async () => {
        try {
          const text = await stream.next();
          if (over) return text;
          if (text === null) end();
          else note(text);
          return text;
        } catch (error) {
          end();
          throw error;
        }
      },
      cancel: () => {
        stream.cancel();
        end();
      },
    };
  }

  return {
    observe: ({ id: poolId, accountId, content_log: rules }, id, request, result) => {
      if (!rules || random() >= rules.sample) return result;
      const record = (answered: Answered, answerSize: number) => {
        const size = sizeOf(request) + answerSize + overhead;
        if (unsealedSize + size > maxUnsealed) {
          dropped(1);
          return;
        }
        unsealed.push({ id, accountId, poolId, rules, at: clock.now(), request, answered, size });
        unsealedSize += size;
        sealing ??= seal();
      };
      if (result.kind === "stream") return { ...result, stream: observeStream(result.stream, record) };
      record(result, result.kind === "answer" ? result.text.length + (result.media?.bytes.length ?? 0) : 0);
      return result;
    },
    stop: async () => {
      await sealing;
      await writing.stop();
    },
  };
}

function sizeOf({ text, form }: ClientRequest): number {
  return (form?.parts ?? []).reduce((sum, { bytes }) => sum + bytes.length, text.length);
}

/** The body as the caller sent it; for a form, its fields and a description of its files. */
function askedIn({ body, form }: ClientRequest): unknown {
  if (form === undefined) return body;
  const files = form.parts.filter(({ filename }) => filename !== null);
  return {
    ...body,
    ...Object.fromEntries(files.map(({ name, bytes }) => [name, `[file, ${bytes.length} bytes]`])),
  };
}

function answeredIn({ request, answered }: Observed): unknown {
  switch (answered.kind) {
    case "stream":
      return answered.text === "" ? null : clientApiOf(request.api.format).joinAnswer(answered.text);
    case "aborted":
      return null;
    case "error":
      return { error: answered.error };
    case "answer": {
      const { text, media } = answered;
      if (media === undefined) return parseJson(text) ?? text;
      const type = media.contentType || "application/octet-stream";
      const isText = /^(?:text\/|application\/json)/.test(type);
      return isText ? media.bytes.toString() : `[${type}, ${media.bytes.length} bytes]`;
    }
  }
}

function rowOf(call: Observed, sealer: Pick<Sealer, "seal">): CallContentsTable {
  const { id, accountId, poolId, at, rules, answered } = call;
  const redacting = redaction(rules.redact);
  const request = shorten(askedIn(call.request), redacting);
  const response = shorten(answeredIn(call), redacting);
  const uncollected = answered.kind === "stream" ? answered.missing : 0;
  const missing = { request: request.missing, response: response.missing + uncollected };
  const rest = JSON.stringify({ missing, redacted: [...redacting.found] }).slice(1);
  const content = sealer.seal(
    `{"request":${request.json},"response":${response.json},${rest}`,
    contentContext(id),
  );
  return {
    call_id: id,
    account_id: accountId,
    pool_id: poolId,
    stored_at: at,
    bytes: content.length,
    content,
  };
}
