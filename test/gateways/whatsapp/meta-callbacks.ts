// Callbacks as Meta makes them, signed by an implementation of its own.

import { createHmac } from "node:crypto";
import { businessAccountId, phoneNumberId } from "./graph-simulator.ts";

export const appSecret = "app-secret-0123456789";
export const verifyToken = "verify-token-0123456789";

/** What is in `value` beside `metadata`. */
export interface Updates {
  errors?: object[];
  contacts?: object[];
  messages?: object[];
  statuses?: object[];
}

/** One change of the field `messages`, about the number with this id. */
export const change = (updates: Updates, id = phoneNumberId) => ({
  field: "messages",
  value: {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "+1 555-078-3881", phone_number_id: id },
    ...updates,
  },
});

/** The bytes of a call with these changes. */
export const callOf = (...changes: object[]) =>
  Buffer.from(JSON.stringify({ object: "whatsapp_business_account", entry: [{ id: "1022", changes }] }));

/** One change of another field, about the account with this id; `time`: epoch seconds. */
export const accountCallOf = (field: string, value: object, id = businessAccountId, time = 1750263773) =>
  Buffer.from(
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id, time, changes: [{ field, value }] }],
    }),
  );

/** The header that proves the bytes. */
export const signatureOf = (body: Buffer, secret = appSecret) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
