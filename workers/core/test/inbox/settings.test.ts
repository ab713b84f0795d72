import { deviceOf } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { CORE, freshCaller, send } from '../harness.ts'
import { ask, freshOwner, Mailbox, type Owner, opened, storedIn, verify } from './inbox.fixture.ts'

const UNKNOWN = `asset:sha3-384:${'0'.repeat(96)}`
const shapeOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => ({
  status,
  body: { ...body, requestId: '', timestamp: 0 },
})

describe('an owner who takes contacts only', () => {
  let owner: Owner
  beforeAll(async () => {
    owner = await freshOwner()
    await owner.caller.client.inbox.acceptFrom('contacts')
  })

  it('answers strangers like an owner who cannot be found, and nothing is mailed', async () => {
    const mailbox = new Mailbox()
    const refused = await ask(owner.assetId, { fetch: mailbox.fetch })
    const unknown = await ask(UNKNOWN, { fetch: mailbox.fetch })
    expect(refused.status).toBe(unknown.status)
    expect(shapeOf(refused)).toEqual(shapeOf(unknown))
    expect([...refused.headers.keys()].toSorted()).toEqual([...unknown.headers.keys()].toSorted())
    expect(mailbox.kept).toEqual([])
  })

  it('reads the setting, changes it, and is as before', async () => {
    expect(await owner.caller.client.inbox.acceptsFrom()).toBe('contacts')
    await owner.caller.client.inbox.acceptFrom('anyone')
    expect(await owner.caller.client.inbox.acceptsFrom()).toBe('anyone')
    expect(await storedIn(owner.did)).toBeNull()
    expect((await ask(owner.assetId, { fetch: new Mailbox().fetch })).status).toBe(200)
  })
})

describe('the setting', () => {
  it('is that of a new inbox by default, and setting that makes nothing', async () => {
    const owner = await freshOwner()
    expect(await owner.caller.client.inbox.acceptsFrom()).toBe('anyone')
    await owner.caller.client.inbox.acceptFrom('anyone')
    expect(await storedIn(owner.did)).toBeNull()
  })

  it('holds for a request whose code was sent before', async () => {
    const owner = await freshOwner()
    const { contact, code, envelope, mailbox } = await opened(owner)
    await owner.caller.client.inbox.acceptFrom('contacts')
    expect((await verify(contact, code, envelope, mailbox.fetch)).status).not.toBe(200)
    expect((await owner.caller.client.inbox.list()).total).toBe(0)
  })

  it('is decided by the last of twenty, with requests in between', async () => {
    const owner = await freshOwner()
    const mailbox = new Mailbox()
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0
          ? owner.caller.client.inbox.acceptFrom(i % 4 === 0 ? 'contacts' : 'anyone')
          : ask(owner.assetId, { fetch: mailbox.fetch }),
      ),
    )
    await owner.caller.client.inbox.acceptFrom('contacts')
    const before = mailbox.kept.length
    await ask(owner.assetId, { fetch: mailbox.fetch })
    expect(mailbox.kept).toHaveLength(before)
  })

  it('is the owner’s alone, and needs the root key', async () => {
    const [owner, stranger] = [await freshOwner(), await freshCaller()]
    const headers = {
      authorization: await stranger.assertion('chain'),
      'cf-connecting-ip': stranger.address,
      'content-type': 'application/json',
    }
    const body = JSON.stringify({ acceptsFrom: 'contacts' })
    const answer = await send(new Request(`${CORE}/api/inbox/${owner.did}/settings`, { method: 'PUT', headers, body }))
    expect([answer.status, (await answer.json<{ error: string }>()).error]).toEqual([403, 'owner_mismatch'])
    const device = await deviceOf(owner.caller, { fetch: send, capabilities: ['inbox:read', 'inbox:delete'] })
    await expect(device.client.inbox.acceptFrom('contacts')).rejects.toMatchObject({ status: 403 })
    expect(await owner.caller.client.inbox.acceptsFrom()).toBe('anyone')
  })
})
