// The signed-in person, and access to their preferences.

import { ChevronsUpDown } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { loaded } from "#ui/app/code.ts";
import { useSession } from "#ui/parts/account.ts";

const load = () => loaded(() => import("./person-items.tsx"));
const PersonItems = lazy(async () => ({ default: (await load()).PersonItems }));

/** `brief`: only the avatar, for a phone's header. */
export function PersonMenu({ brief = false, onKeys }: { brief?: boolean; onKeys: () => void }) {
  const { name, role } = useSession();
  const [isAsked, setAsked] = useState(false);
  const button = (
    <button
      type="button"
      className="switch"
      aria-haspopup="menu"
      {...(brief ? { "aria-label": `${name} ${role}` } : {})}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      {...(isAsked ? {} : { onClick: () => setAsked(true) })}
    >
      <span className="face" aria-hidden="true">
        {name.slice(0, 1)}
      </span>
      {brief ? null : (
        <>
          <span className="who">
            <span>{name}</span>
            <span className="soft">{role}</span>
          </span>
          <ChevronsUpDown className="end" aria-hidden="true" />
        </>
      )}
    </button>
  );
  if (!isAsked) return button;
  return (
    <Suspense fallback={button}>
      <PersonItems trigger={button} brief={brief} onKeys={onKeys} />
    </Suspense>
  );
}
