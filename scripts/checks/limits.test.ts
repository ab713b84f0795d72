import { describe, expect, it } from 'vitest'
import { limitFaults, usesOf } from './limits.ts'

const PATH = 'workers/pay/wrangler.jsonc'
const binding = (limit: number) => ({ name: `LIMIT_${limit}`, simple: { limit, period: 60 } })
const TIERS = [5, 10, 20, 30, 60, 100, 200, 300, 500, 600].map(binding)

describe('usesOf', () => {
  it('names the tiers of the service and the operations that count by a limit', () => {
    const uses = usesOf('auth', [
      { id: 'limited', auth: 'none', limit: { limit: 20 } },
      { id: 'tiered', auth: 'optional-assertion', callerTiers: { anonymous: 30 } },
      { id: 'unmetered', auth: 'internal', limit: { limit: 1 } },
      { id: 'plain', auth: 'none' },
    ])
    expect(Object.fromEntries(uses)).toEqual({
      20: ['tier sign-in', 'limited'],
      30: ['tiered'],
    })
  })
})

describe('limitFaults', () => {
  const uses = (limit: number) => usesOf('pay', [{ id: 'setRenewal', auth: 'assertion', limit: { limit } }])

  it('finds nothing where each limit has its binding and each binding its use', () => {
    expect(limitFaults(PATH, uses(20), TIERS)).toEqual([])
  })

  it('says what to do about a limit without a binding', () => {
    expect(limitFaults(PATH, uses(15), TIERS)).toEqual([
      'workers/pay/wrangler.jsonc: no rate-limit binding counts 15 requests (setRenewal). Use one of 5, 10, 20, 30, 60, ' +
        '100, 200, 300, 500, 600, or add LIMIT_15 to "ratelimits" and run scripts/test --fix. Without it the limiter ' +
        'allows 10 in each isolate',
    ])
  })

  it('finds the binding of a tier missing', () => {
    const [fault] = limitFaults(PATH, uses(20), TIERS.slice(1))
    expect(fault).toContain('no rate-limit binding counts 5 requests (tier key-revoke)')
  })

  it('finds a binding that nothing counts by', () => {
    expect(limitFaults(PATH, uses(20), [...TIERS, binding(15)])).toEqual([
      'workers/pay/wrangler.jsonc: nothing counts by LIMIT_15: remove it and run scripts/test --fix',
    ])
  })

  it.each([
    { name: 'LIMIT_20', simple: { limit: 15, period: 60 } },
    { name: 'LIMIT_15', simple: { limit: 15, period: 10 } },
  ])('finds a binding whose name is not what it counts: %j', (wrong) => {
    expect(limitFaults(PATH, uses(15), [...TIERS, wrong])).toEqual([
      `workers/pay/wrangler.jsonc: ${wrong.name} counts 15 in ${wrong.simple.period} seconds: call it LIMIT_15, with a ` +
        'period of 60',
    ])
  })
})
