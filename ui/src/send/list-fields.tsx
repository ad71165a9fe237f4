// A WhatsApp list: a button that opens rows to choose from, in sections.

import { Button } from "#ui/parts/button.tsx";
import { TextField } from "#ui/parts/form/texts.tsx";
import { type FieldsOf, Line } from "./body-fields.tsx";
import { type Draft, emptySection } from "./draft.ts";

/** WhatsApp's maximum number of rows, in all sections together. */
const maxRows = 10;

type Section = Draft["sections"][number];
type Row = Section["rows"][number];

const replaced = <T,>(list: readonly T[], at: number, value: T): T[] =>
  list.map((each, place) => (place === at ? value : each));

function RowFields({
  row,
  path,
  title,
  fault,
  onChange,
  onRemove,
}: {
  row: Row;
  /** The row's path in a contact. */
  path: string;
  title: string;
  fault: FieldsOf["fault"];
  onChange: (row: Row) => void;
  /** Null if it is the only one. */
  onRemove: (() => void) | null;
}) {
  const field = (name: keyof Row, label: string) => (
    <TextField
      label={label}
      dir="auto"
      value={row[name]}
      fault={fault(`${path}.${name}`)}
      onChange={(text) => onChange({ ...row, [name]: text })}
    />
  );
  return (
    <fieldset>
      <legend>{title}</legend>
      {field("title", "Title")}
      {field("description", "Description")}
      {field("id", "Id")}
      {onRemove === null ? null : (
        <div>
          <Button onClick={onRemove}>Remove {title.toLowerCase()}</Button>
        </div>
      )}
    </fieldset>
  );
}

export function ListFields(of: FieldsOf) {
  const { draft, change, fault } = of;
  const { sections } = draft;
  const rowCount = sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const several = sections.length > 1;
  const changeSection = (at: number, section: Section) =>
    change({
      sections: section.rows.length === 0 ? sections.toSpliced(at, 1) : replaced(sections, at, section),
    });
  return (
    <>
      <Line of={of} name="button" label="Button" hint="It opens the list." dir="auto" />
      <div className="halves">
        <Line of={of} name="header" label="Header" dir="auto" />
        <Line of={of} name="footer" label="Footer" dir="auto" />
      </div>
      {fault("sections") === null ? null : <p className="fault">{fault("sections")}</p>}
      {sections.map((section, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sections and rows have no names but their places
        <div key={at} className="stack">
          {several ? (
            <TextField
              label={`Title of section ${at + 1}`}
              dir="auto"
              value={section.title}
              fault={fault(`sections.${at}.title`)}
              onChange={(title) => changeSection(at, { ...section, title })}
            />
          ) : null}
          {section.rows.map((row, place) => (
            <RowFields
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              key={place}
              row={row}
              path={`sections.${at}.rows.${place}`}
              title={several ? `Row ${place + 1} of section ${at + 1}` : `Row ${place + 1}`}
              fault={fault}
              onChange={(changed) =>
                changeSection(at, { ...section, rows: replaced(section.rows, place, changed) })
              }
              onRemove={
                rowCount === 1
                  ? null
                  : () => changeSection(at, { ...section, rows: section.rows.toSpliced(place, 1) })
              }
            />
          ))}
          {rowCount < maxRows ? (
            <div>
              <Button
                onClick={() =>
                  changeSection(at, { ...section, rows: [...section.rows, ...emptySection.rows] })
                }
              >
                Add a row{several ? ` to section ${at + 1}` : ""}
              </Button>
            </div>
          ) : null}
        </div>
      ))}
      {rowCount < maxRows ? (
        <div>
          <Button onClick={() => change({ sections: [...sections, emptySection] })}>Add a section</Button>
        </div>
      ) : null}
    </>
  );
}
