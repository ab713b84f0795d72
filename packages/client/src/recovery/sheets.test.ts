import type { SignedRotationRequest } from '@svc/protocol/chain/rotation'
import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import {
  askedPositions,
  commitmentOf,
  confirmsWords,
  type ReadinessOf,
  type RecoveryMeaning,
  recordedSheet,
  recordOfSheet,
  recoveryByWords,
  recoveryReadiness,
  renewRecovery,
  SuccessorSheet,
} from '../recovery-words.ts'
import { completedRecovery, keptKeys, keptRecoverySchema, leadsTheSameWay } from './kept-recovery.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const { scope } = alice
const sheets = [SuccessorSheet.create(), SuccessorSheet.create()] as const
const records = await Promise.all(sheets.map((sheet) => recordOfSheet(sheet, { scope, epoch: 1 })))
const recorded = records.map(recordedSheet)
const kept = await renewRecovery(alice, { realm: REALM, sheets: recorded })

describe('a recovery file', () => {
  it('is renewed without words, for the key of each sheet, and commits to the keys of the next epoch', async () => {
    const keys = await Promise.all(sheets.map((sheet) => sheet.successor({ scope, epoch: 1 })))
    expect(keptKeys(kept)).toEqual(keys.map(({ publicKeyB64u }) => publicKeyB64u))
    const { next, replaceable } = await commitmentOf(sheets, { scope, epoch: 2 })
    for (const { statement, newKeySignatureB64u } of kept.requests)
      expect({ ...statement, newKeySignatureB64u }).toMatchObject({ next, replaceable, newKeySignatureB64u: null })
  })

  it('is completed by the words of either sheet, and by no other key', async () => {
    for (const sheet of sheets) {
      const successor = await sheet.successor({ scope, epoch: 1 })
      const { requests } = await completedRecovery(kept, successor)
      expect(requests.map(({ statement }) => statement.version)).toEqual([2, 1])
      for (const { statement, newKeySignatureB64u } of requests)
        expect([statement.newPublicKeyB64u, newKeySignatureB64u === null]).toEqual([successor.publicKeyB64u, false])
    }
    const other = await sheets[0].successor({ scope, epoch: 2 })
    await expect(completedRecovery(kept, other)).rejects.toMatchObject({ option: 'successor' })
  })

  it.each([
    ['the form of one key', { ...kept, newPublicKeyB64u: keptKeys(kept)[0] }],
    ['a request twice', { ...kept, requests: [...kept.requests, ...kept.requests.slice(0, 1)] }],
    [
      'a request that nobody signed',
      { ...kept, requests: kept.requests.map((one) => ({ ...one, signatureB64u: null })) },
    ],
    ['another epoch', { ...kept, epoch: 2 }],
    ['words', { ...kept, words: sheets[0].revealWords() }],
  ])('is refused with %s', (_, file) => {
    expect(keptRecoverySchema.safeParse(file).success).toBe(false)
  })

  it('contains no words and no secrets', () => {
    const [names, values] = [new Set<string>(), new Set<string>()]
    JSON.stringify([kept, records], (name, value: unknown) => {
      names.add(name)
      if (typeof value === 'string') for (const part of value.split(' ')) values.add(part)
      return value
    })
    const words = sheets[0].revealWords().split(' ')
    expect(words.filter((word) => values.has(word))).toEqual([])
    expect(names).toContain('newPublicKeyB64u')
    expect([...names].filter((name) => /seed|secret|word/i.test(name))).toEqual([])
  })

  it('leads the same way as requests that list the same sheets in another order, and no others', async () => {
    const successor = await sheets[0].successor({ scope, epoch: 1 })
    const alone = (of: readonly SuccessorSheet[]) => recoveryByWords(successor, { realm: REALM, sheets: of })
    const pending = (await alone([sheets[1], sheets[0]])).requests[0] as SignedRotationRequest
    expect(leadsTheSameWay(await alone(sheets), { request: pending })).toBe(true)
    expect(leadsTheSameWay(await alone([sheets[0]]), { request: pending })).toBe(false)
  })

  it('has only the signature of the successor if it is made from words alone', async () => {
    const successor = await sheets[1].successor({ scope, epoch: 1 })
    const { requests } = await recoveryByWords(successor, { realm: REALM, sheets: [sheets[1]] })
    expect(requests.map(({ signatureB64u }) => signatureB64u)).toEqual([null, null])
  })
})

describe('an owner who forbids that lost sheets are replaced', () => {
  it('forbids it still in each request that is signed for the next keys', async () => {
    const successor = await sheets[0].successor({ scope, epoch: 1 })
    const options = { realm: REALM, sheets, replaceable: false }
    const signed = [
      await renewRecovery(alice, options),
      await recoveryByWords(successor, options),
      (await alice.prepareRecovery(options)).kept,
    ]
    for (const { requests } of signed)
      for (const { statement } of requests) expect(statement).toMatchObject({ replaceable: false })
  })
})

describe('a recorded sheet', () => {
  it('requires the words for an epoch that the record does not cover', async () => {
    const source = recordedSheet(records[0]!)
    const first = await sheets[0].successor({ scope, epoch: 8 })
    await expect(source.successor({ scope, epoch: 8 })).resolves.toMatchObject({ publicKeyB64u: first.publicKeyB64u })
    for (const epoch of [0, 9])
      await expect(source.successor({ scope, epoch })).rejects.toMatchObject({ option: 'sheets' })
  })
})

describe('the words to confirm', () => {
  it('are two different words at random positions', () => {
    const seen = new Set<number>()
    for (let round = 0; round < 500; round++) {
      const [first = 0, second = 0, ...more] = askedPositions()
      expect([first >= 1, first < second, second <= 24, more.length]).toEqual([true, true, true, 0])
      seen.add(first).add(second)
    }
    expect(seen.size).toBe(24)
  })

  it('confirm a sheet only if both are correct', () => {
    const words = sheets[0].revealWords().split(' ')
    const typed = [` ${words[6]?.toUpperCase()} `, words[18] ?? '']
    expect(confirmsWords(sheets[0], [7, 19], typed)).toBe(true)
    expect(confirmsWords(sheets[0], [7, 20], typed)).toBe(words[18] === words[19])
    for (const wrong of [[], [words[6] ?? ''], ['', ''], ['zoo', 'zoo']])
      expect(confirmsWords(sheets[0], [7, 19], wrong)).toBe(false)
    expect(confirmsWords(sheets[0], [], [])).toBe(false)
  })
})

describe('the meaning of words and file', async () => {
  const commitment = await commitmentOf(sheets, { scope, epoch: 1 })
  const [first, second] = records as [(typeof records)[0], (typeof records)[0]]
  const confirmed = [{ ...first, confirmedAt: 1 }, second]
  const of = { epoch: 0, commitment, sheets: confirmed, recovery: kept }
  const stale = await renewRecovery(await sheets[0].successor({ scope, epoch: 1 }), { realm: REALM, sheets: recorded })
  const other = { ...commitment, next: commitment.next.slice(1) }
  it.each([
    ['words_and_file', of],
    ['words', { ...of, recovery: null }],
    ['words', { ...of, recovery: stale }],
    ['root_and_device', { ...of, sheets: records }],
    ['root_and_device', { ...of, sheets: [] }],
    ['root_and_device', { ...of, commitment: other }],
    ['never', { ...of, sheets: records, commitment: { ...commitment, replaceable: false } }],
    [null, { ...of, commitment: { next: [], replaceable: false } }],
  ] satisfies [RecoveryMeaning | null, ReadinessOf][])('is %s', (meaning, given) => {
    expect(recoveryReadiness(given).meaning).toBe(meaning)
  })
})
