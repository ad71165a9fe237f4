// Requests that bring files: each piece of a file goes to the store before the next one is read from the socket, so
// that neither a large file nor a slow disk fills the memory. Nothing is stored before it is known whose it is, and
// whatever is answered but success, what was stored of the files is removed before.

import type { Account } from "#accounts/account.ts";
import { isProblem, type Problem, problem, refusals } from "#contract/problem.ts";
import { authenticate, checkKey, keyInBody, keyInHeaderOrQuery } from "#http/auth/api-key.ts";
import { type Key, parseKey } from "#http/auth/api-key-text.ts";
import { missingKeyReply, tooLargeWithoutKey } from "#http/auth/key-in-body.ts";
import type { Call, UploadCall } from "#http/call.ts";
import type { Reply } from "#http/response.ts";
import type { AttachmentUpload } from "#messaging/accept/attachment-upload.ts";
import type { BodyShare } from "./budget.ts";
import { streamBody } from "./bytes.ts";
import type { UploadLimits } from "./limits.ts";
import { boundaryOf, type MultipartEvent, type MultipartFault, MultipartReader } from "./multipart.ts";
import {
  badForm,
  formValueCost,
  mediaOf,
  noRoom,
  type ParsedBody,
  parseForm,
  tooManyFields,
} from "./parse.ts";
import { readBody, tooLarge, unreadBodyProblem } from "./read.ts";
import { SmallPieces } from "./small-pieces.ts";

/** What a file counts beside its content while it is held: thousands of empty ones are no small thing either. */
const heldPerFile = 1_024;
const filesBeforeKey = problem("body_too_large", {
  message: "Files came before the api_key; send the key in the Api-key header, or before the files.",
});

/** The fields of files that go with the mail, and where among them one stands. */
const fileField = /^attachments(?:\[(\d{0,9})\])?$/;

type FileEvent = Exclude<MultipartEvent, { kind: "field" }>;

/** An upload that was let in and read. */
type Ready = Pick<UploadCall, "account" | "body" | "upload">;

/** Answers a request that may bring files. Null: the client went away. */
export async function answerUpload(
  call: Call,
  handler: (admitted: UploadCall) => Promise<Reply | null>,
): Promise<Reply | null> {
  let opened: AttachmentUpload | null = null;
  const open = (account: Account): AttachmentUpload => {
    opened = call.core.acceptance.openUpload(account);
    return opened;
  };
  try {
    const { request } = call;
    const keyMayBeInForm = mediaOf(request.headers) === "multipart" && keyInHeaderOrQuery(request) === null;
    const ready = await (keyMayBeInForm ? admitByForm : admit)(call, open);
    if (ready === null || isProblem(ready)) return ready;
    return await handler({ ...call, ...ready });
  } finally {
    await (opened as AttachmentUpload | null)?.end();
  }
}

async function admit(
  call: Call,
  open: (account: Account) => AttachmentUpload,
): Promise<Ready | Problem | null> {
  const { gate, request, share } = call;
  const admitted = await authenticate(gate, request, share);
  if (admitted === null || isProblem(admitted)) return admitted;
  const { account } = admitted;
  const upload = open(account);
  let body: ParsedBody | Problem | null = admitted.body;
  if (body === null) {
    if (mediaOf(request.headers) === "multipart") {
      body = await readForm(call, gate.uploads, { onFile: intoUpload(upload, share), onKey: null });
    } else body = await readBody(request, gate.bodyLimits, share);
  }
  return body === null || isProblem(body) ? body : { account, body, upload };
}

/**
 * Reads a form that may hold its key, behind files of who knows whom. What comes before the key is kept in memory, and
 * none of it is stored: a stranger must not have the one writer that all others wait for. As soon as the key has come it
 * is judged, and what was held of files is stored.
 */
async function admitByForm(
  call: Call,
  open: (account: Account) => AttachmentUpload,
): Promise<Ready | Problem | null> {
  const { gate, share } = call;
  const { maxKeylessBytes } = gate.uploads;
  const limits = { ...gate.uploads, maxFieldBytes: Math.min(maxKeylessBytes, gate.uploads.maxFieldBytes) };
  let key: Key | null = null;
  let admitted: (Omit<Ready, "body"> & { take: TakeFile }) | null = null;
  let refusal: Problem | null = null;
  const held: FileEvent[] = [];
  let heldBytes = 0;

  async function onKey(value: string): Promise<Problem | null> {
    if (key !== null) return null;
    key = parseKey(value);
    if (key === null) return null;
    const account = await checkKey(gate, key);
    if (isProblem(account)) {
      refusal = account;
      return refusal;
    }
    const upload = open(account);
    const take = intoUpload(upload, share);
    admitted = { account, upload, take };
    limits.maxFieldBytes = gate.uploads.maxFieldBytes;
    share.markAuthenticated();
    for (const event of held.splice(0)) {
      const fault = await take(event);
      if (fault !== null) return fault;
    }
    return null;
  }
  async function onFile(event: FileEvent, fieldBytes: number): Promise<Problem | null> {
    if (admitted !== null) return await admitted.take(event);
    const more = event.kind === "file" ? heldPerFile : event.kind === "piece" ? event.bytes.length : 0;
    heldBytes += more;
    if (heldBytes + fieldBytes > maxKeylessBytes) {
      refusal = filesBeforeKey;
      return refusal;
    }
    if (!share.grow(more)) return noRoom;
    // A copy, for a few bytes would keep all that came with them from the socket.
    held.push(event.kind === "piece" ? { kind: "piece", bytes: Buffer.from(event.bytes) } : event);
    return null;
  }
  const body = await readForm(call, limits, { onFile, onKey });
  if (body === null) return null;
  // What the two functions above have set, which the compiler cannot see.
  const whose = admitted as Omit<Ready, "body"> | null;
  if (isProblem(body)) return whose !== null || body === refusal ? body : missingKeyReply(body);
  // Of two keys, and of one that is a list, no two parts of a system may read different things.
  if (keyInBody(body) !== key) return refusals.invalid;
  return whose === null ? refusals.missing : { account: whose.account, upload: whose.upload, body };
}

/** What is in memory of a file on its way to the store: a piece of 192 KiB, and its base64. */
const inFlightBytes = 448 * 1024;

type TakeFile = (event: FileEvent) => Promise<Problem | null>;

/** Takes the files that go with the mail in; the problem: there is no room. Rejects with a `StorageError`. */
function intoUpload(upload: Pick<AttachmentUpload, "begin" | "write" | "close">, share: BodyShare): TakeFile {
  let taking = false;
  let hasRoom = false;
  return async (event) => {
    switch (event.kind) {
      case "file": {
        const found = fileField.exec(event.name);
        taking = found !== null;
        if (found === null) return null;
        hasRoom ||= share.grow(inFlightBytes);
        if (!hasRoom) return noRoom;
        upload.begin(event.filename, found[1] ? Number(found[1]) : null);
        return null;
      }
      case "piece":
        if (taking) await upload.write(event.bytes);
        return null;
      case "file_end":
        if (taking) await upload.close();
        return null;
    }
  };
}

/** What is done with a form while it is read; a problem from either ends the reading. */
interface FormHandlers {
  /** `fieldBytes`: what the fields and headers before it have. */
  onFile(event: FileEvent, fieldBytes: number): Promise<Problem | null>;
  /** A field called `api_key`; null: nobody waits for one. */
  onKey: ((value: string) => Promise<Problem | null>) | null;
}

/** Reads a form: its fields, and the names of files that do not go with the mail. Null: the client went away. */
async function readForm(
  { request, share }: Call,
  limits: UploadLimits,
  { onFile, onKey }: FormHandlers,
): Promise<ParsedBody | Problem | null> {
  const boundary = boundaryOf(request.headers["content-type"] ?? "");
  if (boundary === null) return badForm;
  const reader = new MultipartReader(boundary, limits);
  const small = new SmallPieces();
  const pairs: [string, string][] = [];
  const files: string[] = [];
  let fault: Problem | null = null;
  let some = false;
  let fieldBytes = 0;

  async function takePart(event: MultipartEvent): Promise<Problem | null> {
    if (event.kind === "field") return (await onKey?.(event.value)) ?? null;
    if (event.kind === "file" && !fileField.test(event.name)) files.push(event.name);
    return await onFile(event, reader.fieldBytes);
  }
  /** Room for the fields that have come since it was last asked for; the files' is asked for where they are held. */
  function hasRoom(): boolean {
    const more = reader.fieldBytes - fieldBytes;
    fieldBytes += more;
    return share.grow(more);
  }
  function faultOf(fault: MultipartFault): Problem {
    if (fault === "malformed") return badForm;
    if (fault === "too_many") return tooManyFields;
    return limits.maxFieldBytes === limits.maxKeylessBytes
      ? tooLargeWithoutKey(limits.maxFieldBytes)
      : tooLarge(limits.maxFieldBytes);
  }
  async function take(bytes: Buffer): Promise<boolean> {
    const events = reader.write(bytes);
    for (;;) {
      const next = events.next();
      if (next.done) {
        if (next.value !== null) fault = faultOf(next.value);
        else if (!hasRoom()) fault = noRoom;
        return fault === null;
      }
      const event = next.value;
      if (event.kind === "field") {
        pairs.push([event.name, event.value]);
        if (!share.grow(formValueCost)) fault = noRoom;
      }
      // A bulk form has tens of thousands of fields: only what is waited for is worth a promise.
      else fault = await takePart(event);
      if (event.kind === "field" && event.name === "api_key" && fault === null) fault = await takePart(event);
      if (fault !== null) return false;
    }
  }
  let end = await streamBody(request, limits, (chunk) => {
    some = true;
    const bytes = small.add(chunk);
    return bytes === null || take(bytes);
  });
  if (end === "ended") {
    const last = small.rest();
    if (last !== null && !(await take(last))) end = "stopped";
  }
  switch (end) {
    case "ended":
      // A body of no bytes is null, whatever its type.
      if (!some) return { value: null, files: [] };
      return reader.complete ? parseForm({ pairs, files }, limits.maxValues, share) : badForm;
    case "stopped":
      return fault ?? badForm;
    default:
      return unreadBodyProblem(end, limits.maxBytes);
  }
}
