// Images, sounds and files in OpenAI's messages, as bytes or as a link. The vendor fetches links; the gateway
// fetches nothing.

import { type Fields, isObject } from "#contract/normalise.ts";
import { textOf } from "./json.ts";

export interface TextPart {
  kind: "text";
  text: string;
  cacheControl?: Fields;
  /** Gemini's signature of an assistant's part, if the reader keeps it. */
  signature?: string;
}

type MediaPart =
  | {
      kind: "data";
      mediaType: string;
      base64: string;
      name: string | null;
      cacheControl?: Fields;
      signature?: string;
    }
  /** `mediaType`: by the file extension of the path; null if unknown. */
  | { kind: "link"; url: string; mediaType: string | null; cacheControl?: Fields };

export type Part = TextPart | MediaPart;

/** Reads a part that is not text; a string says why it cannot be translated. */
export function mediaPart(part: Fields): MediaPart | string {
  switch (part.type) {
    case "image_url": {
      const url = isObject(part.image_url) ? part.image_url.url : part.image_url;
      return typeof url === "string" ? located(url, null) : "`image_url` has no `url`.";
    }
    case "input_audio": {
      const audio = isObject(part.input_audio) ? part.input_audio : {};
      const data = textOf(audio.data);
      const format = textOf(audio.format);
      if (data === "" || !/^[a-z0-9-]{1,16}$/.test(format)) return "`input_audio` needs `data` and `format`.";
      return { kind: "data", mediaType: `audio/${format}`, base64: data, name: null };
    }
    case "file": {
      const file = isObject(part.file) ? part.file : {};
      const data = textOf(file.file_data);
      const link = textOf(file.file_url);
      if (data === "" && link === "")
        return "a file can only be given as `file_data`; another provider's `file_id` means nothing here.";
      const name = textOf(file.filename);
      const found = located(data || link, name === "" ? null : name);
      // Links to documents may have no extension.
      const isUnnamed = typeof found !== "string" && found.kind === "link" && found.mediaType === null;
      return isUnnamed ? { ...found, mediaType: "application/pdf" } : found;
    }
    default:
      return "this type of content cannot be translated.";
  }
}

/** A `data:` URL (RFC 2397) becomes bytes, an http URL a link. */
function located(url: string, name: string | null): MediaPart | string {
  const scheme = /^https?:\/\//i.exec(url)?.[0];
  if (scheme !== undefined)
    return {
      kind: "link",
      url: scheme.toLowerCase() + url.slice(scheme.length),
      mediaType: typeByEnding(url),
    };
  // Only its start is matched: the rest may be many megabytes.
  const comma = url.slice(0, 256).indexOf(",");
  const head = /^data:([\w.+-]+\/[\w.+-]+)?((?:;[\w.+-]+=[^;,]*)*)(;base64)?$/i.exec(
    url.slice(0, Math.max(comma, 0)),
  );
  if (!head) return "a URL must be `data:`, `http:` or `https:`.";
  const mediaType = (head[1] ?? "text/plain").toLowerCase();
  const data = url.slice(comma + 1);
  if (head[3] !== undefined) return { kind: "data", mediaType, base64: data, name };
  try {
    return {
      kind: "data",
      mediaType,
      base64: Buffer.from(decodeURIComponent(data)).toString("base64"),
      name,
    };
  } catch {
    return "a `data:` URL is damaged.";
  }
}

const endings: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  heif: "image/heif",
  pdf: "application/pdf",
};

function typeByEnding(url: string): string | null {
  const ending = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(endings, ending) ? (endings[ending] ?? null) : null;
}
