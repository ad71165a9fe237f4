// Files of messages: one fetch and one upload serve all messages of a request that have the same file. Meta stores an upload for 30 days;
// an upload whose answer was lost is repeated, since an orphan expires by itself.

import { createHash } from "node:crypto";
import type { MediaContent, OutgoingMessage } from "#gateways/message.ts";
import { type FormFile, multipartForm } from "#gateways/multipart-form.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { GatewayHost } from "#gateways/session.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import { fetchMedia, fileRefused, notAllowed } from "./fetch-media.ts";
import { maxMediaBytes, mismatchReason, uploadTypeOf } from "./media-type.ts";
import { outcomeOf, uploadFormat } from "./outcome.ts";
import type { MediaSource } from "./request.ts";
import { authorization, type CloudSettings, graphUrl } from "./settings.ts";

/** A request's file is fetched again if none of its messages needed it for this long, because the content of a URL may change. */
const unusedMs = 10 * 60_000;
/** Messages share a failed fetch for this long: a server that does not answer would cost each of them 30 s. */
const failureMs = 5000;
const uploadMs = 24 * 3_600_000;
const maxEntries = 1000;
/** Concurrent fetches of one gateway, so that slow servers of one leave room for the others. */
const maxLoads = 2;

type MediaHost = Pick<GatewayHost, "outbound" | "clock" | "timeoutMs" | "fileBytes">;
type MediaMessage = OutgoingMessage<"media">;

interface Entry {
  source: Promise<MediaSource | Outcome>;
  /** Epoch ms; null while it is loaded. */
  until: number | null;
  hasFailed: boolean;
  /** The upload that Meta refused before this one. */
  refusedId: string | null;
}

/** The files of one gateway. */
export class MediaStore {
  readonly #settings: CloudSettings;
  readonly #host: MediaHost;
  readonly #entries = new LruCache<string, Entry>(maxEntries);
  /** By content: another request's file may be the same. */
  readonly #uploads = new LruCache<string, { until: number; id: string }>(maxEntries);
  readonly #waiting: (() => void)[] = [];
  #loads = 0;

  constructor(settings: CloudSettings, host: MediaHost) {
    this.#settings = settings;
    this.#host = host;
  }

  /** What the message names in place of its file, or the outcome of a message whose file cannot be sent. Concurrent calls share it. */
  sourceOf(message: MediaMessage, signal: AbortSignal): Promise<MediaSource | Outcome> {
    const key = keyOf(message);
    const now = this.#host.clock.now();
    const known = this.#entries.get(key);
    if (known === undefined || (known.until !== null && known.until <= now))
      return this.#enter(key, message, null, signal);
    if (known.until !== null && !known.hasFailed) known.until = now + unusedMs;
    return known.source;
  }

  /**
   * A new upload in place of one that Meta no longer knows; null if Meta refused the file twice. Messages with the same refusal share the
   * new one.
   */
  async renewed(message: MediaMessage, refusedId: string, signal: AbortSignal) {
    const key = keyOf(message);
    const known = this.#entries.get(key);
    if (known !== undefined) {
      const source = await known.source;
      if ("kind" in source || !("id" in source) || source.id !== refusedId) return source;
      if (known.refusedId !== null) return null;
    }
    if (this.#entries.get(key) !== known) return await this.sourceOf(message, signal);
    return await this.#enter(key, message, refusedId, signal);
  }

  async #enter(
    key: string,
    { content }: MediaMessage,
    refusedId: string | null,
    signal: AbortSignal,
  ): Promise<MediaSource | Outcome> {
    const { clock } = this.#host;
    const source = this.#inTurn(() => this.#load(content, refusedId, signal));
    const entry: Entry = { source, until: null, hasFailed: false, refusedId };
    this.#entries.set(key, entry);
    try {
      const result = await source;
      entry.hasFailed = "kind" in result;
      entry.until = clock.now() + (!entry.hasFailed ? unusedMs : signal.aborted ? 0 : failureMs);
    } catch {
      entry.until = 0;
    }
    return await source;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#loads >= maxLoads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#loads += 1;
    try {
      return await work();
    } finally {
      // The slot passes to the next one.
      const next = this.#waiting.shift();
      if (next === undefined) this.#loads -= 1;
      else next();
    }
  }

  async #load(content: MediaContent, refusedId: string | null, signal: AbortSignal) {
    const { media, url } = content;
    const { media_by, max_media_bytes } = this.#settings;
    const { outbound, fileBytes } = this.#host;
    if (outbound.rejectReason(url) !== null) return notAllowed();
    if (media_by === "link") return { link: withoutFragment(url) };
    const maxBytes = Math.min(maxMediaBytes[media], max_media_bytes);
    // The file, and the form in which it is uploaded.
    const room = 2 * maxBytes;
    return await fileBytes.run(() => this.#fetchAndUpload(content, maxBytes, refusedId, signal), room);
  }

  async #fetchAndUpload(
    { media, url, filename }: MediaContent,
    maxBytes: number,
    refusedId: string | null,
    signal: AbortSignal,
  ) {
    const bytes = await fetchMedia(url, maxBytes, { ...this.#host, signal });
    if (!Buffer.isBuffer(bytes)) return bytes;
    const name = filename ?? URL.parse(url)?.pathname.split("/").at(-1) ?? "";
    const type = uploadTypeOf(media, bytes, name);
    if (type !== null) {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const key = `${sha256} ${type}`;
      const known = this.#uploads.get(key);
      if (known !== undefined && known.until > this.#host.clock.now() && known.id !== refusedId)
        return { id: known.id };
      const uploaded = await this.#upload(
        { name: "file", filename: name || "file", contentType: type, sha256, content: bytes },
        signal,
      );
      if ("id" in uploaded)
        this.#uploads.set(key, { until: this.#host.clock.now() + uploadMs, id: uploaded.id });
      return uploaded;
    }
    if (media !== "document") return fileRefused("media_type_mismatch", mismatchReason(media, bytes));
    if (this.#settings.media_by === "auto") return { link: withoutFragment(url) };
    return fileRefused("media_type_not_supported", "WhatsApp takes no upload of documents of this type.");
  }

  async #upload(file: FormFile, signal: AbortSignal): Promise<{ id: string } | Outcome> {
    const settings = this.#settings;
    const { outbound, clock, timeoutMs } = this.#host;
    const fields = [
      { name: "messaging_product", value: "whatsapp" },
      { name: "type", value: file.contentType },
    ];
    const form = multipartForm(fields, [file]);
    const result = await outbound.request({
      method: "POST",
      url: graphUrl(settings, `/${settings.phone_number_id}/media`),
      headers: {
        authorization: authorization(settings),
        "content-type": form.contentType,
        accept: "application/json",
      },
      body: form.body,
      timeoutMs,
      signal,
    });
    const outcome = outcomeOf(result, { settings, attempt: 1, now: clock.now() }, uploadFormat);
    if (outcome.kind === "unknown") return { ...outcome, kind: "deferred" };
    if (outcome.kind !== "accepted") return outcome;
    if (outcome.reference === null) return { kind: "deferred", reason: "WhatsApp gave no id for the file." };
    return { id: outcome.reference };
  }
}

const keyOf = ({ requestId, content: { media, url, filename } }: MediaMessage) =>
  JSON.stringify([requestId, media, url, filename]);

function withoutFragment(url: string): string {
  const start = url.indexOf("#");
  return start === -1 ? url : url.slice(0, start);
}
