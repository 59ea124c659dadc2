/** Writes MRT records and BGP messages for tests, by the RFCs that the reader names. */

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A path attribute with the flags optional and transitive. */
export const attribute = (kind: number, value: Buffer): Buffer =>
  value.length > 255
    ? Buffer.concat([Buffer.from([0xd0, kind]), u16(value.length), value])
    : Buffer.concat([Buffer.from([0xc0, kind, value.length]), value]);

/** Segments of a path: kind 1 is a set, 2 a sequence, 3 and 4 the same of a confederation. */
export const segments = (size: 2 | 4, ...list: readonly (readonly [kind: number, ...numbers: number[]])[]): Buffer =>
  Buffer.concat(
    list.flatMap(([kind, ...numbers]) => [Buffer.from([kind, numbers.length]), ...numbers.map(size === 4 ? u32 : u16)]),
  );

export const origin = attribute(1, Buffer.from([0]));
export const nextHop = attribute(3, Buffer.from([192, 0, 2, 1]));
export const asPath = (...numbers: number[]): Buffer => attribute(2, segments(4, [2, ...numbers]));

/** `198.51.100.0/24` with 24 bits. */
export const prefix24 = Buffer.from([24, 198, 51, 100]);
/** `2001:db8:1::/48`. */
export const prefix48 = Buffer.from([48, 0x20, 0x01, 0x0d, 0xb8, 0, 1]);

export const reach6 = (nlri: Buffer): Buffer =>
  attribute(14, Buffer.concat([Buffer.from([0, 2, 1, 16]), Buffer.alloc(16, 1), Buffer.from([0]), nlri]));
export const unreach6 = (nlri: Buffer): Buffer => attribute(15, Buffer.concat([Buffer.from([0, 2, 1]), nlri]));

interface UpdateParts {
  readonly withdrawn?: Buffer;
  readonly attributes?: readonly Buffer[];
  readonly announced?: Buffer;
}

export function message(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(16, 0xff), u16(19 + body.length), Buffer.from([type]), body]);
}

export function update({
  withdrawn = Buffer.alloc(0),
  attributes = [],
  announced = Buffer.alloc(0),
}: UpdateParts): Buffer {
  const all = Buffer.concat(attributes);
  return message(2, Buffer.concat([u16(withdrawn.length), withdrawn, u16(all.length), all, announced]));
}

/** 2016-08-11T16:00:00Z. */
const time = 1_470_931_200;

export function record(type: number, subtype: number, body: Buffer, seconds = time): Buffer {
  return Buffer.concat([u32(seconds), u16(type), u16(subtype), u32(body.length), body]);
}

/** A BGP4MP record of the peer AS 64496 at 192.0.2.1, with AS numbers of 4 octets unless the subtype says 2. */
export function bgp4mp(
  content: Buffer,
  { subtype = 4, microseconds }: { subtype?: number; microseconds?: number } = {},
): Buffer {
  const as = [1, 6, 8, 10, 0].includes(subtype) ? u16 : u32;
  const body = Buffer.concat([
    ...(microseconds === undefined ? [] : [u32(microseconds)]),
    as(64_496),
    as(64_511),
    Buffer.from([0, 0, 0, 1, 192, 0, 2, 1, 192, 0, 2, 254]),
    content,
  ]);
  return record(microseconds === undefined ? 16 : 17, subtype, body);
}
