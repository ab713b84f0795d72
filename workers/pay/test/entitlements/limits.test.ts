import { describe, expect, it } from 'vitest'
import { call, caller } from '../harness.ts'

/** The counters of a location that has counted nothing yet. */
const FRESH = {
  LIMIT_20: { limit: async () => ({ success: true }) },
  LIMIT_200: { limit: async () => ({ success: true }) },
}
const LIMIT = 20

describe('what changes a subscription', () => {
  it.each(['/entitlement/change', '/entitlement/renewal'])(
    'is counted exactly at %s: 20 in 60 seconds for an identity, from any location',
    async (path) => {
      const [by, other] = [await caller(), await caller()]
      const send = (who: typeof by) => call(who, 'POST', path, { body: {}, replaced: FRESH })
      const answers = await Promise.all(Array.from({ length: LIMIT + 5 }, () => send(by)))
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(LIMIT)
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(5)
      expect(refused[0]?.body).toMatchObject({ error: 'Rate limit exceeded', tier: 'payments' })
      expect((await send(other)).status).toBe(400)
    },
  )

  it('is refused while it cannot be counted', async () => {
    const COUNTERS = { getByName: () => ({ take: () => Promise.reject(new Error('gone')) }) }
    const refused = await call(await caller(), 'POST', '/entitlement/change', { body: {}, replaced: { COUNTERS } })
    expect(refused).toMatchObject({ status: 503, error: 'dependency_unavailable' })
  })
})
