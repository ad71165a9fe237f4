// The PDUs of SMPP 3.4 (issue 1.2) as bytes: header, fields and optional parameters (TLVs). It reads what an SMSC may send and writes what
// an ESME sends. Text is octets here; `text.ts` handles encodings.

/** Command ids, of requests; `responseTo` makes those of answers. */
export const command = {
  genericNack: 0x80000000,
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  bindTransceiver: 0x09,
  outbind: 0x0b,
  enquireLink: 0x15,
  alertNotification: 0x102,
  dataSm: 0x103,
} as const;

export const responseTo = (request: number) => (request | 0x80000000) >>> 0;
export const isResponse = (id: number) => id >= 0x80000000;

/** Tags of the optional parameters that are read or written. */
export const tag = {
  receiptedMessageId: 0x001e,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarNumber: 0x020f,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
  congestionState: 0x0428,
} as const;

export type Tlvs = ReadonlyMap<number, Buffer>;

export interface Pdu {
  command: number;
  status: number;
  sequence: number;
  body: Buffer;
}

/** A body that ends early or a parameter that exceeds it: an error in one PDU. */
export class MalformedPdu extends Error {
  override readonly name = "MalformedPdu";
}

/** A length that no PDU has: the rest of the stream cannot be read. */
export class UnreadableStream extends Error {
  override readonly name = "UnreadableStream";
}

const headerBytes = 16;
/** `message_payload` may have 64 KiB. */
const maxPduBytes = 70_000;

export function encodePdu(id: number, status: number, sequence: number, body: Buffer = empty): Buffer {
  const pdu = Buffer.allocUnsafe(headerBytes + body.length);
  pdu.writeUInt32BE(pdu.length, 0);
  pdu.writeUInt32BE(id, 4);
  pdu.writeUInt32BE(status, 8);
  pdu.writeUInt32BE(sequence, 12);
  body.copy(pdu, headerBytes);
  return pdu;
}

const empty: Buffer = Buffer.alloc(0);

/** Splits a stream into PDUs. */
export class PduReader {
  #rest: Buffer = empty;

  /** The PDUs that are complete with this chunk. Throws `UnreadableStream`. */
  push(chunk: Buffer): Pdu[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const pdus: Pdu[] = [];
    while (bytes.length >= 4) {
      const length = bytes.readUInt32BE(0);
      if (length < headerBytes || length > maxPduBytes)
        throw new UnreadableStream(`The SMSC sent a PDU with an impossible length (${length}).`);
      if (bytes.length < length) break;
      pdus.push({
        command: bytes.readUInt32BE(4),
        status: bytes.readUInt32BE(8),
        sequence: bytes.readUInt32BE(12),
        body: bytes.subarray(headerBytes, length),
      });
      bytes = bytes.subarray(length);
    }
    this.#rest = bytes;
    return pdus;
  }
}

/** An address with its type of number and its numbering plan. */
export interface Address {
  ton: number;
  npi: number;
  addr: string;
}

export interface BindFields {
  systemId: string;
  password: string;
  systemType: string;
}

export function encodeBind({ systemId, password, systemType }: BindFields): Buffer {
  // interface_version 3.4; address range empty: the account's own.
  return Buffer.concat([
    cString(systemId),
    cString(password),
    cString(systemType),
    Buffer.from([0x34, 0, 0]),
    cString(""),
  ]);
}

interface SubmitFields {
  serviceType: string;
  source: Address;
  destination: Address;
  esmClass: number;
  protocolId: number;
  /** `YYMMDDhhmmsst00R`, or empty for the SMSC's own. */
  validity: string;
  registeredDelivery: number;
  dataCoding: number;
  /** At most 254 octets; with `message_payload` among the parameters, none. */
  text: Buffer;
  tlvs: readonly (readonly [tag: number, value: Buffer])[];
}

export function encodeSubmit(fields: SubmitFields): Buffer {
  const { source, destination, text } = fields;
  return Buffer.concat([
    cString(fields.serviceType),
    Buffer.from([source.ton, source.npi]),
    cString(source.addr),
    Buffer.from([destination.ton, destination.npi]),
    cString(destination.addr),
    // priority_flag 0 and schedule_delivery_time empty: the time of sending is decided here.
    Buffer.from([fields.esmClass, fields.protocolId, 0, 0]),
    cString(fields.validity),
    // replace_if_present_flag 0, sm_default_msg_id 0.
    Buffer.from([fields.registeredDelivery, 0, fields.dataCoding, 0, text.length]),
    text,
    ...fields.tlvs.map(([id, value]) => encodeTlv(id, value)),
  ]);
}

function encodeTlv(id: number, value: Buffer): Buffer {
  const tlv = Buffer.allocUnsafe(4 + value.length);
  tlv.writeUInt16BE(id, 0);
  tlv.writeUInt16BE(value.length, 2);
  value.copy(tlv, 4);
  return tlv;
}

/** A message or a delivery receipt from the SMSC. */
export interface Delivery {
  source: Address;
  destination: Address;
  esmClass: number;
  dataCoding: number;
  /** `short_message`, or `message_payload` if that is given. */
  text: Buffer;
  tlvs: Tlvs;
}

/** The body of a `deliver_sm` or a `data_sm`. Throws `MalformedPdu`. */
export function decodeDelivery({ command: id, body }: Pdu): Delivery {
  const fields = new FieldReader(body);
  fields.cString();
  const source = fields.address();
  const destination = fields.address();
  const esmClass = fields.uint8();
  let text: Buffer = empty;
  let dataCoding: number;
  if (id === command.dataSm) {
    fields.uint8();
    dataCoding = fields.uint8();
  } else {
    fields.octets(2);
    fields.cString();
    fields.cString();
    fields.octets(2);
    dataCoding = fields.uint8();
    fields.uint8();
    text = fields.octets(fields.uint8());
  }
  const tlvs = fields.tlvs();
  // Copied: the slice would keep the whole chunk of the socket in memory while the delivery waits to be stored.
  const content = Buffer.from(tlvs.get(tag.messagePayload) ?? text);
  return { source, destination, esmClass, dataCoding, text: content, tlvs };
}

/** The answer to a `submit_sm`; null if the SMSC gave no id. Throws `MalformedPdu`. */
export function decodeSubmitResponse(body: Buffer): { messageId: string | null; congestion: number | null } {
  const fields = new FieldReader(body);
  const messageId = body.length === 0 ? "" : fields.cString();
  const congestion = fields.tlvs().get(tag.congestionState);
  return {
    messageId: messageId === "" ? null : messageId,
    congestion: congestion?.length === 1 ? congestion.readUInt8(0) : null,
  };
}

/** A C-octet string. `text` has no NUL, which the settings and the recipients guarantee. */
function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`, "latin1");
}

class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint8(): number {
    return this.octets(1).readUInt8(0);
  }

  octets(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new MalformedPdu("The body of the PDU ends early.");
    const octets = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return octets;
  }

  cString(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new MalformedPdu("A string of the PDU has no end.");
    const text = this.#bytes.toString("latin1", this.#at, end);
    this.#at = end + 1;
    return text;
  }

  address(): Address {
    const ton = this.uint8();
    const npi = this.uint8();
    return { ton, npi, addr: this.cString() };
  }

  /** The remaining ones; of a repeated tag, the first. */
  tlvs(): Tlvs {
    const tlvs = new Map<number, Buffer>();
    while (this.#at < this.#bytes.length) {
      const id = this.octets(2).readUInt16BE(0);
      const value = this.octets(this.octets(2).readUInt16BE(0));
      if (!tlvs.has(id)) tlvs.set(id, value);
    }
    return tlvs;
  }
}
