import { encodeBase64url } from '@svc/protocol/base64url'
import { describe, expect, it } from 'vitest'
import { post, proberWith } from './harness.ts'
import { Login, register } from './opaque-client.fixture.ts'

/** Counts as the platform's binding does, and remembers by what. */
function counting(limit: number) {
  const counts = new Map<string, number>()
  const take = async ({ key }: { key: string }) => {
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return { success: (counts.get(key) ?? 0) <= limit }
  }
  return { counts, by: proberWith({ LIMIT_60: { limit: take } }) }
}

describe('logins under one identifier', () => {
  it('are counted together from whatever address, known and unknown alike, and by no name', async () => {
    await register('counted', 'x')
    const { counts, by } = counting(3)
    const startLoginRequest = encodeBase64url(new Login('x').ke1)
    const begin = async (identifier: string) => {
      const { status, body } = await post('opaque/login/init', { identifier, startLoginRequest }, {}, by)
      return status === 200 ? status : body
    }
    const refused = { success: false, error: 'Rate limit exceeded', retryAfter: 60, tier: 'identifier' }
    for (const identifier of ['counted', 'nobody-counted']) {
      const answers = []
      for (const spelling of [identifier, identifier.toUpperCase(), ` ${identifier}`, identifier]) {
        answers.push(await begin(spelling))
      }
      expect(answers).toEqual([200, 200, 200, refused])
    }
    expect(await begin('another')).toBe(200)
    expect([...counts.keys()].join()).toMatch(/^(?:auth:identifier:[0-9a-f]{64},?){3}$/)
  })
})
