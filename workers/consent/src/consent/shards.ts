/**
 * Which database a record lives in. There is one at first; the function is here from the start, so that a second one
 * changes no other code. Their number is fixed while there are records: changing it moves records.
 *
 * @module
 */

/** FNV-1a over the UTF-16 code units: spreads, and costs little for a batch of ten thousand. Nobody gains by steering it. */
export function shardOf(hash: string, shards: number): number {
  if (shards === 1) return 0
  let state = 0x811c9dc5
  for (let i = 0; i < hash.length; i++) {
    state = Math.imul(state ^ hash.charCodeAt(i), 0x01000193)
  }
  return (state >>> 0) % shards
}

/** In the order of UTF-8 bytes, which is SQLite's and that of code points. JavaScript's own is another one. */
export function compareHashes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    // Surrogates stand for code points beyond all others.
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

/** Code units in the order of the code points that they begin. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
