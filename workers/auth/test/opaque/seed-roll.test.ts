import { env } from 'cloudflare:workers'
import type { Exchange, Prober } from '@svc/service/testing'
import { expect, it } from 'vitest'
import { dataOf, isolateWith, post, prober, SESSION } from '../harness.ts'
import { beginLogin, finishLogin, register } from './opaque-client.fixture.ts'

const SECOND = { OPAQUE_SERVER_SEED_2: '2e'.repeat(32) }
const rolled = isolateWith(SECOND)
const dropped = isolateWith({ ...SECOND, OPAQUE_SERVER_SEED: 'fe'.repeat(32) })

let turn = 0
/** Isolates of before and after serve side by side, one request each. */
const mixed = { send: (request) => [prober, rolled][turn++ % 2]?.send(request) } as Prober

interface Person {
  readonly identifier: string
  readonly accountId: string
  password: string
}

async function granted(by: Prober): Promise<string | null> {
  const answer = await post('turnstile/verify', { token: 'XXXX.DUMMY.TOKEN.XXXX', action: 'register' }, {}, by)
  return answer.status === 200 ? dataOf<{ grant: string }>(answer).grant : null
}
async function entered(by: Prober, identifier: string, password: string): Promise<Exchange> {
  return finishLogin(await beginLogin(identifier, password, by), by)
}

/** Registers somebody, and returns them if the registration was acknowledged and a login shows it. */
async function acknowledged(by: Prober, identifier: string): Promise<Person | null> {
  const password = `first of ${identifier}`
  const grant = await granted(by)
  if (grant === null || (await register(identifier, password, { grant, by })).status !== 200) return null
  const { accountId } = dataOf<{ accountId: string }>(await entered(rolled, identifier, password))
  return { identifier, password, accountId }
}

const versions = async () => {
  const rows = env.DB.prepare('SELECT seed_version AS version, count(*) AS n FROM opaque_records GROUP BY 1 ORDER BY 1')
  return (await rows.all<{ version: number; n: number }>()).results
}

it('the seed is rolled while people register and sign in: nobody is lost, and nobody comes back', async () => {
  const people: Person[] = []
  for (const [stage, by] of [
    ['before', prober],
    ['during', mixed],
    ['after', rolled],
  ] as const) {
    const names = Array.from({ length: 8 }, (_, i) => `${stage}-${i}`)
    const found = await Promise.all(names.map((name) => acknowledged(by, name)))
    people.push(...found.flatMap((person) => person ?? []))
    for (const { identifier, password, accountId } of people)
      expect(dataOf<{ accountId: string }>(await entered(rolled, identifier, password)).accountId).toBe(accountId)
  }
  expect(people.length).toBeGreaterThanOrEqual(16)
  expect((await versions()).map(({ version }) => version)).toEqual([1, 2])

  // Everybody changes the password; half of them twice, and a login with the one before is refused.
  for (const [index, person] of people.entries()) {
    for (const round of index % 2 === 0 ? [1] : [1, 2]) {
      const { token } = dataOf<{ token: string }>(await entered(rolled, person.identifier, person.password))
      const path = '/api/auth/session/grant'
      const answer = await rolled.send({ method: 'POST', path, headers: { [SESSION]: token } })
      const { grant } = dataOf<{ grant: string }>(answer)
      const before = person.password
      person.password = `round ${round} of ${person.identifier}`
      dataOf(await register(person.identifier, person.password, { grant, by: rolled }))
      expect((await entered(rolled, person.identifier, before)).status).toBe(401)
    }
  }
  expect(await versions()).toEqual([{ version: 2, n: people.length }])

  for (const { identifier, password, accountId } of people) {
    expect(dataOf<{ accountId: string }>(await entered(dropped, identifier, password)).accountId).toBe(accountId)
    expect((await entered(dropped, identifier, `first of ${identifier}`)).status).toBe(401)
  }
})
