// WhatsApp's id of a person for one business, which can take the place of their number
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids).

/** `US.13491208655302741918`, or `US.ENT.…` of an id that several businesses share. Capitals matter. */
export const isUserId = (text: string) => /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(text);
