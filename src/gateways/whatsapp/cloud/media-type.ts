// The types of files that the Cloud API takes, found in the content: names and headers of other servers are not proof
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media).

import type { MediaKind } from "#contract/messages/content.ts";

const mb = 1024 * 1024;

/** Bytes of the largest file. */
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

/** The MIME type for the upload; null: the Cloud API takes no upload of this content as this kind. */
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

function audioType(bytes: Buffer): string | null {
  if (latin1(bytes, 0, 5) === "#!AMR") return "audio/amr";
  // Of OGG, WhatsApp plays OPUS alone. The first page has a header of 28 bytes.
  if (latin1(bytes, 0, 4) === "OggS") return latin1(bytes, 28, 36) === "OpusHead" ? "audio/ogg" : null;
  if (isIsoMedia(bytes)) return "audio/mp4";
  if (latin1(bytes, 0, 3) === "ID3") return "audio/mpeg";
  const [first, second] = bytes;
  if (first !== 0xff || second === undefined || (second & 0xe0) !== 0xe0) return null;
  // ADTS, which is AAC, has the layer 0.
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
