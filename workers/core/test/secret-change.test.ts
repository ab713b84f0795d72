import { env } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { describe, expect, it } from 'vitest'
import { internalService } from '../src/app.ts'
import { anonymous, freshCaller, sendWith } from './harness.ts'
import { ask, freshEmail, freshOwner, limited, Mailbox, opened, refused, verify } from './inbox/inbox.fixture.ts'
import { FLOWS, freshParty, Meeting, PAIRING } from './rendezvous/meeting.fixture.ts'

const OLD = env.SVC_INTERNAL_SECRET
const NEW = 'the internal secret that comes after'
/** Core as the first Worker with the new secret, and after the change is over. */
const changing: object = { SVC_INTERNAL_SECRET: NEW, SVC_INTERNAL_SECRET_PREVIOUS: OLD }
const changed: object = { SVC_INTERNAL_SECRET: NEW }
/** Core with a second version of the seed of codes, and once the first one is gone. */
const CHANGING_SEED: object = { CODES_SEED_2: '2c'.repeat(32) }
const CHANGED_SEED: object = { CODES_SEED: '', CODES_SEED_2: '2c'.repeat(32) }

async function keyScope(userId: string, secret: string, bindings: object): Promise<number> {
  const context = { props: { caller: 'did' }, waitUntil: () => {}, passThroughOnException: () => {} }
  const request = new Request(`https://internal/api/internal/key-scope/${userId}`, {
    headers: { [INTERNAL_HEADER]: secret },
  })
  return (await internalService.app.fetch(request, { ...env, ...bindings }, context)).status
}

describe('while the internal secret is being changed', () => {
  it('core accepts calls with either, and afterwards only with the new one', async () => {
    const { identity } = await freshCaller()
    const answers = (secret: string, bindings: object) => keyScope(identity.userId, secret, bindings)
    expect([await answers(OLD, {}), await answers(NEW, {})]).toEqual([200, 403])
    expect([await answers(OLD, changing), await answers(NEW, changing)]).toEqual([200, 200])
    expect([await answers(OLD, changed), await answers(NEW, changed)]).toEqual([403, 200])
  })

  it('a secret that is too short is a fault of the configuration and opens nothing', async () => {
    const { identity } = await freshCaller()
    const short = { ...changing, SVC_INTERNAL_SECRET_PREVIOUS: 'short' }
    expect(await keyScope(identity.userId, 'short', short)).toBe(500)
    expect((await anonymous('GET', '/health')).status).toBe(200)
  })

  it('what was issued before goes on, because nothing is derived from it', async () => {
    const meeting = await Meeting.open(PAIRING, await freshParty())
    expect((await meeting.decline(meeting.offer.token, sendWith(changed))).status).toBe(200)
    const { contact, code, envelope } = await opened(await freshOwner())
    const { fetch } = new Mailbox(changed)
    expect((await verify(contact, code, envelope, fetch)).status).toBe(200)
  })
})

describe('while the seed of codes is being changed', () => {
  it.each(FLOWS)('an open offer of $name goes on', async (flow) => {
    const meeting = await Meeting.open(flow, await freshParty())
    expect((await meeting.decline(meeting.offer.token, sendWith(CHANGED_SEED))).status).toBe(404)
    expect((await meeting.decline(meeting.offer.token, sendWith(CHANGING_SEED))).status).toBe(200)
  })

  it('a contact request whose code was mailed before can be verified', async () => {
    const { contact, code, envelope } = await opened(await freshOwner())
    const { fetch: over } = new Mailbox(CHANGED_SEED)
    expect(await verify(contact, code, envelope, over)).toMatchObject(refused(404, 'code_unusable'))
    const { fetch } = new Mailbox(CHANGING_SEED)
    expect((await verify(contact, code, envelope, fetch)).status).toBe(200)
  })

  it('an address that has had its ten mails of the day gets no more', async () => {
    const fromEmail = freshEmail()
    const { assetId } = await freshOwner()
    const { fetch: before } = new Mailbox()
    for (let sent = 0; sent < 10; sent += 1) expect((await ask(assetId, { fromEmail, fetch: before })).status).toBe(200)
    const { fetch } = new Mailbox(CHANGING_SEED)
    expect(await ask(assetId, { fromEmail, fetch })).toMatchObject(limited)
    // What the new seed counted for the refused one was taken back: with it alone there is room for ten.
    const later = new Mailbox(CHANGED_SEED)
    expect((await ask(assetId, { fromEmail, fetch: later.fetch })).status).toBe(200)
  })
})
