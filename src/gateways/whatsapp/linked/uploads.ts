// Files of messages: fetched under the guard of outbound requests, encrypted here, and uploaded to WhatsApp's file server with access that
// the device requests. The bridge sees only their keys.

import { parseJson } from "#gateways/json-path.ts";
import type { MediaContent, OutgoingMessage } from "#gateways/message.ts";
import type { Outcome } from "#gateways/outcome.ts";
import type { GatewayHost } from "#gateways/session.ts";
import { fetchMedia, fileRefused, notAllowed } from "#gateways/whatsapp/cloud/fetch-media.ts";
import { maxMediaBytes, mismatchReason, uploadTypeOf } from "#gateways/whatsapp/cloud/media-type.ts";
import { LruCache } from "#runtime/lru-cache.ts";
import type { BridgeChannel } from "./bridge-channel.ts";
import { encryptFile, sha256 } from "./file-keys.ts";
import type { BridgeContent } from "./protocol.ts";

type UploadedFile = (BridgeContent & { kind: "file" })["file"];
type MediaMessage = OutgoingMessage<"media">;

const maxBytes = 16 * 1024 * 1024;
/** The messages of a request share an upload until none of them was sent for this long. */
const unusedMs = 10 * 60_000;
const maxUploads = 100;
const accessMs = 30_000;
/** For the servers that WhatsApp names, tried one after the other. */
const maxHosts = 3;
/** The file, the request that uploads it, and what is in between. */
const copies = 3;

export class FileUploads {
  readonly #host: GatewayHost;
  readonly #bridge: BridgeChannel;
  readonly #origin: string | null;
  readonly #proxy: string | null;
  readonly #uploads = new LruCache<string, { file: UploadedFile; until: number }>(maxUploads);

  /** `origin`: that of the file server, for tests; null for WhatsApp's. `proxy`: used for that server, not for the URL's. */
  constructor(
    host: GatewayHost,
    bridge: BridgeChannel,
    { origin, proxy }: { origin: string | null; proxy: string | null },
  ) {
    this.#host = host;
    this.#bridge = bridge;
    this.#origin = origin;
    this.#proxy = proxy;
  }

  /** The message's file as WhatsApp stores it, or the outcome of a message whose file cannot be sent: nothing of it has left. */
  async fileOf(message: MediaMessage, signal: AbortSignal): Promise<{ file: UploadedFile } | Outcome> {
    const { clock, fileBytes, outbound } = this.#host;
    const { media, url, filename } = message.content;
    if (outbound.rejectReason(url) !== null) return notAllowed();
    const key = JSON.stringify([message.requestId, media, url, filename]);
    const known = this.#uploads.get(key);
    if (known !== undefined && known.until > clock.now()) {
      known.until = clock.now() + unusedMs;
      return known;
    }
    const room = copies * Math.min(maxMediaBytes[media], maxBytes);
    const uploaded = await fileBytes.run(() => this.#fetchAndUpload(message.content, signal), room);
    if ("file" in uploaded) this.#uploads.set(key, { ...uploaded, until: clock.now() + unusedMs });
    return uploaded;
  }

  async #fetchAndUpload(
    { media, url, filename }: MediaContent,
    signal: AbortSignal,
  ): Promise<{ file: UploadedFile } | Outcome> {
    const max = Math.min(maxMediaBytes[media], maxBytes);
    const plain = await fetchMedia(url, max, { ...this.#host, signal });
    if (!Buffer.isBuffer(plain)) return plain;
    const name = filename ?? URL.parse(url)?.pathname.split("/").at(-1) ?? "";
    const type = uploadTypeOf(media, plain, name);
    if (type === null && media !== "document")
      return fileRefused("media_type_mismatch", mismatchReason(media, plain));
    const mimetype = type ?? anyType;
    const mediaKey = this.#host.random.bytes(32);
    const encrypted = encryptFile(media, mediaKey, plain);
    const fileEncSha256 = sha256(encrypted);
    const place = await this.#upload(media, encrypted, fileEncSha256, signal);
    if ("kind" in place) return place;
    const hashes = { fileSha256: sha256(plain), fileEncSha256 };
    return { file: { ...place, ...hashes, mediaKey, mimetype, fileLength: plain.length, filename: name } };
  }

  async #upload(
    media: MediaContent["media"],
    body: Buffer,
    hash: Buffer,
    signal: AbortSignal,
  ): Promise<{ url: string; directPath: string } | Outcome> {
    const access = await this.#bridge.ask((n) => ({ type: "uploads", n }), accessMs);
    if (access?.type !== "upload_access" || access.auth === null)
      return later("gave no access to upload files.");
    const token = hash.toString("base64url");
    const query = `auth=${encodeURIComponent(access.auth)}&token=${token}`;
    for (const host of access.hosts.slice(0, maxHosts)) {
      const result = await this.#host.outbound.request({
        method: "POST",
        url: `${this.#origin ?? `https://${host}`}/mms/${media}/${token}?${query}`,
        headers: { "content-type": "application/octet-stream", origin: "https://web.whatsapp.com" },
        body,
        timeoutMs: this.#host.timeoutMs,
        signal,
        proxy: this.#proxy,
      });
      if (result.kind !== "answer" || result.status !== 200) continue;
      const answer = parseJson(result.body) as { url?: unknown; direct_path?: unknown } | null | undefined;
      const { url, direct_path: directPath } = answer ?? {};
      if (typeof url === "string" && typeof directPath === "string") return { url, directPath };
    }
    return later("took no upload of the file.");
  }
}

const anyType = "application/octet-stream";

const later = (what: string): Outcome => ({
  kind: "deferred",
  code: "media_not_uploaded",
  reason: `WhatsApp ${what}`,
});
