import type { ReactNode } from "react";

/** One row of a picture to scale. */
export interface Span {
  key: string;
  /** The word of its status, which determines its shape and colour. */
  status: string;
  name: ReactNode;
  note?: ReactNode;
  /** From the start of the whole, ms. */
  fromMs: number;
  ms: number;
  /** In the words of the party that was called. */
  why?: string | null;
}
