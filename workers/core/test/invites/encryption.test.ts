import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  GOOD,
  headingIn,
  inviteRead,
  listedAs,
  Office,
  openPage,
  requested,
  storedFor,
  submit,
} from './invites.fixture.ts'

afterEach(() => vi.useRealTimers())

const OLD = env.INVITE_SEED
const NEW = '2b'.repeat(32)
const CHANGING = { INVITE_SEED: NEW, INVITE_SEED_PREVIOUS: OLD }
const CHANGED = { INVITE_SEED: NEW }
const MINUTE = 60_000

const down = () => {
  throw new Error('the mail server is down')
}
const rowOf = (id: string) => env.DB.prepare('SELECT * FROM invite_requests WHERE id = ?').bind(id).first()
const countOf = () => env.DB.prepare('SELECT count(*) AS n FROM invite_requests').first<number>('n')
const UNREADABLE = { email: null, name: null, reason: null }

describe('what a person wrote', () => {
  it('is in no row in clear, open or decided', async () => {
    const office = new Office()
    const { id, email } = await requested()
    const seen = [await rowOf(id)]
    office.deliver = down
    await office.act('approve', id)
    seen.push(await rowOf(id))
    expect(seen[1]).toMatchObject({ decision: 'approved', sealed_code: expect.any(String) as unknown })
    for (const text of [email, 'example.org', GOOD.name, 'Lovelace', 'engine']) {
      expect(JSON.stringify(seen)).not.toContain(text)
    }
  })

  it('is encrypted differently each time, and named by a keyed hash', async () => {
    const [a, b] = [await rowOf((await requested()).id), await rowOf((await requested()).id)]
    const ivOf = (row: typeof a) => String(row?.['sealed']).slice(17, 33)
    expect(ivOf(a)).not.toBe(ivOf(b))
    expect(a?.['address_hash']).toMatch(/^[0-9a-f]{64}$/)
    expect(a?.['address_hash']).not.toBe(b?.['address_hash'])
  })

  it('takes at most 18 kB, whatever is written', async () => {
    const email = 'long@example.org'
    // Six bytes each in JSON, the most that a character can take.
    const page = await submit({
      ...GOOD,
      email,
      name: `n${'\u0001'.repeat(198)}n`,
      reason: `r${'\u0001'.repeat(1_998)}r`,
    })
    expect(page.status).toBe(200)
    const longest = env.DB.prepare('SELECT max(length(sealed)) AS n FROM invite_requests')
    expect(await longest.first<number>('n')).toBeGreaterThan(17_000)
    expect(await longest.first<number>('n')).toBeLessThan(18_000)
  })

  it('cannot be moved to another row, or changed', async () => {
    const [a, b] = [await requested(), await requested()]
    const sealed = String((await rowOf(a.id))?.['sealed'])
    const put = (text: string) =>
      env.DB.prepare('UPDATE invite_requests SET sealed = ? WHERE id = ?').bind(text, b.id).run()
    const changed = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`
    for (const text of [sealed, changed, 'no envelope', '']) {
      await put(text)
      expect(await listedAs(b.id)).toMatchObject({ state: 'open', ...UNREADABLE })
    }
  })
})

describe('while the seed is being changed', () => {
  it('what was written under the old one can be read, and its mailbox cannot ask twice', async () => {
    const { id, email } = await requested()
    const [over, count] = [new Office().over(CHANGING), await countOf()]
    expect(await listedAs(id, over)).toMatchObject({ email, name: GOOD.name })
    expect(headingIn(await submit({ ...GOOD, email, reason: 'again' }, { fetch: over }))).toBe(
      'Your request was received',
    )
    expect(await countOf()).toBe(count)
  })

  it('the sweep encrypts everything anew, so that the old one is not needed any more', async () => {
    const office = new Office()
    const [open, interrupted] = [await requested(), await requested()]
    office.deliver = down
    await office.act('approve', interrupted.id)
    // Mail is still down: the code stays, under the new seed.
    await office.sweep(Date.now() + MINUTE, CHANGING)
    const over = office.over(CHANGED)
    expect(await listedAs(open.id, over)).toMatchObject({ email: open.email, name: GOOD.name, reason: GOOD.reason })
    expect(await listedAs(open.id)).toMatchObject(UNREADABLE)
    await submit({ ...GOOD, email: open.email, reason: 'again' }, { fetch: over })
    expect(await listedAs(open.id, over)).toMatchObject({ reason: GOOD.reason })
    office.deliver = (keep) => keep()
    await office.sweep(Date.now() + 3 * MINUTE, CHANGED)
    expect(office.codesTo(interrupted.email)).toHaveLength(1)
    expect(await listedAs(interrupted.id, over)).toMatchObject({ state: 'approved', email: interrupted.email })
    // Back, so that the other tests of this file can read what they wrote.
    await office.sweep(Date.now() + 5 * MINUTE, { INVITE_SEED: OLD, INVITE_SEED_PREVIOUS: NEW })
    expect(await storedFor(open.email)).toHaveLength(1)
  })
})

describe('without the seed that something was encrypted under', () => {
  it('a request is listed without the person, and can only be declined quietly or forgotten', async () => {
    const office = new Office()
    const { id } = await requested()
    expect(await listedAs(id, office.over(CHANGED))).toMatchObject({ id, state: 'open', ...UNREADABLE })
    const unreadable = { status: 409, body: { error: 'invite_unreadable' } }
    expect(await office.act('approve', id, {}, CHANGED)).toMatchObject(unreadable)
    expect(await office.act('decline', id, { mail: true }, CHANGED)).toMatchObject(unreadable)
    expect(await listedAs(id, office.over(CHANGED))).toMatchObject({ state: 'open' })
    expect((await office.act('decline', id, {}, CHANGED)).status).toBe(200)
    expect((await office.act('forget', id, {}, CHANGED)).status).toBe(200)
    expect(office.kept).toEqual([])
  })

  it('an approval that was interrupted mails nothing', async () => {
    const office = new Office()
    const { id } = await requested()
    office.deliver = down
    await office.act('approve', id)
    office.deliver = (keep) => keep()
    expect(await office.act('approve', id, {}, CHANGED)).toMatchObject({ body: { error: 'invite_unreadable' } })
    expect(office.kept).toEqual([])
    expect((await office.act('approve', id)).status).toBe(200)
    expect(office.kept).toHaveLength(1)
  })
})

describe('a deployment without a seed', () => {
  it.each([
    ['none', { INVITE_SEED: undefined }],
    ['only a previous one', { INVITE_SEED: undefined, INVITE_SEED_PREVIOUS: OLD }],
  ])('takes no requests and decides none: %s', async (_, seeds) => {
    const office = new Office()
    const { id } = await requested()
    const over = office.over(seeds)
    const page = await submit({ ...GOOD, email: 'seedless@example.org' }, { fetch: over })
    expect(page.status).toBe(503)
    expect(await storedFor('seedless@example.org')).toEqual([])
    expect((await inviteRead(0, undefined, over)).status).toBe(503)
    expect((await office.act('approve', id, {}, seeds)).status).toBe(503)
    await office.sweep(Date.now() + MINUTE, seeds)
    expect((await openPage(over)).status).toBe(200)
  })

  it('is misconfigured with a seed of another form', async () => {
    const over = new Office().over({ INVITE_SEED: 'short' })
    expect((await submit({ ...GOOD, email: 'short@example.org' }, { fetch: over })).status).toBe(500)
  })
})
