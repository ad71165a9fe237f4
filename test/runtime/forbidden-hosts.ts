// Hosts that no client may make us call, in every spelling that some parser on the way understands: for tests of
// all that takes a URL from outside.

/** Spellings of an IPv4 address that some parser on the way takes for the same. */
export function spellings(ip: string): string[] {
  const [a, b, c, d] = ip.split(".").map(Number) as [number, number, number, number];
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (n: number) => `0x${n.toString(16)}`;
  const octal = (n: number) => `0${n.toString(8)}`;
  const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)));
  const words = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  return [
    ip,
    `${ip}.`,
    String(whole),
    hex(whole),
    `0X${whole.toString(16).toUpperCase()}`,
    octal(whole),
    [a, b, c, d].map(hex).join("."),
    [a, b, c, d].map(octal).join("."),
    [a, b, c, d].map((n) => `000${n.toString(8)}`).join("."),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    wide(ip),
    ip.replaceAll(".", "。"),
    ip.replaceAll(".", "%2e"),
    [...ip].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(""),
    `[::ffff:${ip}]`,
    `[::ffff:${words}]`,
    `[0:0:0:0:0:FFFF:${words.toUpperCase()}]`,
    `[::${words}]`,
    `[64:ff9b::${ip}]`,
    `[64:ff9b:1::${words}]`,
    `[2002:${words}::]`,
  ];
}

/** One of each block that no client outside may reach, and the edges of the larger ones. */
export const forbiddenIpv4 = [
  "127.0.0.1",
  "127.0.0.53",
  "127.255.255.254",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.0.1",
  "169.254.169.254",
  "169.254.170.2",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.254",
  "255.255.255.255",
];

const others = [
  "[::]",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[::0001]",
  "[fe80::1]",
  "[FE80::1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[2001::1]",
  "[2001:db8::1]",
  "[2001:2::1]",
  "[100::1]",
  "[3fff::1]",
  "[4000::1]",
  "localhost",
  "LOCALHOST",
  "LocalHost",
  "localhost.",
  "localhost..",
  "a.localhost",
  "a.b.localhost.",
  "loc%61lhost",
  "ｌocalhost",
  "ⓛocalhost",
  // Not URLs at all; they have to stay that.
  "[fe80::1%25eth0]",
  "[::1%lo]",
  "[127.0.0.1]",
  "127.0.0.1.5",
  "127.0.0.256",
  "0x100000000",
  "",
];

/** The host parts of URLs that must be refused, in all their spellings; some are no hosts at all. */
export const forbiddenHosts = [...forbiddenIpv4.flatMap(spellings), ...others];
