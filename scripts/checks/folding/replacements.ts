import { hanVariants } from './han-variants.ts'
import { compareCodePoints, lookAlikes, type Replacements } from './look-alikes.ts'

/** Every replacement of one character by another, by code point. */
export function allReplacements(): Replacements {
  const all = new Map([...lookAlikes(), ...katakana(), ...hanVariants()])
  return new Map([...all].toSorted(([left], [right]) => compareCodePoints(left, right)))
}

/** Katakana become hiragana, and so do their iteration marks. */
function katakana(): Replacements {
  const replacements = new Map<string, string>()
  for (const [from, to] of [
    [0x30a1, 0x30f6],
    [0x30fd, 0x30fe],
  ] as const)
    for (let codePoint = from; codePoint <= to; codePoint++)
      replacements.set(String.fromCharCode(codePoint), String.fromCharCode(codePoint - 0x60))
  return replacements
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** For each replacement, the distances of both characters from those of the one before: Base64 VLQ, as in source maps. */
export function encoded(replacements: Replacements): string {
  let out = ''
  let [lastFrom, lastTo] = [0, 0]
  for (const [from, to] of replacements) {
    out += vlq(from.charCodeAt(0) - lastFrom) + vlq(to.charCodeAt(0) - lastTo)
    lastFrom = from.charCodeAt(0)
    lastTo = to.charCodeAt(0)
  }
  return out
}

function vlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let out = ''
  do {
    const digit = rest & 31
    rest >>= 5
    out += BASE64[rest > 0 ? digit | 32 : digit] ?? ''
  } while (rest > 0)
  return out
}
