import { type ReactNode, useState } from "react";
import { Field } from "#ui/parts/form/field.tsx";
import { RowLink } from "#ui/parts/link.tsx";
import { type CardGroup, fitting } from "./card.ts";

/** What can be added, as cards in groups, searchable by name and summary. `none`: the words if nothing fits. */
export function Cards({
  placeholder,
  none,
  groups,
}: {
  placeholder: string;
  none: ReactNode;
  groups: readonly CardGroup[];
}) {
  const [text, setText] = useState("");
  const shown = fitting(groups, text);
  return (
    <div className="stack">
      <Field label="Find a provider">
        <input
          type="search"
          value={text}
          autoComplete="off"
          placeholder={placeholder}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      {shown.length === 0 ? <p role="status">{none}</p> : null}
      {shown.map(({ title, cards }) => (
        <section key={title} className="stack" aria-label={title}>
          <h2>{title}</h2>
          <div className="grid">
            {cards.map(({ name, summary, search }) => (
              <article key={name} className="tile kind">
                <span className="initials" aria-hidden="true">
                  {name.slice(0, 2)}
                </span>
                <div className="stack tight">
                  <h3>
                    <RowLink to="." search={search}>
                      {name}
                    </RowLink>
                  </h3>
                  {summary === undefined ? null : <p className="soft small">{summary}</p>}
                </div>
              </article>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}
