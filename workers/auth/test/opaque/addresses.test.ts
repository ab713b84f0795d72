import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { type Exchange, expectRefusal, type Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { REGISTRATION_MAIL } from '../../src/opaque/mail-limits.ts'
import { dataOf, freshGrant, grantOf, post, prober, proberWith, rowsOf } from '../harness.ts'
import { Mailbox, otherThan } from './mailbox.fixture.ts'
import { logIn, register, type Session, signedIn } from './opaque-client.fixture.ts'

const fresh = () => `ada-${crypto.randomUUID().slice(0, 8)}@${crypto.randomUUID().slice(0, 8)}.example`
const confirm = (grant: string, code: string, by: Prober = prober) =>
  post('opaque/register/confirm', { grant, code }, {}, by)
const MAILED = { received: true, confirmBy: 'mail' }

async function registered(box: Mailbox, address: string, password = 'secret'): Promise<string> {
  const grant = await freshGrant()
  expect(dataOf(await register(address, password, { grant, by: box.prober }))).toEqual(MAILED)
  dataOf(await confirm(grant, box.code))
  return grant
}

describe('an address that is new', () => {
  it('is registered once its owner confirms it', async () => {
    const [box, address, grant] = [new Mailbox(), fresh(), await freshGrant()]
    const before = [await rowsOf('accounts'), await rowsOf('opaque_records')]
    expect(dataOf(await register(address, 'secret', { grant, by: box.prober }))).toEqual(MAILED)
    expect([await rowsOf('accounts'), await rowsOf('opaque_records')]).toEqual(before)
    expectRefusal(await logIn(address, 'secret'), 'sign_in_rejected')
    expect(box.kept).toMatchObject([{ to: address, subject: 'Your code to confirm this address' }])
    expect(dataOf(await confirm(grant, box.code))).toEqual({ confirmed: true })
    expect((await logIn(address, 'secret')).status).toBe(200)
    expectRefusal(await confirm(grant, box.code), 'code_unusable')
  })

  it('is not kept, nor the code', async () => {
    const [box, address, grant] = [new Mailbox(), fresh(), await freshGrant()]
    dataOf(await register(address, 'secret', { grant, by: box.prober }))
    const kept = await runInDurableObject(env.CEREMONIES.getByName(grant), (_, { storage }) =>
      JSON.stringify(storage.sql.exec('SELECT * FROM ceremony').toArray()),
    )
    expect(kept).toContain('confirmation')
    expect(kept).not.toContain(address.split('@')[0])
    expect(kept).not.toContain(box.code)
  })

  it('is not registered by the code with another grant, or by a grant that was not for it', async () => {
    const [box, grant] = [new Mailbox(), await freshGrant()]
    dataOf(await register(fresh(), 'secret', { grant, by: box.prober }))
    for (const other of [await freshGrant(), 'A'.repeat(43)]) {
      expectRefusal(await confirm(other, box.code), 'code_unusable')
    }
  })

  it('takes five codes, of twenty at once, and then none', async () => {
    const [box, address, grant] = [new Mailbox(), fresh(), await freshGrant()]
    dataOf(await register(address, 'secret', { grant, by: box.prober }))
    const wrong = otherThan(box.code)
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(grant, wrong)))
    const rejected = answers.filter(({ error }) => error === 'code_rejected')
    const left = rejected.map(({ body }) => (body as { details: { attemptsLeft: number } }).details.attemptsLeft)
    expect(left.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4])
    expect(answers.filter(({ error }) => error === 'code_unusable')).toHaveLength(15)
    expectRefusal(await confirm(grant, box.code), 'code_unusable')
    expectRefusal(await logIn(address, 'secret'), 'sign_in_rejected')
  })

  it('is confirmed once, of twenty at once, and with five attempts at most', async () => {
    const [box, address, grant] = [new Mailbox(), fresh(), await freshGrant()]
    dataOf(await register(address, 'secret', { grant, by: box.prober }))
    const before = await rowsOf('accounts')
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(grant, box.code)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array<number>(19).fill(404)])
    expect(await rowsOf('accounts')).toBe(before + 1)
  })

  it('is registered by one of two that confirm it', async () => {
    const [box, address] = [new Mailbox(), fresh()]
    const grants = [await freshGrant(), await freshGrant()] as const
    const codes: string[] = []
    for (const grant of grants) {
      dataOf(await register(address, grant, { grant, by: box.prober }))
      codes.push(box.code)
    }
    dataOf(await confirm(grants[0], codes[0] ?? ''))
    expectRefusal(await confirm(grants[1], codes[1] ?? ''), 'account_exists')
    expect((await logIn(address, grants[0])).status).toBe(200)
  })
})

describe('an address that has an account', () => {
  it('is answered like a new one, and only its owner is told', async () => {
    const [box, address] = [new Mailbox(), fresh()]
    await registered(box, address)
    const answers: Exchange[] = []
    const grants = [await freshGrant(), await freshGrant()] as const
    for (const [i, identifier] of [address, fresh()].entries()) {
      answers.push(await register(identifier, 'x', { grant: grants[i] ?? '', by: box.prober }))
    }
    const [taken, free] = answers.map(({ status, body, headers }) => ({
      status,
      data: (body as { data: unknown }).data,
      headers: [...headers.keys()],
    }))
    expect(taken).toEqual(free)
    const told = box.kept.at(-2)
    expect(told).toMatchObject({ to: address, subject: 'You have an account already' })
    expect(told?.text).not.toMatch(/\d{6}/)
    for (const grant of grants) {
      const refused = await confirm(grant, otherThan(box.code))
      expectRefusal(refused, 'code_rejected')
      expect(refused.body).toMatchObject({ details: { attemptsLeft: 4 } })
    }
    expect((await logIn(address, 'secret')).status).toBe(200)
    expectRefusal(await logIn(address, 'x'), 'sign_in_rejected')
  })

  it('needs no mail to get another password from its own session', async () => {
    const [box, address] = [new Mailbox(), fresh()]
    await registered(box, address)
    const { token } = dataOf<Session>(await logIn(address, 'secret'))
    const grant = await grantOf(token)
    expect(dataOf(await register(address, 'another', { grant, by: box.prober }))).toEqual({ received: true })
    expect(box.kept).toHaveLength(1)
    expect((await logIn(address, 'another')).status).toBe(200)
  })
})

describe('an account that moves to an address', () => {
  it('moves when the address is confirmed, and keeps its sessions until then', async () => {
    const [box, address, person] = [new Mailbox(), fresh(), await signedIn()]
    const grant = await grantOf(person.token)
    expect(dataOf(await register(address, 'moved', { grant, by: box.prober }))).toEqual(MAILED)
    expect((await logIn(person.identifier, person.password)).status).toBe(200)
    dataOf(await confirm(grant, box.code))
    expectRefusal(await logIn(person.identifier, person.password), 'sign_in_rejected')
    expect(dataOf<Session>(await logIn(address, 'moved')).accountId).toBe(person.accountId)
  })

  it('does not move once its session has ended', async () => {
    const [box, address, person] = [new Mailbox(), fresh(), await signedIn()]
    const grant = await grantOf(person.token)
    dataOf(await register(address, 'moved', { grant, by: box.prober }))
    await prober.send({ method: 'DELETE', path: '/api/auth/session', headers: { 'X-Sign-In-Session': person.token } })
    expectRefusal(await confirm(grant, box.code), 'code_unusable')
    expect((await logIn(person.identifier, person.password)).status).toBe(200)
  })
})

describe('mail about registrations', () => {
  it('is five a day for a mailbox, of twenty at once, whatever the spelling', async () => {
    const [box, name] = [new Mailbox(), crypto.randomUUID().replaceAll('-', '').slice(0, 12)]
    const grants = await Promise.all(Array.from({ length: 20 }, () => freshGrant()))
    const answers = await Promise.all(
      grants.map((grant, i) => register(`${name}+${i}@gmail.com`, 'x', { grant, by: box.prober })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(REGISTRATION_MAIL.mailbox.limit)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(15)
    expect(box.kept).toHaveLength(REGISTRATION_MAIL.mailbox.limit)
  })

  it('is ten an hour for an address of a caller', async () => {
    const [box, address] = [new Mailbox(), '203.0.113.77']
    const grants = await Promise.all(Array.from({ length: 12 }, () => freshGrant()))
    const answers = await Promise.all(grants.map((grant) => register(fresh(), 'x', { grant, by: box.prober, address })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(REGISTRATION_MAIL.caller.limit)
    expect(box.kept).toHaveLength(REGISTRATION_MAIL.caller.limit)
  })

  it('is refused beyond without spending the grant', async () => {
    const [box, name] = [new Mailbox(), crypto.randomUUID().replaceAll('-', '').slice(0, 12)]
    const spellings = [`${name}@gmail.com`, `${name}+tag@gmail.com`, `${name.replace(/^(.)/, '$1.')}@googlemail.com`]
    const send = async (i: number, grant: string) => register(spellings[i % 3] ?? '', 'x', { grant, by: box.prober })
    for (let i = 0; i < REGISTRATION_MAIL.mailbox.limit; i += 1) dataOf(await send(i, await freshGrant()))
    const grant = await freshGrant()
    const { status, body } = await send(5, grant)
    expect({ status, body }).toMatchObject({ status: 429, body: { error: 'Rate limit exceeded', tier: 'mail' } })
    expect(box.kept).toHaveLength(5)
    dataOf(await register(fresh(), 'x', { grant, by: box.prober }))
    expect(box.kept).toHaveLength(6)
  })

  it('that cannot be sent registers nothing, and is not counted', async () => {
    const [box, address] = [new Mailbox(), fresh()]
    box.fails = true
    for (let i = 0; i < REGISTRATION_MAIL.mailbox.limit + 1; i += 1) {
      const refused = await register(address, 'x', { by: box.prober })
      expectRefusal(refused, 'dependency_unavailable')
      expect(JSON.stringify(refused.body)).not.toContain('canary')
    }
    box.fails = false
    await registered(box, address)
  })

  it('is not sent for user names', async () => {
    const box = new Mailbox()
    const name = `name-${crypto.randomUUID().slice(0, 8)}`
    expect(dataOf(await register(name, 'x', { by: box.prober }))).toEqual({ received: true })
    expect(box.kept).toEqual([])
  })

  it.each([
    ['a sender', { MAIL_FROM: '' }],
    ['a binding', { MAIL: undefined }],
  ])('is off without %s: an address is registered unverified', async (_, replaced) => {
    const address = fresh()
    const by = proberWith(replaced)
    expect(dataOf(await register(address, 'x', { by }))).toEqual({ received: true })
    expect((await logIn(address, 'x')).status).toBe(200)
  })
})
