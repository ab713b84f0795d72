import { env } from 'cloudflare:workers'
import { expectRefusal, type Prober } from '@svc/service/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { dataOf, post, proberWith } from '../harness.ts'
import { Mailbox } from '../opaque/mailbox.fixture.ts'
import { logIn, register } from '../opaque/opaque-client.fixture.ts'
import { comeBack, prober, SETTINGS, TestProvider, ticketOf, verifier } from './provider.fixture.ts'

const SECOND = { OPAQUE_SERVER_SEED_2: '2e'.repeat(32) }
const rolled = proberWith({ ...SETTINGS, ...SECOND })
const dropped = proberWith({ ...SETTINGS, ...SECOND, OPAQUE_SERVER_SEED: '' })

interface Onboarding {
  readonly subjectHash: string
  readonly hasAccount: boolean
  readonly grant: string
}

let provider: TestProvider
let people = 0
beforeEach(async () => {
  provider = await TestProvider.stand()
  people += 1
  provider.answers = { claims: { sub: `rolled-${people}` } }
})

const identify = async (by: Prober) => {
  const ticket = ticketOf(await comeBack(provider, 'google', by))
  return dataOf<Onboarding>(await post('onboard/ticket/verify', { ticket, verifier }, {}, by))
}
const subjects = async () => {
  const { results } = await env.DB.prepare('SELECT seed_version AS version FROM subjects').all<{ version: number }>()
  return results.map(({ version }) => version)
}

describe('a person at a provider', () => {
  it('who came under the first version of the seed has one account under the second, and moves to it', async () => {
    dataOf(await register('came-before', 'x', { grant: (await identify(prober)).grant }))
    expect(await subjects()).toEqual([1])
    const again = await identify(rolled)
    expect(again.hasAccount).toBe(true)
    expect(await subjects()).toEqual([2])
    expect((await identify(dropped)).hasAccount).toBe(true)
    expect((await identify(dropped)).subjectHash).toBe(again.subjectHash)
  })

  it('gets no account for a ticket or a grant of before, and one for that of after', async () => {
    const grant = (await identify(prober)).grant
    const ticket = ticketOf(await comeBack(provider, 'google'))
    const after = await identify(rolled)
    expectRefusal(await register('of-before', 'x', { grant, by: rolled }), 'code_unusable')
    dataOf(await register('of-after', 'x', { grant: after.grant, by: rolled }))
    expectRefusal(await post('onboard/ticket/verify', { ticket, verifier }, {}, rolled), 'code_unusable')
    expect((await identify(rolled)).hasAccount).toBe(true)
  })
})

it('an address is confirmed by a code that was mailed before', async () => {
  const box = new Mailbox()
  const grant = dataOf<{ grant: string }>(
    await post('turnstile/verify', { token: 'XXXX.DUMMY.TOKEN.XXXX', action: 'register' }),
  ).grant
  dataOf(await register('ada@rolled.example', 'x', { grant, by: box.prober }))
  dataOf(await post('opaque/register/confirm', { grant, code: box.code }, {}, rolled))
  expect((await logIn('ada@rolled.example', 'x')).status).toBe(200)
})
