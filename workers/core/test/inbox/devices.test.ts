import type { Capability } from '@svc/protocol/base/device'
import { deviceOf, type TestDevice } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { send } from '../harness.ts'
import { freshOwner, type Owner, opened, verify } from './inbox.fixture.ts'

let owner: Owner
beforeAll(async () => {
  owner = await freshOwner()
})

const device = (...capabilities: Capability[]): Promise<TestDevice> =>
  deviceOf(owner.caller, { fetch: send, capabilities })
const forbidden = { status: 403, error: 'capability_required' }

async function delivered(): Promise<string> {
  const { contact, code, envelope } = await opened(owner)
  await verify(contact, code, envelope)
  const { messages } = await owner.caller.client.inbox.list()
  return messages.find(({ requestId }) => requestId === contact.requestId)?.msgId ?? ''
}

describe('a device', () => {
  it('with inbox:read lists messages and marks them as read, and cannot open or delete them', async () => {
    const msgId = await delivered()
    const { client } = await device('inbox:read')
    const { messages } = await client.inbox.list()
    expect(messages.map((message) => message.msgId)).toContain(msgId)
    expect(await client.inbox.read(msgId)).toBeGreaterThan(0)
    await expect(client.inbox.open(messages[0]!)).rejects.toThrow('does not have')
    await expect(client.inbox.delete(msgId)).rejects.toMatchObject(forbidden)
  })

  it('with inbox:delete deletes messages and cannot read them', async () => {
    const msgId = await delivered()
    const { client } = await device('inbox:delete')
    await expect(client.inbox.list()).rejects.toMatchObject(forbidden)
    await expect(client.inbox.read(msgId)).rejects.toMatchObject(forbidden)
    await client.inbox.delete(msgId)
    const { messages } = await owner.caller.client.inbox.list()
    expect(messages.map((message) => message.msgId)).not.toContain(msgId)
  })

  it('of another identity has no access', async () => {
    const other = await freshOwner()
    const theirs = await deviceOf(other.caller, { fetch: send, capabilities: ['inbox:read', 'inbox:delete'] })
    const authorization = await theirs.assertion('chain')
    const headers = { authorization, 'cf-connecting-ip': theirs.address }
    const response = await send(new Request(`https://core.test/api/inbox/${owner.did}`, { headers }))
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: 'owner_mismatch' })
  })
})
