import { Search } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useRead } from "#ui/api/queries.ts";
import { useAccount } from "#ui/parts/account.ts";
import { Button } from "#ui/parts/button.tsx";
import { Choice, Field } from "#ui/parts/form/field.tsx";
import { useFilter } from "./filter.ts";

/** A text of a list's filter, which is in its URL. `children`: the other parts of the filter. */
export function SearchFilter({
  name = "search",
  label,
  children,
}: {
  name?: string;
  label: string;
  children?: ReactNode;
}) {
  const [filter, setFilter] = useFilter();
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        setFilter(name, String(new FormData(event.currentTarget).get(name)).trim());
      }}
    >
      <Field label={label} wide>
        <input key={filter[name] ?? ""} name={name} type="search" defaultValue={filter[name] ?? ""} />
      </Field>
      <Button type="submit" aria-label="Find">
        <Search aria-hidden="true" />
      </Button>
      {children}
    </form>
  );
}

/** A text beside others in a list's filter. It applies on Enter, and when the field loses the focus. */
export function FilterText({ name, label, example }: { name: string; label: string; example?: string }) {
  const [filter, setFilter] = useFilter();
  const applied = filter[name] ?? "";
  const [text, setText] = useState(applied);
  useEffect(() => setText(applied), [applied]);
  const apply = () => {
    if (text.trim() !== applied) setFilter(name, text.trim());
  };
  return (
    <Field label={label}>
      <input
        type="search"
        placeholder={example}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={apply}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply();
        }}
      />
    </Field>
  );
}

/** A choice in a list's filter. `any`: the option for no filter. A value that is not offered any more stays visible. */
export function FilterChoice({
  name,
  label,
  any = "any",
  of,
}: {
  name: string;
  label: string;
  any?: string;
  of: readonly (string | readonly [string, string])[];
}) {
  const [filter, setFilter] = useFilter();
  const value = filter[name] ?? "";
  const isOffered = value === "" || of.some((each) => [each].flat()[0] === value);
  return (
    <Choice
      label={label}
      any={any}
      of={isOffered ? of : [...of, [value, value]]}
      value={value}
      onChange={(word) => setFilter(name, word)}
    />
  );
}

/** The choice among the account's gateways. */
export function GatewayFilter() {
  const { id: account } = useAccount();
  const gateways = useRead("listGateways", { params: { account } }, { every: 60_000 });
  const identifiers = gateways.data?.data.map(({ identifier }) => identifier) ?? [];
  return <FilterChoice name="gateway" label="Gateway" of={identifiers} />;
}
