// Menus: a button that opens a list of actions or options.

import { Menu as Base } from "@base-ui/react/menu";
import { Check, type LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";

/** `trigger`: the button that opens it; a menu is open when it is first rendered. */
export function Menu({
  trigger,
  side = "bottom",
  align = "end",
  children,
}: {
  trigger: ReactElement;
  side?: "top" | "bottom" | "right";
  align?: "start" | "end";
  children: ReactNode;
}) {
  return (
    <Base.Root defaultOpen>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="menu" side={side} align={align} sideOffset={4} collisionPadding={8}>
          <Base.Popup className="menu-popup">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export function MenuItem({
  icon: Icon,
  end,
  onClick,
  children,
}: {
  icon?: LucideIcon;
  /** Text at its end, such as a shortcut. */
  end?: ReactNode;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Base.Item className="menu-item" onClick={onClick}>
      {Icon === undefined ? null : <Icon aria-hidden="true" />}
      <span className="name">{children}</span>
      {end === undefined ? null : <span className="end">{end}</span>}
    </Base.Item>
  );
}

/** An item that leads to a page. `link`: the link, whose text is the item's. */
export function MenuLink({
  icon: Icon,
  link,
  children,
}: {
  icon?: LucideIcon;
  link: ReactElement;
  children: ReactNode;
}) {
  return (
    <Base.LinkItem className="menu-item" render={link} closeOnClick>
      {Icon === undefined ? null : <Icon aria-hidden="true" />}
      <span className="name">{children}</span>
    </Base.LinkItem>
  );
}

/** One of several options. */
export function MenuChoice<T extends string>({
  label,
  value,
  of,
  onChange,
}: {
  label: string;
  value: T;
  of: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  return (
    <Base.Group>
      <Base.GroupLabel className="menu-label">{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(next: T) => onChange(next)}>
        {of.map(([word, shown]) => (
          <Base.RadioItem key={word} value={word} className="menu-item">
            <span className="name">{shown}</span>
            <Base.RadioItemIndicator className="end">
              <Check aria-hidden="true" />
            </Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

export function MenuSwitch({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <Base.CheckboxItem className="menu-item" checked={checked} onCheckedChange={onChange}>
      <span className="name">{children}</span>
      <Base.CheckboxItemIndicator className="end">
        <Check aria-hidden="true" />
      </Base.CheckboxItemIndicator>
    </Base.CheckboxItem>
  );
}

export const MenuLine = () => <Base.Separator />;
