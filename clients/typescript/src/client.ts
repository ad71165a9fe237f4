// The client: the operations of an application on an account's messages.

import {
  type CallOptions,
  type ClientOptions,
  checkHeader,
  createCall,
  type SendOptions,
} from "./request.ts";
import type {
  Channel,
  EmailContact,
  EmailRecord,
  EmailSendReply,
  MessageStatus,
  ReceivedMessage,
  ResolveMessageRequest,
  SmsContact,
  SmsRecord,
  SmsSendReply,
  WhatsappContact,
  WhatsappListContact,
  WhatsappRecord,
  WhatsappSendReply,
} from "./types.ts";

export interface EmailFile {
  filename: string;
  content: Uint8Array | Blob;
  /** Without one, Trunkline uses the type of the file extension. */
  contentType?: string | undefined;
}

export interface ListOptions extends CallOptions {
  /** How many records one request asks for, 1 to 200; by default 50. */
  pageSize?: number | undefined;
}

interface Records {
  sms: SmsRecord;
  whatsapp: WhatsappRecord;
  email: EmailRecord;
}

export type Trunkline = ReturnType<typeof createTrunkline>;

/** Throws for a value that is not an id: an empty one would request the list instead. */
function segment(id: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new TypeError("id is not the id of a message.");
  return id;
}

const listed = <Contact>(contacts: Contact | readonly Contact[]) =>
  Array.isArray(contacts) ? contacts : [contacts];

function formOf(contacts: unknown, files: readonly EmailFile[]): FormData {
  const form = new FormData();
  form.set("contact", JSON.stringify(contacts));
  for (const { filename, content, contentType } of files) {
    const type = contentType ?? (content instanceof Blob ? content.type : "");
    form.append("attachments", new Blob([content as Uint8Array<ArrayBuffer> | Blob], { type }), filename);
  }
  return form;
}

/**
 * A client of one account. Calls reject with a `TrunklineError`, and with a `TypeError` for options that cannot work. It connects
 * to nothing before the first call.
 */
export function createTrunkline(options: ClientOptions) {
  const call = createCall(options);

  async function send<Reply extends { data: unknown }>(
    path: string,
    body: object,
    { idempotencyKey = crypto.randomUUID(), ...rest }: SendOptions,
  ): Promise<Reply["data"]> {
    checkHeader("idempotencyKey", idempotencyKey);
    return (await call<Reply>({ method: "POST", path, body, idempotencyKey }, rest)).data;
  }

  async function* pages<Item>(
    path: string,
    { pageSize, status, ...rest }: ListOptions & { status?: MessageStatus | undefined },
  ): AsyncGenerator<Item, void, undefined> {
    let cursor: string | null = null;
    do {
      const query = { limit: pageSize, status, cursor };
      const page: { data: Item[]; next_cursor: string | null } = await call(
        { method: "GET", path, query },
        rest,
      );
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }

  return {
    sms: {
      /** Sends to one contact or to several, all of them or none. It resolves when every message is stored. */
      send: (contacts: SmsContact | readonly SmsContact[], options: SendOptions = {}) =>
        send<SmsSendReply>("/api/sms/send", { contact: listed(contacts) }, options),
    },
    whatsapp: {
      /** Sends texts, files with captions, or templates. */
      send: (contacts: WhatsappContact | readonly WhatsappContact[], options: SendOptions = {}) =>
        send<WhatsappSendReply>("/api/whatsapp/send", { contact: listed(contacts) }, options),
      /** Sends messages with a button that opens a list. */
      sendList: (contacts: WhatsappListContact | readonly WhatsappListContact[], options: SendOptions = {}) =>
        send<WhatsappSendReply>("/api/whatsapp/send-list", { contact: listed(contacts) }, options),
    },
    email: {
      /** Sends to one contact or to several; every one gets all `files`. */
      send: (
        contacts: EmailContact | readonly EmailContact[],
        { files = [], ...options }: SendOptions & { files?: readonly EmailFile[] | undefined } = {},
      ) => {
        const contact = listed(contacts);
        return send<EmailSendReply>(
          "/api/email/send",
          files.length === 0 ? { contact } : formOf(contact, files),
          options,
        );
      },
    },
    messages: {
      /** A message with its timeline. */
      get: async <C extends Channel>(channel: C, id: string, options?: CallOptions): Promise<Records[C]> => {
        const path = `/api/get/${channel}/${segment(id)}`;
        return (await call<{ data: Records[C] }>({ method: "GET", path }, options)).data;
      },
      /** The channel's messages, newest first. Pages are fetched as the loop reaches them. */
      list: <C extends Channel>(
        channel: C,
        options: ListOptions & { status?: MessageStatus | undefined } = {},
      ): AsyncGenerator<Records[C], void, undefined> => pages(`/api/get/${channel}`, options),
      /** Messages from people, the newest first. */
      received: (
        channel: Channel,
        options: ListOptions = {},
      ): AsyncGenerator<ReceivedMessage, void, undefined> => pages(`/api/received/${channel}`, options),
      /** Possible until the transmission starts; after that it rejects with `not_cancellable`. */
      cancel: async <C extends Channel>(
        channel: C,
        id: string,
        options?: CallOptions,
      ): Promise<Records[C]> => {
        const path = `/api/cancel/${channel}/${segment(id)}`;
        return (await call<{ data: Records[C] }>({ method: "POST", path, body: {} }, options)).data;
      },
      /**
       * Moves a message to another time of the account's time zone (`2030-01-31 09:00:00`), or makes it due at once if null. If the first
       * answer was lost and the message has been sent since, it rejects with `not_cancellable`.
       */
      reschedule: async <C extends Channel>(
        channel: C,
        id: string,
        scheduleAt: string | null,
        options?: CallOptions,
      ): Promise<Records[C]> => {
        const path = `/api/reschedule/${channel}/${segment(id)}`;
        const body = { schedule_at: scheduleAt };
        return (await call<{ data: Records[C] }>({ method: "POST", path, body }, options)).data;
      },
      /**
       * Decides a message that may or may not have been sent (`unknown`). If the first answer was lost, or the provider has reported since,
       * it rejects with `not_unknown`.
       */
      resolve: async <C extends Channel>(
        channel: C,
        id: string,
        answer: ResolveMessageRequest["answer"],
        options?: CallOptions,
      ): Promise<Records[C]> => {
        const path = `/api/resolve/${channel}/${segment(id)}`;
        return (await call<{ data: Records[C] }>({ method: "POST", path, body: { answer } }, options)).data;
      },
    },
  };
}
