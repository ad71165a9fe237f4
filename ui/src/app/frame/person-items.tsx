// The preferences of the signed-in person.

import { BookOpen, Keyboard, LogOut } from "lucide-react";
import type { ReactElement } from "react";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuLink, MenuSwitch } from "#ui/parts/over/menu.tsx";
import { setPreference, usePreference } from "#ui/parts/preferences.ts";
import { signOut } from "./find-acts.ts";

/** The menu, already open: its code is loaded when it is first needed. `brief`: in a phone's header. */
export function PersonItems({
  trigger,
  brief,
  onKeys,
}: {
  trigger: ReactElement;
  brief: boolean;
  onKeys: () => void;
}) {
  const theme = usePreference("theme");
  const density = usePreference("density");
  const letters = usePreference("letters");
  return (
    <Menu trigger={trigger} side={brief ? "bottom" : "top"} align={brief ? "end" : "start"}>
      <MenuChoice
        label="Theme"
        value={theme}
        of={[
          ["system", "System"],
          ["light", "Light"],
          ["dark", "Dark"],
        ]}
        onChange={(word) => setPreference("theme", word)}
      />
      <MenuLine />
      <MenuChoice
        label="Lists"
        value={density}
        of={[
          ["comfortable", "Comfortable"],
          ["compact", "Compact"],
        ]}
        onChange={(word) => setPreference("density", word)}
      />
      <MenuLine />
      <MenuSwitch checked={letters === "on"} onChange={(on) => setPreference("letters", on ? "on" : "off")}>
        Single-key shortcuts
      </MenuSwitch>
      <MenuItem icon={Keyboard} end={<span className="kbd">?</span>} onClick={onKeys}>
        Keys
      </MenuItem>
      <MenuLink icon={BookOpen} link={<a href="/docs" />}>
        API reference
      </MenuLink>
      <MenuLine />
      <MenuItem icon={LogOut} onClick={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
