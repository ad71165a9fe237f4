import type { ComponentProps } from "react";

export type ButtonProps = ComponentProps<"button"> & {
  look?: "first" | "plain" | "bare" | "quiet" | "bad" | "grave" | undefined;
};

/**
 * A button. `look`: `first` is the main action of its page; `plain`, `bare` and `quiet` are beside others; `bad` asks before it does what
 * `grave` does, which cannot be undone. `className`: what belongs to its place.
 */
export const Button = ({ look, className, ...props }: ButtonProps) => (
  <button type="button" {...props} className={["button", look, className].filter(Boolean).join(" ")} />
);
