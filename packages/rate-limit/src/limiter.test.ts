import { describe, expect, it } from 'vitest'
import { EmergencyBucket, Limiter, type Metered, type RateLimitBinding } from './limiter.ts'

const read: Metered = { tier: 'read', limit: 300, counter: 'tier:read' }
const genesis: Metered = { tier: 'default', limit: 5, counter: 'route:initGenesis' }
const broken: RateLimitBinding = { limit: () => Promise.reject(new Error('store is down')) }

function recording(success: boolean) {
  const keys: string[] = []
  const binding: RateLimitBinding = {
    limit: ({ key }) => {
      keys.push(key)
      return Promise.resolve({ success })
    },
  }
  return { keys, binding }
}

async function allowedOf(limiter: Limiter, quotas: Metered[], times: number, now = 0): Promise<number> {
  let allowed = 0
  for (let i = 0; i < times; i++) if ((await limiter.take(quotas, '203.0.113.7', now)).allowed) allowed++
  return allowed
}

describe('Limiter', () => {
  it('calls the binding of the quota’s size with service, counter and caller', async () => {
    const { keys, binding } = recording(true)
    const limiter = new Limiter('core', (limit) => (limit === 300 ? binding : undefined))
    expect(await limiter.take([read], '203.0.113.7', 0)).toEqual({ allowed: true })
    expect(keys).toEqual(['core:tier:read:203.0.113.7'])
  })

  it('returns the exceeded quota and one window to wait', async () => {
    const { binding } = recording(false)
    const limiter = new Limiter('core', () => binding)
    expect(await limiter.take([read, genesis], 'a', 0)).toEqual({
      allowed: false,
      exceeded: read,
      retryAfterSeconds: 60,
    })
  })

  it.each([
    ['absent', undefined],
    ['broken', broken],
  ])('falls back to ten per window and address if the binding is %s', async (_, binding) => {
    expect(await allowedOf(new Limiter('core', () => binding), [read], 30)).toBe(10)
  })

  it('never allows more in an emergency than the route’s quota', async () => {
    expect(await allowedOf(new Limiter('core', () => broken), [read, genesis], 30)).toBe(5)
  })

  it('shares one emergency bucket across paths', async () => {
    const limiter = new Limiter('core', () => undefined)
    expect(await allowedOf(limiter, [read], 8)).toBe(8)
    expect(await allowedOf(limiter, [{ ...read, counter: 'tier:other' }], 8)).toBe(2)
  })

  it('reopens after the window and returns the time until then', async () => {
    const limiter = new Limiter('core', () => undefined)
    await allowedOf(limiter, [read], 10, 1_000)
    expect(await limiter.take([read], '203.0.113.7', 31_000)).toMatchObject({ allowed: false, retryAfterSeconds: 30 })
    expect(await limiter.take([read], '203.0.113.7', 61_000)).toEqual({ allowed: true })
  })
})

describe('EmergencyBucket', () => {
  it('keeps counting an address while ten thousand others send requests', () => {
    const bucket = new EmergencyBucket()
    for (let i = 0; i < 10_001; i++) bucket.take(`address ${i}`, 1, 0)
    expect(bucket.take('address 10000', 1, 0)).toBeGreaterThan(0)
    expect(bucket.take('address 0', 1, 0)).toBe(0)
  })
})
