/**
 * Base58btc for long byte strings. Dividing digit by digit takes 10 ms for a key of 1,952 bytes, more than the rest of
 * a DID resolution combined; dividing by limbs of nine digits takes a fraction of a millisecond.
 *
 * @module
 */
import { toHex } from '../base/hash.ts'
import { pure } from '../base/pure.ts'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const LIMB_DIGITS = 9
/** 58⁹ is the largest power of 58 below 2⁵³, so every remainder modulo it is exact in a double. */
const LIMB = /* @__PURE__ */ pure(() => 58n ** BigInt(LIMB_DIGITS))

export function encodeBase58(bytes: Uint8Array): string {
  const zeros = bytes.findIndex((byte) => byte !== 0)
  const leading = '1'.repeat(zeros === -1 ? bytes.length : zeros)
  const limbs: number[] = []
  for (let rest = BigInt(`0x0${toHex(bytes)}`); rest > 0n; rest /= LIMB) limbs.push(Number(rest % LIMB))
  const digits = limbs.toReversed().map(digitsOf).join('')
  return leading + digits.replace(/^1+/, '')
}

function digitsOf(limb: number): string {
  let text = ''
  for (let rest = limb, i = 0; i < LIMB_DIGITS; i++, rest = Math.floor(rest / 58)) text = ALPHABET[rest % 58] + text
  return text
}
