// The states of the link to a device that a person links. No zod here: the storage threads load this file.

/**
 * - `unlinked`, `expired`: no device is linked; `expired`: the last code was not used in time
 * - `connecting`, `reconnecting`: on the way, without anybody's help
 * - `waiting_for_scan`, `waiting_for_code`: a person has to scan the QR code, or type the code in
 * - `open`: linked and connected
 * - `limited`: the provider restricts the number until a time
 * - `replaced`: another program opened the same link; `resume` takes it back
 * - `wrong_number`: another number than before was linked, and unlinked at once
 * - `outdated`: the provider refuses this version of the library
 * - `needs_relink`: the keys of the link are damaged
 * - `logged_out`: the link ended over there
 * - `not_installed`: the library is not installed
 */
export const linkStates = [
  "unlinked",
  "connecting",
  "waiting_for_scan",
  "waiting_for_code",
  "expired",
  "open",
  "reconnecting",
  "limited",
  "replaced",
  "wrong_number",
  "outdated",
  "needs_relink",
  "logged_out",
  "not_installed",
] as const;
export type LinkState = (typeof linkStates)[number];

/** Why a link ended, in the event `gateway.unlinked`. */
export type LinkWord = "logged_out" | "replaced" | "banned" | "locked" | "removed";
