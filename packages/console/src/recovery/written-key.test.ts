import { Identity } from '@svc/client'
import { printedKey, renewRecovery, SuccessorSheet } from '@svc/client/recovery-words'
import { describe, expect, it } from 'vitest'
import { readRecoveryFile, readWrittenKey, sheetIn } from './written-key.ts'

const alice = await Identity.create()
const { kept, successor } = await alice.prepareRecovery({ realm: 'https://core.example' })
const { words, code } = printedKey(successor)
const list = words.signing.split(' ')
const fileOf = (content: unknown) => new File([JSON.stringify(content)], 'file.json')

describe('a recovery key that was written down', () => {
  it.each([
    ['its words', words.signing],
    ['its words as they are printed', list.map((word, at) => `${at + 1}. ${word}`).join('\n')],
    ['its words in capitals', ` ${words.signing.toUpperCase()}\n`],
    ['its code', `${code}\n`],
  ])('is read from %s', async (_, text) => {
    const { successor: key, sheet } = await readWrittenKey(text, kept)
    expect([key.did, key.publicKeyB64u, sheet]).toEqual([alice.did, successor.publicKeyB64u, null])
  })

  it.each([
    ['a word too few', list.slice(1).join(' '), 'There must be 24 words.'],
    ['a word that is not on the list', ['qwerty', ...list.slice(1)].join(' '), 'Word 1 is not on the list.'],
    ['another key', printedKey(alice).words.signing, 'These words do not belong to this recovery file.'],
    ['a changed code', code.replace(/.$/, (end) => (end === '0' ? '1' : '0')), 'not correct'],
  ])('is refused with %s', async (_, text, said) => {
    await expect(readWrittenKey(text, kept)).rejects.toThrow(said)
  })
})

describe('a sheet that was written down', () => {
  const [sheet, other] = [SuccessorSheet.create(), SuccessorSheet.create()]
  const filed = renewRecovery(alice, { realm: 'https://core.example', sheets: [sheet] })

  it('gives the key that its file asks for', async () => {
    const read = await readWrittenKey(sheet.revealWords(), await filed)
    expect(read.successor.epoch).toBe(1)
    expect(read.sheet?.revealWords()).toBe(sheet.revealWords())
  })

  it('gives the requests for its key alone, signed by it', async () => {
    const both = await renewRecovery(alice, { realm: 'https://core.example', sheets: [other, sheet] })
    const read = await readWrittenKey(sheet.revealWords(), both)
    const { publicKeyB64u } = read.successor
    const of = both.requests.filter(({ statement }) => statement.newPublicKeyB64u === publicKeyB64u)
    expect(of.length).toBeLessThan(both.requests.length)
    expect(read.kept.requests).toMatchObject(of.map(({ statement, signatureB64u }) => ({ statement, signatureB64u })))
    expect(read.kept.requests.every(({ newKeySignatureB64u }) => newKeySignatureB64u !== null)).toBe(true)
  })

  it('is refused with the file of another sheet or of a key', async () => {
    await expect(readWrittenKey(other.revealWords(), await filed)).rejects.toThrow('do not belong')
    await expect(readWrittenKey(sheet.revealWords(), kept)).rejects.toThrow('do not belong')
    expect(await sheetIn(words.signing)).toBe(null)
  })
})

it('a recovery file is told from a backup, and from anything else', async () => {
  expect(await readRecoveryFile(fileOf(kept))).toEqual(kept)
  await expect(readRecoveryFile(fileOf({ format: 'svc/identity-export/v1', ciphertextB64u: 'AA' }))).rejects.toThrow(
    'This is a backup',
  )
  for (const other of [{ ...kept, epoch: 7 }, [], 'x'])
    await expect(readRecoveryFile(fileOf(other))).rejects.toThrow('This is not a recovery file.')
})
