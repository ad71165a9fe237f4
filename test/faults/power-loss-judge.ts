// What has to hold of a database that a power cut left, by what the outside had been sent until then.

import { DatabaseSync } from "node:sqlite";

export interface Known {
  /** Messages whose send was answered with 200. */
  answered: Set<string>;
  /** Messages of which a byte has gone to the provider. */
  handed: Set<string>;
}

/** Opens the database as the next start would, and says what is wrong with it; nothing: the promises hold. */
export function judgeImage(path: string, known: Known): string[] {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(path);
  } catch (error) {
    return [`it does not open: ${String(error)}`];
  }
  try {
    const wrong: string[] = [];
    const sound = Object.values(database.prepare("pragma integrity_check").get() ?? {})[0];
    if (sound !== "ok") wrong.push(`it is not sound: ${String(sound)}`);
    const there = database.prepare("select 1 from sqlite_schema where name = 'messages'").get();
    const rows = there ? database.prepare("select id, status, attempts from messages").all() : [];
    const messages = new Map(rows.map((row) => [String(row.id), row]));
    const missing = [...known.answered].filter((id) => !messages.has(id));
    if (missing.length > 0)
      wrong.push(`${missing.length} answered messages are missing, such as ${missing[0]}`);
    const forgotten = [...known.handed].filter((id) => Number(messages.get(id)?.attempts ?? 0) === 0);
    if (forgotten.length > 0)
      wrong.push(`${forgotten.length} messages were handed over and would be again, such as ${forgotten[0]}`);
    if (there) {
      const halves = database
        .prepare(
          "select count(*) as count from requests where contacts <> (select count(*) from messages where request_id = requests.id)",
        )
        .get()?.count;
      if (halves !== 0) wrong.push(`${String(halves)} requests are there in part`);
    }
    return wrong;
  } catch (error) {
    return [`it cannot be read: ${String(error)}`];
  } finally {
    database.close();
  }
}
