// HTML as a stream of tags and texts, without a tree or a stack: the cost per byte does not depend on how deep or broken
// the HTML is. A parser that keeps a list of open elements takes minutes for a million of them.

import { Tokenizer } from "htmlparser2";

/** An attribute of a tag. Positions are indices in the HTML. */
export interface Attribute {
  /** Entities decoded; empty for an attribute without a value. */
  value: string;
  nameEnd: number;
  /** After the closing quote, if the value has quotes. */
  end: number;
}

interface TagReader {
  /** `attribute` finds one by its lower-case name; of two with the same name, the first, as browsers do. */
  open(name: string, attribute: (name: string) => Attribute | undefined): void;
  /** `start`: where the tag begins. */
  close(name: string, start: number): void;
  /** Entities decoded. One text may come in several pieces, but not in one for each of its characters. */
  text(text: string): void;
}

/** Reads a document or any part of one. Never throws. A tag that is cut off at the end is not reported. */
export function readTags(html: string, reader: TagReader): void {
  let name = "";
  let attributes: Map<string, Attribute> | null = null;
  let attribute = "";
  let nameEnd = 0;
  let value = "";
  /** Text not yet reported: the tokenizer reports each angle bracket that opens no tag as a separate text. */
  let textStart = 0;
  let textEnd = 0;
  const endText = () => {
    if (textEnd > textStart) reader.text(html.slice(textStart, textEnd));
    textStart = textEnd;
  };
  const findAttribute = (attributeName: string) => attributes?.get(attributeName);
  const opened = () => {
    endText();
    reader.open(name, findAttribute);
    attributes = null;
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        name = html.slice(start, end).toLowerCase();
        attributes = null;
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase();
        nameEnd = end;
        value = "";
      },
      onattribdata(start, end) {
        value += html.slice(start, end);
      },
      onattribentity(codePoint) {
        value += String.fromCodePoint(codePoint);
      },
      onattribend(_quote, end) {
        attributes ??= new Map();
        if (!attributes.has(attribute)) attributes.set(attribute, { value, nameEnd, end });
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag(start, end) {
        endText();
        // The name begins after `</`.
        reader.close(html.slice(start, end).toLowerCase(), start - 2);
      },
      ontext(start, end) {
        if (start !== textEnd) {
          endText();
          textStart = start;
        }
        textEnd = end;
      },
      ontextentity(codePoint) {
        endText();
        reader.text(String.fromCodePoint(codePoint));
      },
      oncdata() {},
      oncomment() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend: endText,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}
