import type { TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshCaller } from './harness.ts'
import { at, DAY_MS, memberOf, opened, rotated } from './rotation.fixture.ts'

const LIMIT = { status: 409, error: 'veto_limit' }
type Vetoing = Pick<TestCaller, 'client'>

afterEach(() => {
  vi.useRealTimers()
})

/** Opens one rotation after the other and has each vetoed; gives the times at which that was done. */
async function vetoed(owner: TestCaller, ways: readonly ('freeze' | 'cancel')[], by: Vetoing, everyMs: number) {
  const times: number[] = []
  for (const way of ways) {
    const { rotation } = await opened(owner, 2)
    times.push(Date.now())
    await by.client.rotation[way](rotation.rotationId)
    at(Date.now() + everyMs)
  }
  return times
}

describe('one key', () => {
  it('freezes three times in 30 days and then again 30 days after its first, to the millisecond', async () => {
    const caller = await freshCaller()
    at(Date.now())
    const [first = 0] = await vetoed(caller, ['freeze', 'freeze', 'freeze'], caller, DAY_MS)
    const { rotation } = await opened(caller, 2)
    const { rotationId } = rotation
    for (const time of [first + 3 * DAY_MS, first + 30 * DAY_MS - 1]) {
      at(time)
      await expect(caller.client.rotation.freeze(rotationId)).rejects.toMatchObject(LIMIT)
    }
    expect((await caller.client.rotation.current()).latest).toEqual(rotation)
    at(first + 30 * DAY_MS)
    expect((await caller.client.rotation.freeze(rotationId)).status).toBe('frozen')
    const fifth = await opened(caller, 2)
    await expect(caller.client.rotation.freeze(fifth.rotation.rotationId)).rejects.toMatchObject(LIMIT)
  })

  it('that is a device’s has freezes of its own', async () => {
    const caller = await freshCaller()
    const [phone, tablet] = [await memberOf(caller), await memberOf(caller)]
    at(Date.now())
    await vetoed(caller, ['freeze', 'freeze', 'freeze'], phone, DAY_MS)
    const fourth = await opened(caller, 2)
    await expect(phone.client.rotation.freeze(fourth.rotation.rotationId)).rejects.toMatchObject(LIMIT)
    expect((await tablet.client.rotation.freeze(fourth.rotation.rotationId)).status).toBe('frozen')
    const fifth = await opened(caller, 2)
    expect((await caller.client.rotation.freeze(fifth.rotation.rotationId)).status).toBe('frozen')
  })

  it('that has used them up cannot stop another rotation: it is activated', async () => {
    const caller = await freshCaller()
    const phone = await memberOf(caller)
    at(Date.now())
    await vetoed(caller, ['freeze', 'freeze', 'freeze'], phone, DAY_MS)
    const { rotation } = await opened(caller, 2)
    at(rotation.deadline ?? 0)
    await expect(phone.client.rotation.freeze(rotation.rotationId)).rejects.toMatchObject(LIMIT)
    expect((await caller.client.rotation.activate(rotation)).status).toBe('active')
  })

  it('uses none up by a freeze that is refused, nor by a cancellation', async () => {
    const caller = await freshCaller()
    at(Date.now())
    await vetoed(caller, ['freeze', 'cancel', 'cancel', 'cancel', 'freeze'], caller, 0)
    const { latest } = await caller.client.rotation.current()
    await expect(caller.client.rotation.freeze(latest?.rotationId ?? '')).rejects.toMatchObject({
      error: 'rotation_not_pending',
    })
    await vetoed(caller, ['freeze'], caller, 0)
    const { rotation } = await opened(caller, 2)
    await expect(caller.client.rotation.freeze(rotation.rotationId)).rejects.toMatchObject(LIMIT)
  })

  it('that is the root’s takes its own rotations back without end', async () => {
    const caller = await freshCaller()
    at(Date.now())
    await vetoed(caller, ['freeze', 'freeze', 'freeze', 'cancel', 'cancel', 'cancel', 'cancel'], caller, 0)
    expect((await caller.client.rotation.current()).latest).toMatchObject({ status: 'cancelled', cancels: 1 })
  })

  it('leaves none of its count to the key that follows it', async () => {
    const caller = await freshCaller()
    at(Date.now())
    await vetoed(caller, ['freeze', 'freeze', 'freeze'], caller, 0)
    const { next } = await rotated(caller)
    const { rotation } = await opened(next, 2)
    expect((await next.client.rotation.freeze(rotation.rotationId)).status).toBe('frozen')
  })
})
