/** What pay learns of a registration: who pays, and nothing about what. */
import { env } from 'cloudflare:workers'
import { ok } from '@svc/protocol/base/result'
import { coreAnswering } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { metered } from '../../src/quota/rules.ts'
import { UnitNames } from '../../src/quota/unit-names.ts'
import { createRuntime } from '../../src/services.ts'
import { caller } from '../harness.ts'

/** `quotaUnit` of the vectors in `packages/protocol/test/vectors/forms.json`. */
const VECTOR = {
  seedHex: '1d'.repeat(32),
  did: 'did:svc:u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh',
  what: 'text:text-3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c',
  key: '1.ZHWxRkuCWDeshbPG35Hv54QEbq3alQhOYmqJg7br6hA',
}
const steps = { prepare: async () => ok(undefined), complete: async () => ok('done') }
const SECOND = { CLAIMANTS_SEED_2: '2d'.repeat(32) }

async function capsules(by: Awaited<ReturnType<typeof caller>>): Promise<number> {
  const meter = (await by.client.quota.meters()).find(({ kind }) => kind === 'capsule')
  return (meter?.used ?? 0) + (meter?.reserved ?? 0)
}

describe('the name of a unit', () => {
  it('is that of the vectors', async () => {
    const names = new UnitNames(new Map([[1, VECTOR.seedHex]]))
    expect(await names.of(VECTOR.did, VECTOR.what)).toEqual({ key: VECTOR.key, earlierKeys: [] })
  })

  it('is another one for each identity, registration and version', async () => {
    const names = new UnitNames(new Map([1, 2].map((version) => [version, `${version}d`.repeat(32)])))
    const made = [
      await names.of(VECTOR.did, VECTOR.what),
      await names.of(`did:svc:${'C'.repeat(32)}`, VECTOR.what),
      await names.of(VECTOR.did, 'capsule:other'),
    ]
    expect(made[0]).toMatchObject({ key: expect.stringMatching(/^2\./), earlierKeys: [VECTOR.key] })
    expect(new Set(made.flatMap(({ key, earlierKeys }) => [key, ...earlierKeys])).size).toBe(6)
  })

  it('is all that pay sees of what is registered', async () => {
    const seen: string[] = []
    const pay = coreAnswering(async (request) => {
      seen.push(request.url, await request.clone().text())
      return env.PAY.fetch(request)
    })
    const by = await caller()
    const { quota } = createRuntime({ ...env, PAY: pay }).deps
    expect(await metered(quota, { did: by.identity.did, key: 'text:canary-of-a-text' }, steps)).toEqual(ok('done'))
    expect(seen.join()).toContain(by.identity.did)
    expect(seen.join()).not.toContain('canary')
  })
})

describe('a registration that is repeated after a change of the seed', () => {
  it('counts the unit that was counted before', async () => {
    const by = await caller()
    const unit = { did: by.identity.did, key: 'text:a' }
    const [first, second] = [createRuntime(env).deps.quota, createRuntime({ ...env, ...SECOND }).deps.quota]
    expect(await metered(first, unit, steps)).toEqual(ok('done'))
    expect(await metered(second, unit, steps)).toEqual(ok('done'))
    expect(await capsules(by)).toBe(1)
  })

  it('counts one for twenty at once, and finds the unit that was held before', async () => {
    const by = await caller()
    const unit = { did: by.identity.did, key: 'text:b' }
    await createRuntime(env).deps.quota.reserve(unit.did, unit.key)
    const { quota } = createRuntime({ ...env, ...SECOND }).deps
    const all = await Promise.all(Array.from({ length: 20 }, () => metered(quota, unit, steps)))
    expect(all).toEqual(Array(20).fill(ok('done')))
    expect(await capsules(by)).toBe(1)
  })

  it('registers nothing without a seed', async () => {
    const { quota } = createRuntime({ ...env, CLAIMANTS_SEED: '' }).deps
    await expect(quota.reserve((await caller()).identity.did, 'text:c')).rejects.toMatchObject({ dependency: 'quota' })
  })
})
