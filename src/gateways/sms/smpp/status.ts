// What a `command_status` says about a message. Any status but 0 means that the SMSC did not accept the PDU, so nothing here is ever
// `unknown`.

/**
 * - `message`: it will never be sent
 * - `gateway`: every message would be refused
 * - `throttled`: the SMSC takes nothing now; the same PDU goes first again
 * - `later`: this one may be taken later
 */
export type StatusClass = "message" | "gateway" | "throttled" | "later";

export const status = {
  ok: 0x00,
  invalidCommandLength: 0x02,
  invalidCommand: 0x03,
  bindStatus: 0x04,
  alreadyBound: 0x05,
  systemError: 0x08,
  bindFailed: 0x0d,
  invalidPassword: 0x0e,
  invalidSystemId: 0x0f,
  unknownError: 0xff,
} as const;

/** By SMPP 3.4 section 5.1.3 and SMPP 5.0; names without their `ESME_R`. */
const known: ReadonlyMap<number, readonly [name: string, means: StatusClass]> = new Map([
  [0x01, ["INVMSGLEN", "message"]],
  [0x02, ["INVCMDLEN", "gateway"]],
  [0x03, ["INVCMDID", "gateway"]],
  [0x04, ["INVBNDSTS", "gateway"]],
  [0x05, ["ALYBND", "gateway"]],
  [0x06, ["INVPRTFLG", "gateway"]],
  [0x07, ["INVREGDLVFLG", "gateway"]],
  [0x08, ["SYSERR", "later"]],
  [0x0a, ["INVSRCADR", "gateway"]],
  [0x0b, ["INVDSTADR", "message"]],
  [0x0c, ["INVMSGID", "gateway"]],
  [0x0d, ["BINDFAIL", "gateway"]],
  [0x0e, ["INVPASWD", "gateway"]],
  [0x0f, ["INVSYSID", "gateway"]],
  [0x14, ["MSGQFUL", "throttled"]],
  [0x15, ["INVSERTYP", "gateway"]],
  [0x43, ["INVESMCLASS", "gateway"]],
  [0x45, ["SUBMITFAIL", "later"]],
  [0x48, ["INVSRCTON", "gateway"]],
  [0x49, ["INVSRCNPI", "gateway"]],
  [0x50, ["INVDSTTON", "message"]],
  [0x51, ["INVDSTNPI", "message"]],
  [0x53, ["INVSYSTYP", "gateway"]],
  [0x58, ["THROTTLED", "throttled"]],
  [0x61, ["INVSCHED", "gateway"]],
  [0x62, ["INVEXPIRY", "gateway"]],
  [0x64, ["X_T_APPN", "later"]],
  [0x65, ["X_P_APPN", "message"]],
  [0x66, ["X_R_APPN", "message"]],
  [0xc0, ["INVOPTPARSTREAM", "gateway"]],
  [0xc1, ["OPTPARNOTALLWD", "gateway"]],
  [0xc2, ["INVPARLEN", "gateway"]],
  [0xc3, ["MISSINGOPTPARAM", "gateway"]],
  [0xc4, ["INVOPTPARAMVAL", "gateway"]],
  [0xfe, ["DELIVERYFAILURE", "message"]],
  [0xff, ["UNKNOWNERR", "later"]],
  [0x100, ["SERTYPUNAUTH", "gateway"]],
  [0x101, ["PROHIBITED", "message"]],
  [0x102, ["SERTYPUNAVAIL", "later"]],
  [0x104, ["INVDCS", "message"]],
]);

/** `0x0000000E (INVPASWD)`. */
export function statusName(code: number): string {
  const name = known.get(code)?.[0];
  const hex = `0x${code.toString(16).toUpperCase().padStart(8, "0")}`;
  return name === undefined ? hex : `${hex} (${name})`;
}

/** The code of a status in records: `smpp.0x58`. */
export const statusCode = (code: number) => `smpp.0x${code.toString(16).toUpperCase().padStart(2, "0")}`;

/** By the standard; null for the operator's own. */
export function classOf(code: number): StatusClass | null {
  return known.get(code)?.[1] ?? null;
}

/** Statuses of a bind that the same credentials will get again: the SMSC may lock an account that tries too often. */
export const refusedBinds: ReadonlySet<number> = new Set([
  status.alreadyBound,
  status.bindFailed,
  status.invalidPassword,
  status.invalidSystemId,
  0x53,
]);
