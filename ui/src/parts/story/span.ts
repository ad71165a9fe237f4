import type { ReactNode } from "react";

/** One of the things that a picture to scale shows under each other. */
export interface Span {
  key: string;
  /** The word of its status, which gives it its shape and colour. */
  status: string;
  name: ReactNode;
  note?: ReactNode;
  /** From the start of the whole, ms. */
  fromMs: number;
  ms: number;
  /** In the words of whom was asked. */
  why?: string | null;
}
