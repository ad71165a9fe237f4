// The outcome of one transmission: the four answers that an adapter can give.

/**
 * - `accepted`: the provider took the message. `note`: a sentence for its timeline. `knownAs`: the sender of the recipient's answers, if it
 *   is another one: an E.164 number or an id. `refused`: recipients of a mail to several whom the provider refused. `receipt`: for routes that already know how it ended. `parts`: it has several
 *   references, of which `reference` is the first.
 * - `rejected`: the message will never be sent. It is not tried again. `mayBeGatewayFault`: the provider refused it with a code
 *   that no table lists, or that is about settings as well as about messages; the lane's breaker judges it (`queue/breaker`).
 * - `deferred`: the message was certainly not sent. It is tried again. `gatewayFault` means that the gateway is at fault
 *   and not this message (`refused`: the provider answered no, such as for bad credentials; `unreachable`: there was no
 *   connection): the lane pauses, and the attempt does not count.
 * - `unknown`: the message may have been sent. It is never repeated blindly. `parts`: the parts that the provider certainly took.
 */
export type Outcome =
  | {
      kind: "accepted";
      reference: string | null;
      parts?: PartReferences;
      receipt?: FinalReceipt;
      note?: string;
      knownAs?: string;
      refused?: readonly RefusedRecipient[];
    }
  | {
      kind: "rejected";
      code: string;
      reason: string;
      answer?: ProviderAnswer;
      mayBeGatewayFault?: true;
      refused?: readonly RefusedRecipient[];
    }
  | {
      kind: "deferred";
      code?: string;
      reason: string;
      answer?: ProviderAnswer;
      retryAfterMs?: number;
      gatewayFault?: "refused" | "unreachable";
      /** For a fault of the gateway: how long the provider wants not to be called, at least. */
      pauseMs?: number;
    }
  | { kind: "unknown"; code?: string; reason: string; answer?: ProviderAnswer; parts?: PartReferences };

/** A recipient of a mail to several whom the provider refused. `recipient`: as it was given to the adapter. */
export interface RefusedRecipient {
  recipient: string;
  code: string;
  reason: string;
}

/** The HTTP answer of a provider: its status, and the start of its body without secrets. */
interface ProviderAnswer {
  status: number;
  body: string;
}

/**
 * The references of one message. `each`: the provider reports on each, and the message is delivered when all are. `of`: how many parts it
 * has, if not all of them have a reference.
 */
export interface PartReferences {
  references: readonly string[];
  each: boolean;
  of?: number;
}

/** `returned`: like `undelivered`, and the gateway can send the message in another form. It is sent once more, and then never again. */
export type ReceiptStatus = "sent" | "delivered" | "read" | "undelivered" | "failed" | "bounced" | "returned";

export interface FinalReceipt {
  status: ReceiptStatus;
  code?: string;
  reason?: string;
}
