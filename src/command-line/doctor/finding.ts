// What the doctor finds.

export interface Finding {
  /** What was looked at, in a word or two: `disk`, `gateway acme-sms`. */
  what: string;
  /** `error`: something does not work. `warning`: it will not, or not as it could. */
  state: "ok" | "warning" | "error";
  detail: string;
  /** What to do, for all but `ok`. */
  advice: string | null;
}

export const ok = (what: string, detail: string): Finding => ({ what, state: "ok", detail, advice: null });
export const warning = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: "warning",
  detail,
  advice,
});
export const fault = (what: string, detail: string, advice: string): Finding => ({
  what,
  state: "error",
  detail,
  advice,
});
