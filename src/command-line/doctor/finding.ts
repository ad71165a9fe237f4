// The doctor's findings.

export interface Finding {
  /** What was checked, in a word or two: `disk`, `gateway acme-sms`. */
  what: string;
  /** `error`: something does not work. `warning`: it soon will not, or does not work well. */
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
