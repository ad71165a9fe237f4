// The file types that the Cloud API accepts, recognised by content: names and headers of other servers are not proof
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media).

import type { MediaKind } from "#contract/messages/content.ts";

const mb = 1024 * 1024;

/** Maximum size in bytes. */
export const maxMediaBytes: Record<MediaKind, number> = {
  image: 5 * mb,
  audio: 16 * mb,
  video: 16 * mb,
  document: 100 * mb,
};

const office = "application/vnd.openxmlformats-officedocument";
const zipped = new Map([
  ["docx", `${office}.wordprocessingml.document`],
  ["xlsx", `${office}.spreadsheetml.sheet`],
  ["pptx", `${office}.presentationml.presentation`],
]);
const compound = new Map([
  ["doc", "application/msword"],
  ["xls", "application/vnd.ms-excel"],
  ["ppt", "application/vnd.ms-powerpoint"],
]);

/** The MIME type for the upload; null if the Cloud API does not accept this content as this kind. */
export function uploadTypeOf(kind: MediaKind, bytes: Buffer, filename: string): string | null {
  switch (kind) {
    case "image":
      if (startsWith(bytes, "ffd8ff")) return "image/jpeg";
      return startsWith(bytes, "89504e470d0a1a0a") ? "image/png" : null;
    case "video":
      if (!isIsoMedia(bytes)) return null;
      return latin1(bytes, 8, 10) === "3g" ? "video/3gpp" : "video/mp4";
    case "audio":
      return audioType(bytes);
    case "document":
      return documentType(bytes, filename.slice(filename.lastIndexOf(".") + 1).toLowerCase());
  }
}

const taken: Readonly<Record<Exclude<MediaKind, "document">, string>> = {
  image: "images as JPEG or PNG",
  video: "videos as MP4 or 3GPP",
  audio: "audio as MP3, AAC, AMR, MP4 or OGG with OPUS",
};

/** Files that people send by mistake, recognised by their first bytes. */
const others: readonly [name: string, is: (bytes: Buffer) => boolean][] = [
  ["empty", (bytes) => bytes.length === 0],
  ["WebP", (bytes) => latin1(bytes, 0, 4) === "RIFF" && latin1(bytes, 8, 12) === "WEBP"],
  ["WAV", (bytes) => latin1(bytes, 0, 4) === "RIFF" && latin1(bytes, 8, 12) === "WAVE"],
  ["AVI", (bytes) => latin1(bytes, 0, 4) === "RIFF" && latin1(bytes, 8, 11) === "AVI"],
  ["GIF", (bytes) => latin1(bytes, 0, 4) === "GIF8"],
  ["BMP", (bytes) => latin1(bytes, 0, 2) === "BM"],
  ["TIFF", (bytes) => startsWith(bytes, "49492a00") || startsWith(bytes, "4d4d002a")],
  ["HEIC or AVIF", (bytes) => isIsoMedia(bytes) && /^(?:hei|hev|mif1|msf1|avif)/.test(latin1(bytes, 8, 12))],
  ["JPEG", (bytes) => startsWith(bytes, "ffd8ff")],
  ["PNG", (bytes) => startsWith(bytes, "89504e470d0a1a0a")],
  ["PDF", (bytes) => latin1(bytes, 0, 5) === "%PDF-"],
  ["OGG without OPUS", (bytes) => latin1(bytes, 0, 4) === "OggS"],
  ["FLAC", (bytes) => latin1(bytes, 0, 4) === "fLaC"],
  ["WebM or Matroska", (bytes) => startsWith(bytes, "1a45dfa3")],
  ["MP4 or 3GPP", (bytes) => isIsoMedia(bytes)],
  ["HTML", (bytes) => /^\s*<(?:!doctype html|html)/i.test(latin1(bytes, 0, 200))],
  ["SVG", (bytes) => /^\s*<(?:\?xml|svg)/i.test(latin1(bytes, 0, 200))],
];

/** Why a file cannot be sent as this kind: what WhatsApp accepts, and what the file is, if known. */
export function mismatchReason(kind: Exclude<MediaKind, "document">, bytes: Buffer): string {
  const found = others.find(([, is]) => is(bytes))?.[0];
  return `WhatsApp takes ${taken[kind]}${found === undefined ? "; the file is another one" : `; the file is ${found}`}.`;
}

function audioType(bytes: Buffer): string | null {
  if (latin1(bytes, 0, 5) === "#!AMR") return "audio/amr";
  // Of the OGG formats, WhatsApp plays only OPUS. The first page has a header of 28 bytes.
  if (latin1(bytes, 0, 4) === "OggS") return latin1(bytes, 28, 36) === "OpusHead" ? "audio/ogg" : null;
  if (isIsoMedia(bytes)) return "audio/mp4";
  if (latin1(bytes, 0, 3) === "ID3") return "audio/mpeg";
  const [first, second] = bytes;
  if (first !== 0xff || second === undefined || (second & 0xe0) !== 0xe0) return null;
  // In ADTS, which is AAC, the layer is 0.
  return (second & 0x06) === 0 ? "audio/aac" : "audio/mpeg";
}

function documentType(bytes: Buffer, extension: string): string | null {
  if (latin1(bytes, 0, 5) === "%PDF-") return "application/pdf";
  if (startsWith(bytes, "504b0304")) return zipped.get(extension) ?? null;
  if (startsWith(bytes, "d0cf11e0a1b11ae1")) return compound.get(extension) ?? null;
  return extension === "txt" && !bytes.includes(0) ? "text/plain" : null;
}

const isIsoMedia = (bytes: Buffer) => latin1(bytes, 4, 8) === "ftyp";
const startsWith = (bytes: Buffer, hex: string) => bytes.toString("hex", 0, hex.length / 2) === hex;
const latin1 = (bytes: Buffer, start: number, end: number) => bytes.toString("latin1", start, end);
