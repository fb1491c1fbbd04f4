/**
 * Offsets and checksums as the server counts them.
 *
 * An offset is a number of Unicode code points (Python's `len(str)`), never JavaScript's `length`. The
 * checksum is the CRC-32 of the UTF-8, unsigned, as `zlib.crc32` gives it.
 */

const encoder = new TextEncoder();

const table = new Uint32Array(256).map((_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest >>> 0;
});

/** How many code points `text` holds. */
export function countCodePoints(text) {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) pairs += 1;
  }
  return text.length - pairs;
}

/** The index into `text` at which its code point number `count` begins; its length when it has fewer. */
export function indexOfCodePoint(text, count) {
  let at = 0;
  for (let passed = 0; passed < count && at < text.length; passed++) {
    at += isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1)) ? 2 : 1;
  }
  return at;
}

/** The checksum of a text whose first part has the checksum `crc` and whose rest is `text`. */
export function extendChecksum(crc, text) {
  let rest = ~crc;
  for (const byte of encoder.encode(text)) rest = table[(rest ^ byte) & 0xff] ^ (rest >>> 8);
  return ~rest >>> 0;
}

function isHigh(unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
