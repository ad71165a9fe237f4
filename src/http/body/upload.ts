// Requests that bring files: each piece of a file goes to the store before the next one is read from the socket, so
// that neither a large file nor a slow disk fills the memory. Nothing is stored before it is known whose it is, and
// before a reply other than success is sent, the stored pieces of the files are removed.

import type { Account } from "#accounts/account.ts";
import { isProblem, type Problem, problem, refusals } from "#contract/problem.ts";
import { authenticate, checkKey, keyInBody, keyInHeaderOrQuery } from "#http/auth/api-key.ts";
import { type Key, parseKey } from "#http/auth/api-key-text.ts";
import { missingKeyReply, tooLargeWithoutKey } from "#http/auth/key-in-body.ts";
import type { Call, Head, UploadCall } from "#http/call.ts";
import type { Reply } from "#http/reply/response.ts";
import type { AttachmentUpload, IncomingFile } from "#messaging/accept/attachment-upload.ts";
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

/** The cost of a file besides its content while it is kept: thousands of empty ones are not free either. */
const heldPerFile = 1_024;
const filesBeforeKey = problem("body_too_large", {
  message: "Files came before the api_key; send the key in the Api-key header, or before the files.",
});

/** The fields of files that go with the mail, and the position of one among them. */
const fileField = /^attachments(?:\[(\d{0,9})\])?$/;

type FileEvent = Exclude<MultipartEvent, { kind: "field" }>;

/** The result of reading an admitted request that may contain files. */
type Admitted = Pick<UploadCall, "account" | "body" | "upload">;

/** Answers a request that may contain files. Returns null if the client disconnected. */
export async function answerUpload(
  head: Head,
  call: Call,
  handler: (admitted: UploadCall) => Promise<Reply | null>,
): Promise<Reply | null> {
  const admission = new Admission(head, call);
  try {
    const { request } = call;
    const keyMayBeInForm = mediaOf(request.headers) === "multipart" && keyInHeaderOrQuery(request) === null;
    const admitted = await (keyMayBeInForm ? admission.byForm() : admission.byHead());
    if (admitted === null || isProblem(admitted)) return admitted;
    return await handler({ ...call, ...admitted });
  } finally {
    await admission.end();
  }
}

/** The memory that a file uses on its way to the store: a piece of 192 KiB, and its base64. */
const inFlightBytes = 448 * 1024;

/** Authenticates a request that may contain files, reads its body, and passes its files to the account's upload. */
class Admission {
  readonly #head: Head;
  readonly #call: Call;
  /** Set as soon as the account is known. */
  #opened: Omit<Admitted, "body"> | null = null;
  /** The file being received; null if it is not an attachment. */
  #file: IncomingFile | null = null;
  #hasFileRoom = false;
  /** For a form that may contain its key: the key, the problem that ended the reading, and the files before the key. */
  #key: Key | null = null;
  #refusal: Problem | null = null;
  readonly #held: FileEvent[] = [];
  #heldBytes = 0;

  constructor(head: Head, call: Call) {
    this.#head = head;
    this.#call = call;
  }

  /** Removes what was stored and not committed. */
  async end(): Promise<void> {
    await this.#opened?.upload.discard();
  }

  /** A request whose key is in a header or the query, or whose body is not a form. */
  async byHead(): Promise<Admitted | Problem | null> {
    const { gate, request, share } = this.#call;
    const authenticated = await authenticate(this.#call, this.#head);
    if (authenticated === null || isProblem(authenticated)) return authenticated;
    const opened = this.#open(authenticated.account);
    let body: ParsedBody | Problem | null = authenticated.body;
    if (body === null) {
      if (mediaOf(request.headers) === "multipart") {
        const onFile = (event: FileEvent) => this.#receive(opened.upload, event);
        body = await readForm(this.#call, gate.uploads, { onFile, onKey: null });
      } else body = await readBody(request, gate.bodyLimits, share);
    }
    return body === null || isProblem(body) ? body : { ...opened, body };
  }

  /**
   * Reads a form that may contain its key, possibly after files. What precedes the key is kept in memory and not stored: an unauthenticated
   * client must not use the single writer that all others wait for. The key is checked as soon as it arrives, and the kept files are stored
   * then.
   */
  async byForm(): Promise<Admitted | Problem | null> {
    const { gate } = this.#call;
    const { maxKeylessBytes } = gate.uploads;
    const limits = { ...gate.uploads, maxFieldBytes: Math.min(maxKeylessBytes, gate.uploads.maxFieldBytes) };
    const body = await readForm(this.#call, limits, {
      onFile: (event, fieldBytes) => this.#receiveOrHold(event, fieldBytes),
      onKey: (value) => this.#takeKey(value, limits),
    });
    if (body === null) return null;
    const opened = this.#opened;
    if (isProblem(body)) return opened !== null || body === this.#refusal ? body : missingKeyReply(body);
    // With two keys, or a key that is a list, two readers of the form could authenticate different accounts.
    if (keyInBody(body) !== this.#key) return refusals.invalid;
    return opened === null ? refusals.missing : { ...opened, body };
  }

  #open(account: Account): Omit<Admitted, "body"> {
    this.#opened = { account, upload: this.#call.core.acceptance.openUpload(account) };
    return this.#opened;
  }

  async #takeKey(value: string, limits: UploadLimits): Promise<Problem | null> {
    if (this.#key !== null) return null;
    this.#key = parseKey(value);
    if (this.#key === null) return null;
    const { gate, share } = this.#call;
    const account = await checkKey(this.#call, this.#head, this.#key);
    if (isProblem(account)) {
      this.#refusal = account;
      return account;
    }
    const { upload } = this.#open(account);
    limits.maxFieldBytes = gate.uploads.maxFieldBytes;
    share.markAuthenticated();
    for (const event of this.#held.splice(0)) {
      const problem = await this.#receive(upload, event);
      if (problem !== null) return problem;
    }
    return null;
  }

  async #receiveOrHold(event: FileEvent, fieldBytes: number): Promise<Problem | null> {
    if (this.#opened !== null) return await this.#receive(this.#opened.upload, event);
    const { gate, share } = this.#call;
    const more = event.kind === "file" ? heldPerFile : event.kind === "piece" ? event.bytes.length : 0;
    this.#heldBytes += more;
    if (this.#heldBytes + fieldBytes > gate.uploads.maxKeylessBytes) {
      this.#refusal = filesBeforeKey;
      return filesBeforeKey;
    }
    if (!share.grow(more)) return noRoom;
    // A copy, because a few bytes would keep the whole chunk from the socket in memory.
    this.#held.push(event.kind === "piece" ? { kind: "piece", bytes: Buffer.from(event.bytes) } : event);
    return null;
  }

  /** Passes a part of a file to the upload; returns the problem if there is no room. Rejects with a `StorageError`. */
  async #receive(upload: AttachmentUpload, event: FileEvent): Promise<Problem | null> {
    switch (event.kind) {
      case "file": {
        const match = fileField.exec(event.name);
        this.#file = null;
        if (match === null) return null;
        this.#hasFileRoom ||= this.#call.share.grow(inFlightBytes);
        if (!this.#hasFileRoom) return noRoom;
        this.#file = upload.open(event.filename, match[1] ? Number(match[1]) : null);
        return null;
      }
      case "piece":
        await this.#file?.write(event.bytes);
        return null;
      case "file_end":
        await this.#file?.close();
        return null;
    }
  }
}

/** What is done with a form while it is read; a problem from either ends the reading. */
interface FormHandlers {
  /** `fieldBytes`: the size of the fields and headers before it. */
  onFile(event: FileEvent, fieldBytes: number): Promise<Problem | null>;
  /** The value of a field called `api_key`; null if the key is known already. */
  onKey: ((value: string) => Promise<Problem | null>) | null;
}

/** Reads a form: its fields, and the names of files that do not go with the mail. Returns null if the client disconnected. */
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
  /** Reserves memory for the fields received since the last reservation; memory for files is reserved where they are kept. */
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
      // A bulk form has tens of thousands of fields: promises are created only for what must be awaited.
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
      // An empty body is null, for every media type.
      if (!some) return { value: null, files: [] };
      return reader.complete ? parseForm({ pairs, files }, limits.maxValues, share) : badForm;
    case "stopped":
      return fault ?? badForm;
    default:
      return unreadBodyProblem(end, limits.maxBytes);
  }
}
