import type { ComponentProps } from "react";

export type ButtonProps = ComponentProps<"button"> & { look?: "first" | "plain" | "bare" | undefined };

/** A button. `look`: `first` is the main action of its page; `plain` and `bare` are beside others. */
export const Button = ({ look, ...props }: ButtonProps) => (
  <button type="button" {...props} className={look === undefined ? "button" : `button ${look}`} />
);
