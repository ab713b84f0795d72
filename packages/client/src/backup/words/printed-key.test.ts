import { encodeQR } from 'qr'
import { decodeQR } from 'qr/decode.js'
import { describe, expect, it } from 'vitest'
import { Identity } from '../../identity/identity.ts'
import {
  identityOfCode,
  identityOfPrintedKey,
  identityOfWords,
  printedKey,
  SuccessorSheet,
} from '../../recovery-words.ts'
import { memorySigner } from '../../signers.ts'

const seeds = { signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) }
const alice = await Identity.fromSeeds(seeds)
const successor = await alice.successor()
const printed = printedKey(alice)

describe('a printed key', () => {
  it('has everything that restores the identity', async () => {
    expect([printed.did, printed.epoch, printed.scope]).toEqual([alice.did, 0, alice.scope])
    expect((await identityOfWords(printed.words)).revealSeeds()).toEqual(seeds)
    expect((await identityOfCode(`${printed.code}\n`)).revealSeeds()).toEqual(seeds)
  })

  it('restores a key of a rotation', async () => {
    const { words, code, scope, epoch } = printedKey(successor)
    for (const restored of [await identityOfCode(code), await identityOfWords(words, { scope, epoch })])
      expect([restored.did, restored.epoch, restored.userId]).toEqual([alice.did, 1, successor.userId])
  })

  it('restores the signing key alone, with another key agreement', async () => {
    const restored = await identityOfWords({ signing: printed.words.signing })
    expect(restored.did).toBe(alice.did)
    expect(restored.kemPublicKeyB64u).not.toBe(alice.kemPublicKeyB64u)
  })

  it('rejects words that were written wrongly, and throws nothing at once', async () => {
    const wrong = identityOfWords({ signing: 'no such words' })
    await expect(wrong).rejects.toMatchObject({ name: 'RecoveryWordsError' })
  })

  it('has a QR code that a camera reads', () => {
    expect(printed.svg).toMatch(/^(<\?xml[^>]*>)?<svg /)
    expect(printed.svg).toBe(encodeQR(printed.code, 'svg', { ecc: 'medium' }))
    const rows = encodeQR(printed.code, 'raw', { ecc: 'medium', border: 4, scale: 4 })
    const data = rows.flatMap((row) => row.flatMap((isDark) => (isDark ? [0, 0, 0, 255] : [255, 255, 255, 255])))
    expect(decodeQR({ width: rows.length, height: rows.length, data: Uint8Array.from(data) })).toBe(printed.code)
  })

  it('needs the seeds', async () => {
    const identity = await Identity.fromSigner(await memorySigner(seeds.signing))
    expect(() => printedKey(identity)).toThrow(expect.objectContaining({ option: 'signer' }))
  })
})

describe('a code that was read wrongly', () => {
  const flippedAt = (at: number) =>
    printed.code.slice(0, at) + (printed.code[at] === '1' ? '2' : '1') + printed.code.slice(at + 1)
  it.each([
    ['nothing', ''],
    ['words', printed.words.signing],
    ['another version', printed.code.replace(':1:', ':2:')],
    ['another epoch', printed.code.replace(':1:0:', ':1:1:')],
    ['another scope', flippedAt(20)],
    ['another seed', flippedAt(150)],
    ['another checksum', flippedAt(printed.code.length - 1)],
    ['a part', printed.code.slice(0, -1)],
    ['a code within something else', `x${printed.code}`],
  ])('is refused: %s', async (_, code) => {
    await expect(identityOfCode(code)).rejects.toMatchObject({ name: 'RecoveryWordsError', reason: 'malformed' })
  })
})

it('names words of another kind', async () => {
  const sheetOfSuccessors = SuccessorSheet.create().revealWords()
  for (const words of [printed.words.kem, sheetOfSuccessors])
    await expect(identityOfPrintedKey(words)).rejects.toMatchObject({ reason: 'other_kind' })
  for (const words of [printed.words.signing, printed.words.kem])
    expect(() => SuccessorSheet.fromWords(words)).toThrow(expect.objectContaining({ reason: 'other_kind' }))
})

it('a printed is read from its code, and from its words with their numbers', async () => {
  const identity = await Identity.create()
  const { words, code } = printedKey(identity)
  const numbered = words.signing.split(' ').map((word, at) => `${at + 1}. ${word.toUpperCase()}`)
  for (const text of [`${code}\n`, words.signing, numbered.join('\n')])
    expect((await identityOfPrintedKey(text)).did).toBe(identity.did)
})
