// WhatsApp's ids of people, which can replace their numbers. An id for one business comes from Meta
// (https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids); the id of a person who hides their
// number comes with their messages to a linked device.

/** `US.13491208655302741918`, or `US.ENT.…` for an id that several businesses share. Case matters. */
export const isUserId = (text: string) => /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/.test(text);

/** `271234567890123@lid`. */
export const isLid = (text: string) => /^\d{1,20}@lid$/.test(text);
