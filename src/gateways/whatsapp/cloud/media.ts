// Media of messages: one fetch and one upload serve all messages of a gateway that have the same file. Meta keeps an
// upload for 30 days; an upload whose answer was lost is repeated, since an orphan ends by itself.

import { createHash } from "node:crypto";
import type { MediaContent } from "#gateways/message.ts";
import { multipartForm } from "#gateways/multipart-form.ts";
import type { Outcome } from "#gateways/outcome.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import { type FetchTools, fetchMedia, notAllowed, refused } from "./fetch-media.ts";
import { maxMediaBytes, uploadTypeOf } from "./media-type.ts";
import { outcomeOf, uploadFormat } from "./outcome.ts";
import type { MediaSource } from "./request.ts";
import { authorization, type CloudSettings, graphUrl } from "./settings.ts";

/** What a URL leads to may change. */
const sourceMs = 10 * 60_000;
const uploadMs = 24 * 3_600_000;
const mostEntries = 1000;
/** Files that a gateway holds in memory at once, and so fetches at once. */
const mostLoads = 2;

interface MediaTools extends FetchTools {
  timeoutMs: number;
}

/** The files of one gateway. */
export class MediaStore {
  readonly #settings: CloudSettings;
  readonly #sources = new LruCache<string, { until: number; source: Promise<MediaSource | Outcome> }>(
    mostEntries,
  );
  readonly #uploads = new LruCache<string, { until: number; id: string }>(mostEntries);
  readonly #waiting: (() => void)[] = [];
  #loads = 0;

  constructor(settings: CloudSettings) {
    this.#settings = settings;
  }

  /** What the message names instead of its file, or the outcome of a message whose file cannot be sent. Shared in flight. */
  sourceOf(content: MediaContent, tools: MediaTools): Promise<MediaSource | Outcome> {
    const key = JSON.stringify([content.media, content.url, content.filename]);
    const known = this.#sources.get(key);
    const now = tools.clock.now();
    if (known !== undefined && known.until > now) return known.source;
    const source = this.#inTurn(() => this.#load(content, tools));
    const entry = { until: now + sourceMs, source };
    this.#sources.set(key, entry);
    const forget = () => {
      if (this.#sources.get(key) === entry) this.#sources.delete(key);
    };
    source.then((result) => "kind" in result && forget(), forget);
    return source;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#loads >= mostLoads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#loads += 1;
    try {
      return await work();
    } finally {
      // The place passes to the next one.
      const next = this.#waiting.shift();
      if (next === undefined) this.#loads -= 1;
      else next();
    }
  }

  async #load({ media, url, filename }: MediaContent, tools: MediaTools): Promise<MediaSource | Outcome> {
    const { media_by } = this.#settings;
    if (tools.outbound.rejectReason(url) !== null) return notAllowed();
    if (media_by === "link") return { link: withoutFragment(url) };
    const bytes = await fetchMedia(url, maxMediaBytes[media], tools);
    if (!Buffer.isBuffer(bytes)) return bytes;
    const name = filename ?? URL.parse(url)?.pathname.split("/").at(-1) ?? "";
    const type = uploadTypeOf(media, bytes, name);
    if (type !== null) return this.#upload(bytes, type, name || "file", tools);
    if (media !== "document")
      return refused("media_type_mismatch", `The file is no ${media} that WhatsApp takes.`);
    if (media_by === "auto") return { link: withoutFragment(url) };
    return refused("media_type_not_supported", "WhatsApp takes no upload of documents of this type.");
  }

  async #upload(content: Buffer, contentType: string, filename: string, tools: MediaTools) {
    const settings = this.#settings;
    const sha256 = createHash("sha256").update(content).digest("hex");
    const key = `${sha256} ${contentType}`;
    const now = tools.clock.now();
    const known = this.#uploads.get(key);
    if (known !== undefined && known.until > now) return { id: known.id };
    const fields = [
      { name: "messaging_product", value: "whatsapp" },
      { name: "type", value: contentType },
    ];
    const form = multipartForm(fields, [{ name: "file", filename, contentType, sha256, content }]);
    const result = await tools.outbound.request({
      method: "POST",
      url: graphUrl(settings, `/${settings.phone_number_id}/media`),
      headers: {
        authorization: authorization(settings),
        "content-type": form.contentType,
        accept: "application/json",
      },
      body: form.body,
      timeoutMs: tools.timeoutMs,
      signal: tools.signal,
    });
    const outcome = outcomeOf(result, { settings, attempt: 1, now: tools.clock.now() }, uploadFormat);
    if (outcome.kind === "unknown") return { ...outcome, kind: "deferred" } as const;
    if (outcome.kind !== "accepted") return outcome;
    const id = outcome.reference;
    if (id === null) return { kind: "deferred", reason: "WhatsApp gave no id for the file." } as const;
    this.#uploads.set(key, { until: now + uploadMs, id });
    return { id };
  }
}

function withoutFragment(url: string): string {
  const start = url.indexOf("#");
  return start === -1 ? url : url.slice(0, start);
}
