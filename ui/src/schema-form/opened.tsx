import { Fragment, type ReactNode, useState } from "react";

/**
 * A thing as it was when its form was opened: reads in the meantime do not change the form while a person types, and a change is based on
 * what they saw. `reload` opens the form again over the stored values.
 */
export function Opened<T>({
  of,
  read,
  children,
}: {
  of: T;
  read: () => Promise<{ data: T }>;
  children: (stored: T, reload: () => Promise<void>) => ReactNode;
}) {
  const [{ stored, turn }, setOpened] = useState({ stored: of, turn: 0 });
  const reload = async () => {
    const { data } = await read();
    setOpened({ stored: data, turn: turn + 1 });
  };
  return <Fragment key={turn}>{children(stored, reload)}</Fragment>;
}
