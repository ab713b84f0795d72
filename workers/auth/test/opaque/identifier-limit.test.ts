import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { dataOf, freshGrant, isolateWith, post } from '../harness.ts'
import { Login, logIn, register } from './opaque-client.fixture.ts'

/** Counts as the platform's bindings do, and remembers by what. */
function counting(limits: Readonly<Record<'LIMIT_60' | 'LIMIT_10', number>>) {
  const counts = new Map<string, number>()
  const binding = (limit: number) => ({
    limit: async ({ key }: { key: string }) => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return { success: (counts.get(key) ?? 0) <= limit }
    },
  })
  return { counts, by: isolateWith({ LIMIT_60: binding(limits.LIMIT_60), LIMIT_10: binding(limits.LIMIT_10) }) }
}

const startLoginRequest = encodeBase64url(new Login('x').ke1)
const begin = async (by: Prober, identifier: string, knownDevice?: string) => {
  const { status, body } = await post('opaque/login/init', { identifier, startLoginRequest, knownDevice }, {}, by)
  return status === 200 ? status : body
}
const REFUSED = { success: false, error: 'Rate limit exceeded', retryAfter: 60, tier: 'identifier' }
const deviceOf = async (identifier: string, password: string) =>
  dataOf<{ knownDevice: string }>(await logIn(identifier, password)).knownDevice

describe('logins under one identifier', () => {
  it('are counted together from whatever address, known and unknown alike, and by no name', async () => {
    await register('counted', 'x')
    const { counts, by } = counting({ LIMIT_60: 3, LIMIT_10: 1 })
    for (const identifier of ['counted', 'nobody-counted']) {
      const answers = []
      for (const spelling of [identifier, identifier.toUpperCase(), ` ${identifier}`, identifier]) {
        answers.push(await begin(by, spelling))
      }
      expect(answers).toEqual([200, 200, 200, REFUSED])
    }
    expect(await begin(by, 'another')).toBe(200)
    expect([...counts.keys()].join()).toMatch(/^(?:auth:identifier:[0-9a-f]{64},?){3}$/)
  })

  it('by a device that has signed in before count for it alone: nobody can keep it out', async () => {
    await register('besieged', 'x')
    const [one, other] = [await deviceOf('besieged', 'x'), await deviceOf('BESIEGED', 'x')]
    const { by } = counting({ LIMIT_60: 1, LIMIT_10: 2 })
    expect([await begin(by, 'besieged'), await begin(by, 'besieged')]).toEqual([200, REFUSED])
    const answers = []
    for (const knownDevice of [one, one, one, other]) answers.push(await begin(by, ' Besieged ', knownDevice))
    expect(answers).toEqual([200, 200, REFUSED, 200])
  })

  it('are counted with registrations, which are evaluated under the same key', async () => {
    await register('evaluated', 'x')
    const [grant, knownDevice] = [await freshGrant(), await deviceOf('evaluated', 'x')]
    const { by } = counting({ LIMIT_60: 2, LIMIT_10: 1 })
    const registrationRequest = encodeBase64url(new Login('x').ke1.slice(0, 32))
    const evaluate = async (members: object = {}) => {
      const body = { grant, identifier: 'evaluated', registrationRequest, ...members }
      const answer = await post('opaque/register/init', body, {}, by)
      return answer.status === 200 ? 200 : answer.body
    }
    expect([await evaluate(), await begin(by, 'evaluated'), await evaluate()]).toEqual([200, 200, REFUSED])
    expect([await evaluate({ knownDevice }), await evaluate({ knownDevice })]).toEqual([200, REFUSED])
    expect(await evaluate({ identifier: 'another-one' })).toBe(200)
  })

  it('with proof that is made up, spoilt or of another identifier are counted with everybody’s', async () => {
    await register('mine', 'x')
    await register('another-of-mine', 'x')
    const [mine, another] = [await deviceOf('mine', 'x'), await deviceOf('another-of-mine', 'x')]
    const spoilt = `${mine.startsWith('A') ? 'B' : 'A'}${mine.slice(1)}`
    const shown = [encodeBase64url(crypto.getRandomValues(new Uint8Array(32))), spoilt, another]
    const { by } = counting({ LIMIT_60: shown.length, LIMIT_10: 100 })
    const answers = []
    for (const knownDevice of [...shown, another, mine]) answers.push(await begin(by, 'mine', knownDevice))
    expect(answers).toEqual([...shown.map(() => 200), REFUSED, 200])
  })

  it('show nothing that signs in, or that a ceremony would take', async () => {
    await register('shown', 'x')
    const knownDevice = await deviceOf('shown', 'x')
    expect(knownDevice).not.toBe(await deviceOf('shown', 'x'))
    const finish = { ceremonyId: knownDevice, finishLoginRequest: 'A'.repeat(86) }
    expect((await post('opaque/login/finish', finish)).error).toBe('sign_in_rejected')
    expect((await post('passkey/register', { step: 'options', grant: knownDevice, name: 'x' })).error).toBe(
      'code_unusable',
    )
  })
})
