import { Identity } from '@svc/client'
import { recoverySheet } from '@svc/client/recovery-words'
import { describe, expect, it } from 'vitest'
import { readRecoveryFile, readWrittenKey } from './written-key.ts'

const alice = await Identity.create()
const { kept, successor } = await alice.prepareRecovery({ realm: 'https://core.example' })
const { words, code } = recoverySheet(successor)
const list = words.signing.split(' ')
const fileOf = (content: unknown) => new File([JSON.stringify(content)], 'file.json')

describe('a recovery key that was written down', () => {
  it.each([
    ['its words', words.signing],
    ['its words as they are printed', list.map((word, at) => `${at + 1}. ${word}`).join('\n')],
    ['its words in capitals', ` ${words.signing.toUpperCase()}\n`],
    ['its code', `${code}\n`],
  ])('is read from %s', async (_, text) => {
    const { did, publicKeyB64u } = await readWrittenKey(text, kept)
    expect([did, publicKeyB64u]).toEqual([alice.did, successor.publicKeyB64u])
  })

  it.each([
    ['a word too few', list.slice(1).join(' '), 'The recovery key has 24 words.'],
    ['a word that is not on the list', ['qwerty', ...list.slice(1)].join(' '), 'Word 1 is not on the list.'],
    ['another key', recoverySheet(alice).words.signing, 'This recovery key does not belong to this recovery file.'],
    ['a changed code', code.replace(/.$/, (end) => (end === '0' ? '1' : '0')), 'not correct'],
  ])('is refused with %s', async (_, text, said) => {
    await expect(readWrittenKey(text, kept)).rejects.toThrow(said)
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
