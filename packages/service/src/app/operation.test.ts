import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation, mayTakeAssertion, takesAssertion } from './operation.ts'

const facts = {
  id: 'probe',
  method: 'post',
  path: '/probe',
  summary: 'A probe',
  answer: { status: 200, description: 'Done', schema: z.strictObject({}) },
} as const

describe('defineOperation', () => {
  it('demands what each kind of credential needs, at compile time', () => {
    // @ts-expect-error: no audiences
    defineOperation({ ...facts, auth: 'assertion', capability: 'root' })
    // @ts-expect-error: no capability
    defineOperation({ ...facts, auth: 'assertion-with-work', audiences: ['chain'] })
    // @ts-expect-error: neither
    defineOperation({ ...facts, auth: 'optional-assertion' })
    // @ts-expect-error: no audience at all
    defineOperation({ ...facts, auth: 'assertion', audiences: [], capability: 'root' })
    // @ts-expect-error: there is no wildcard
    defineOperation({ ...facts, auth: 'assertion', audiences: ['*'], capability: 'root' })
    // @ts-expect-error: no such capability
    defineOperation({ ...facts, auth: 'assertion', audiences: ['chain'], capability: 'chain:everything' })
    // @ts-expect-error: the header of the token is missing
    defineOperation({ ...facts, auth: 'assertion-or-token', audiences: ['chain'], capability: 'root' })
    // @ts-expect-error: nobody may call
    defineOperation({ ...facts, auth: 'internal' })
    // @ts-expect-error: a route without a credential takes no audience
    defineOperation({ ...facts, auth: 'none', audiences: ['chain'] })
    expect(defineOperation({ ...facts, auth: 'assertion', audiences: ['chain'], capability: 'root' })).toMatchObject({
      audiences: ['chain'],
      capability: 'root',
    })
  })
})

describe('a limit', () => {
  const free = { ...facts, auth: 'none' } as const
  const window = { counter: 'probe', limit: 5, seconds: 600 } as const

  it('says what it protects, and what is counted per location protects no guess, money or mail, at compile time', () => {
    // @ts-expect-error: for what?
    defineOperation({ ...free, limit: { counter: 'probe', limit: 5 } })
    // @ts-expect-error: a guess is counted in a window
    defineOperation({ ...free, limit: { counter: 'probe', limit: 5, protects: 'guess' } })
    // @ts-expect-error: mail too
    defineOperation({ ...free, limit: { counter: 'probe', limit: 5, protects: 'mail' } })
    // @ts-expect-error: anonymous callers are counted per location
    defineOperation({ ...free, callerTiers: { counter: 'probe', anonymous: 1, authenticated: 2, protects: 'money' } })
    // @ts-expect-error: for what?
    defineOperation({ ...free, window })
    // @ts-expect-error: for what?
    defineOperation({ ...free, callerWindow: { ...window, tier: 'probe' } })
    // @ts-expect-error: for what?
    defineOperation({ ...free, handlerWindows: [window] })
    const exact = defineOperation({ ...free, window: { ...window, protects: 'guess' } })
    expect(exact.window.protects).toBe('guess')
  })
})

describe('takesAssertion', () => {
  const asserted = { ...facts, audiences: ['chain'], capability: 'any' } as const

  it.each([
    [defineOperation({ ...asserted, auth: 'assertion' }), true, true],
    [defineOperation({ ...asserted, auth: 'assertion-with-work' }), true, true],
    [defineOperation({ ...asserted, auth: 'assertion-or-token', tokenHeader: 'X-Offer-Token' }), true, true],
    [defineOperation({ ...asserted, auth: 'optional-assertion' }), false, true],
    [defineOperation({ ...facts, auth: 'none' }), false, false],
    [defineOperation({ ...facts, auth: 'signature' }), false, false],
    [defineOperation({ ...facts, auth: 'internal', callers: ['did'] }), false, false],
    [defineOperation({ ...facts, auth: 'token', tokenHeader: 'X-Offer-Token' }), false, false],
  ])('tells who must and who may bring one: %j', (operation, must, may) => {
    expect(takesAssertion(operation)).toBe(must)
    expect(mayTakeAssertion(operation)).toBe(may)
  })
})
