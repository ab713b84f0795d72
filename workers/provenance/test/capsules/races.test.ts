import { expectRefusal } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { caller } from '../harness.ts'
import { allRowsOf, bucketsAround } from './buckets.fixture.ts'
import { freshFile, register, signed, units } from './capsules.fixture.ts'

const twenty = <T>(work: (i: number) => Promise<T>) => Promise.all(Array.from({ length: 20 }, (_, i) => work(i)))
const dataOf = (answers: readonly { body: unknown }[]) =>
  answers.map(({ body }) => (body as { data: { duplicate: boolean; position: number } }).data)

describe('twenty at once', () => {
  it('with one capsule are one registration and one unit', async () => {
    const by = await caller()
    const sent = await signed(by)
    const answers = await twenty(() => register(by, sent))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const data = dataOf(answers)
    expect(data.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    expect(new Set(data.map(({ position }) => position)).size).toBe(1)
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  }, 30_000)

  it('with twenty capsules of one asset are one registration and nineteen refusals, for one unit', async () => {
    const by = await caller()
    const file = freshFile()
    const capsules = await twenty((i) =>
      by.client.provenance.sign(file, { kind: 'image', mime: 'image/png', width: i + 1 }),
    )
    const answers = await Promise.all(capsules.map((sent) => register(by, sent)))
    const outcomes = answers.map(({ status, error }) => (typeof error === 'string' ? error : `${status}`)).toSorted()
    expect(outcomes).toEqual(['200', ...Array<string>(19).fill('capsule_exists')])
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  }, 30_000)

  it('the first to be completed is the one, though another was admitted after it', async () => {
    const by = await caller()
    const file = freshFile()
    const [first, second] = await Promise.all([
      by.client.provenance.sign(file, { kind: 'image', mime: 'image/png' }),
      by.client.provenance.sign(file, { kind: 'image', mime: 'image/gif' }),
    ])
    const prepared = Promise.withResolvers<void>()
    const completed = Promise.withResolvers<void>()
    const waiting = (until: Promise<void>, arrived?: () => void) =>
      bucketsAround(async (method, work) => {
        if (method === 'complete') {
          arrived?.()
          await until
        }
        return work()
      })
    const early = register(by, first, { replaced: waiting(prepared.promise) })
    const late = register(by, second, { replaced: waiting(completed.promise, prepared.resolve) })
    expect(await early).toMatchObject({ status: 200, body: { data: { duplicate: false } } })
    completed.resolve()
    expectRefusal(await late, 'capsule_exists')
    expect(await units(by)).toEqual({ used: 1, reserved: 0 })
    expect(await allRowsOf('loose')).toEqual([])
  })

  it('by twenty identities of one asset are twenty registrations in positions 1 to 20', async () => {
    const callers = await twenty(() => caller())
    const file = freshFile()
    const capsules = await Promise.all(callers.map(async (by) => ({ by, sent: await signed(by, file) })))
    const answers = await Promise.all(capsules.map(({ by, sent }) => register(by, sent)))
    const positions = dataOf(answers).map(({ position }) => position)
    expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    const { assetId } = (capsules[0] as (typeof capsules)[0]).sent.capsule
    expect(await callers[0]?.client.provenance.capsule(assetId)).toMatchObject({ claimCount: 20 })
  }, 30_000)

  it('beyond the tier are as many registrations as it allows', async () => {
    const by = await caller()
    const capsules = await Promise.all(Array.from({ length: 30 }, () => signed(by)))
    const answers = await Promise.all(capsules.map((sent) => register(by, sent)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(10)
    expect(await units(by)).toEqual({ used: 20, reserved: 0 })
  }, 30_000)
})
