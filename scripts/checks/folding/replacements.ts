import { hanVariants } from './han-variants.ts'
import { compareCodePoints, lookAlikes, type Replacements } from './look-alikes.ts'

/** Every replacement of one character by another, by code point. */
export function allReplacements(): Replacements {
  const all = new Map([...lookAlikes(), ...katakana(), ...hanVariants(), ...KEYBOARD_VARIANTS])
  return new Map([...all].toSorted(([left], [right]) => compareCodePoints(left, right)))
}

/**
 * Letters and digits of the Arabic script that keyboards of different languages type for the same one: Persian and Urdu yeh,
 * keheh, heh goal and teh marbuta goal, alef maksura, and the eastern digits. What Arabic, Persian and Urdu tell apart, such
 * as the two heh and the two yeh of Urdu, stays apart, and so do the kaf of Sindhi and the heh of Kurdish. The yeh of Pashto
 * and Uyghur become one letter.
 */
export const KEYBOARD_VARIANTS: Replacements = new Map([
  ['\u0649', '\u064a'],
  ['\u06cc', '\u064a'],
  ['\u06a9', '\u0643'],
  ['\u06c1', '\u0647'],
  ['\u06c3', '\u0629'],
  ...Array.from(
    { length: 10 },
    (_, digit) => [String.fromCharCode(0x06f0 + digit), String.fromCharCode(0x0660 + digit)] as const,
  ),
])

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
