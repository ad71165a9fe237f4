import { Link } from "@tanstack/react-router";
import { Facts } from "#ui/parts/page.tsx";

/** No results: what was searched, and other meanings of the same text. */
export function NoneFits({ query }: { query: Readonly<Record<string, string | undefined>> }) {
  const { recipient, reference } = query;
  const other =
    recipient !== undefined
      ? { name: "reference", value: recipient, words: "Look for it as a provider's reference" }
      : reference !== undefined
        ? { name: "recipient", value: reference, words: "Look for it as a recipient" }
        : null;
  return (
    <>
      <p>No messages match:</p>
      <Facts
        of={Object.fromEntries(
          Object.entries(query).map(([name, value]) => [name, <code key={name}>{value}</code>]),
        )}
      />
      <div className="row">
        {other === null ? null : (
          <Link to="." search={{ [other.name]: other.value }} className="button">
            {other.words}
          </Link>
        )}
        <Link to="." search={{}} className="button">
          Clear the filter
        </Link>
      </div>
    </>
  );
}
