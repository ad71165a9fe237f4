/** Why a recipient is on the suppression list, in the API's words: what they did, or what was done. */
export const suppressionReasons = {
  opt_out: "answered that they want no more messages",
  manual: "put on the suppression list by a person",
  bounce: "their mail came back",
  complaint: "complained about a mail",
  unsubscribe: "unsubscribed",
} as const;
