/** Something that can be added. `search`: the filter of the page that chooses it. */
interface Card {
  name: string;
  summary?: string;
  search: Readonly<Record<string, string>>;
}

export interface CardGroup {
  title: string;
  cards: readonly Card[];
}

/** The cards whose words contain the text; groups without one are omitted. */
export function fitting(groups: readonly CardGroup[], text: string): CardGroup[] {
  const asked = text.trim().toLowerCase();
  const fits = ({ name, summary = "", search }: Card) =>
    [...Object.values(search), name, summary].join(" ").toLowerCase().includes(asked);
  return groups
    .map(({ title, cards }) => ({ title, cards: cards.filter(fits) }))
    .filter(({ cards }) => cards.length > 0);
}
