import { type AccountHead, EMPTY_HEAD } from '@svc/protocol/keys/account-updates'
import { describe, expect, it } from 'vitest'
import { ConnectionError } from '../transport/connection-error.ts'
import { unverified, VerificationError } from '../verification/verification-error.ts'
import { type WatchOptions, watchAccount } from './watch-account.ts'

const HOUR_MS = 3_600_000
const headAt = (seq: number): AccountHead => ({ seq, head: String(seq).repeat(96) })
const OUT = new ConnectionError('https://keys.test', new Error('down'), { retryable: true, attempts: 1 })

/** Watches a directory that answers in turn, and never again after that. */
function watching(answers: readonly (AccountHead | Error)[], options: WatchOptions = {}) {
  const asked: number[] = []
  let now = 0
  const pauses: number[] = []
  const news = watchAccount(
    (from) => {
      asked.push(from.seq)
      const answer = answers[asked.length - 1] ?? new Error('the end of the test')
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
    {
      now: () => now,
      pause: async (ms) => {
        pauses.push(ms)
        now += ms
      },
    },
    options,
  )
  return { news, asked, pauses }
}

async function readAll(watch: AsyncGenerator) {
  const read: unknown[] = []
  try {
    for await (const one of watch) read.push(one)
  } catch (error) {
    return { read, error: error as Error }
  }
  throw new Error('a watch does not end')
}

describe('the watch of an account', () => {
  it('yields each new head once, and checks every hour from the last one', async () => {
    const { news, asked, pauses } = watching([headAt(2), headAt(2), headAt(5)])
    const { read, error } = await readAll(news)
    expect(read).toEqual([
      { head: headAt(2), updates: 2 },
      { head: headAt(5), updates: 3 },
    ])
    expect(asked).toEqual([0, 2, 2, 5])
    expect(pauses).toEqual([HOUR_MS, HOUR_MS, HOUR_MS])
    expect(error.message).toBe('the end of the test')
  })

  it('starts from the head that the owner knows, as often as they say', async () => {
    const { news, asked, pauses } = watching([headAt(3)], { from: headAt(3), everyMs: 1_000 })
    expect((await readAll(news)).read).toEqual([])
    expect(asked).toEqual([3, 3])
    expect(pauses).toEqual([1_000])
  })

  it('throws two truths at once, with the evidence', async () => {
    const evidence = { signed: 'by the directory' }
    const lie = unverified('account', 'inconsistent', 'The updates do not fold', { evidence })
    const { read, error } = await readAll(watching([headAt(1), lie, headAt(2)]).news)
    expect(read).toHaveLength(1)
    expect(error).toBeInstanceOf(VerificationError)
    expect(error).toMatchObject({ reason: 'inconsistent', evidence })
  })

  it('keeps trying while the directory is unavailable', async () => {
    const { news, asked } = watching([headAt(1), OUT, OUT, headAt(2)])
    expect((await readAll(news)).read).toEqual([
      { head: headAt(1), updates: 1 },
      { head: headAt(2), updates: 1 },
    ])
    expect(asked).toEqual([0, 1, 1, 1, 2])
  })

  it('gives up after a day of silence, and counts it anew after each answer', async () => {
    const silence = Array.from({ length: 23 }, () => OUT)
    const { news, asked } = watching([headAt(1), ...silence, headAt(1), ...silence, OUT, headAt(2)])
    const { read, error } = await readAll(news)
    expect(read).toEqual([{ head: headAt(1), updates: 1 }])
    expect(error).toBe(OUT)
    expect(asked).toHaveLength(49)
  })

  it('refuses to ask without a pause', async () => {
    const { error } = await readAll(watching([headAt(1)], { from: EMPTY_HEAD, everyMs: 0 }).news)
    expect(error).toBeInstanceOf(RangeError)
  })
})
