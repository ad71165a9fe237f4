// The errors of Twilio's API that are answered here: https://www.twilio.com/docs/api/errors. Their clients read the code and the message.

/** What a request may have wrong, with Twilio's code. The status is 400 unless one is given here. */
export const twilioErrors = {
  invalidParameter: { code: 20001 },
  authenticate: { code: 20003, status: 401 },
  forbidden: { code: 20003, status: 403 },
  notActive: { code: 20005, status: 403 },
  notFound: { code: 20404, status: 404 },
  invalidTo: { code: 21211 },
  noSender: { code: 21603 },
  toRequired: { code: 21604 },
  invalidFrom: { code: 21606 },
  invalidStatusCallback: { code: 21609 },
  optedOut: { code: 21610 },
  bodyTooLong: { code: 21617 },
  bodyRequired: { code: 21619 },
  invalidMediaUrl: { code: 21620 },
  noMms: { code: 21621 },
  tooManyMedia: { code: 21623 },
  noSuchService: { code: 21701 },
  channelsDiffer: { code: 21910 },
  notCancelable: { code: 30409, status: 409 },
  invalidSendAt: { code: 35114 },
  invalidWhatsappFrom: { code: 63007 },
} as const satisfies Record<string, { code: number; status?: number }>;

export type TwilioErrorName = keyof typeof twilioErrors;

/** The body of an error, as Twilio writes it. */
export const twilioErrorBody = (code: number, status: number, message: string) => ({
  code,
  message,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
});

/** Twilio's code for an HTTP status for which it has no error of its own: 20429 is "Too Many Requests". */
export const codeOfStatus = (status: number): number =>
  status === 405 ? 20004 : status === 400 || status === 422 ? 20001 : 20_000 + status;
