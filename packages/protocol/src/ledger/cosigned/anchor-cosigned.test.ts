import { describe, expect, it } from 'vitest'
import { firstKey, type LogSigner, REALM, secondKey } from '../../merkle/rolled-log.fixture.ts'
import { at, bundleOf, LOG, log } from '../bundle/anchor-bundle.fixture.ts'
import { seenIn } from '../bundle/cosigned-states.fixture.ts'
import { anchorCosignedSchema } from './anchor-cosigned.ts'
import { cosignedAt } from './seen-by.ts'

const SEEN_AT = 1_795_262_999_000
const trust = (threshold: number, ...by: LogSigner[]) => ({
  threshold,
  publicKeysB64u: by.map(({ ownerPublicKey }) => ownerPublicKey),
})

const cosignedBy = (by: LogSigner, index: number, size: number, issuedAt: number, members: object = {}) =>
  seenIn(log, { by, index, size, issuedAt, ...members })

const answerOf = (index: number, cosigned: Awaited<ReturnType<typeof cosignedBy>>[]) =>
  anchorCosignedSchema.parse({ anchorId: at(index).anchorId, position: { log: LOG, index }, cosigned })
const timeOf = (index: number, answer: ReturnType<typeof answerOf>, whom = trust(1, firstKey)) =>
  cosignedAt(at(index), answer, whom, [REALM])

describe('cosignedAt', () => {
  it('is the time of the witness, for every anchor and size that covers it', async () => {
    for (const size of [3, 5, 8])
      for (let index = 1; index < size; index++)
        expect(await timeOf(index, answerOf(index, [await cosignedBy(firstKey, index, size, SEEN_AT)]))).toEqual({
          ok: true,
          value: { at: SEEN_AT, witnesses: 1 },
        })
  })

  it('is that of the last of as many as the caller wants, each counted once', async () => {
    const early = await cosignedBy(firstKey, 2, 4, SEEN_AT)
    const late = await cosignedBy(secondKey, 2, 7, SEEN_AT + 60_000)
    const both = trust(2, firstKey, secondKey)
    expect(await timeOf(2, answerOf(2, [early, late]), both)).toEqual({
      ok: true,
      value: { at: SEEN_AT + 60_000, witnesses: 2 },
    })
    expect(await timeOf(2, answerOf(2, [early, early]), both)).toEqual({ ok: true, value: null })
  })

  it('is unknown from an unlisted witness, and without any', async () => {
    const unlisted = answerOf(2, [await cosignedBy(secondKey, 2, 4, SEEN_AT)])
    expect(await timeOf(2, unlisted)).toEqual({ ok: true, value: null })
    expect(await timeOf(2, answerOf(2, []))).toEqual({ ok: true, value: null })
  })

  it('is refused for a state that does not cover the anchor', async () => {
    const before = await cosignedBy(firstKey, 4, 4, SEEN_AT)
    expect(await timeOf(4, answerOf(4, [before]))).toEqual({ ok: false, error: { reason: 'not_included' } })
    const { proof } = await bundleOf(4, 7)
    expect(await timeOf(4, answerOf(4, [{ ...before, proof }]))).toMatchObject({ ok: false })
  })

  it('is refused for another time than was signed, another log, and another anchor', async () => {
    const good = await cosignedBy(firstKey, 2, 4, SEEN_AT)
    const statement = { ...good.cosignature.statement, issuedAt: 1 }
    const backdated = { ...good, cosignature: { ...good.cosignature, statement } }
    expect(await timeOf(2, answerOf(2, [backdated]))).toEqual({ ok: false, error: { reason: 'invalid_signature' } })
    const elsewhere = await cosignedBy(firstKey, 2, 4, SEEN_AT, { log: `${REALM}/anchors/2027b` })
    expect(await timeOf(2, answerOf(2, [elsewhere]))).toEqual({ ok: false, error: { reason: 'wrong_log' } })
    expect(await timeOf(3, answerOf(2, [good]))).toEqual({ ok: false, error: { reason: 'different_anchor' } })
  })
})
