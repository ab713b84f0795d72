import { env } from 'cloudflare:workers'
import type { Capability } from '@svc/protocol/base/device'
import { deviceOf, type TestCaller, type TestDevice } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { freshCaller, send, sendWith } from '../harness.ts'
import { rotated } from '../rotation/rotation.fixture.ts'
import { ask, attach, freshCiphertext, noteBy, post, stored, vaultPath } from './notes.fixture.ts'

const HASH = 'a'.repeat(96)
const ROUTES = [
  ['POST', ''],
  ['GET', ''],
  ['GET', '/export'],
  ['GET', '/storage'],
  ['GET', '/n1'],
  ['DELETE', '/n1'],
  ['GET', '/n1/versions'],
  ['GET', '/n1/versions/1'],
  ['GET', '/n1/attachments/a1'],
  ['PUT', `/n1/attachments/a1?cipherHash=${HASH}`],
  ['GET', '/cas/refs'],
  ['GET', `/cas/${HASH}`],
  ['HEAD', `/cas/${HASH}`],
] as const

let owner: TestCaller
let stranger: TestCaller
beforeAll(async () => {
  ;[owner, stranger] = await Promise.all([freshCaller(), freshCaller()])
  const { statement } = await stored(owner, { noteId: 'n1' })
  await attach(owner, statement.header.noteId, 'a1', freshCiphertext())
})

const untouchable = {
  getByName: () => {
    throw new Error('storage was accessed')
  },
}

describe.each(ROUTES)('%s /api/notes/{did}%s', (method, rest) => {
  const isHead = method === 'HEAD'
  const refusedWith = (status: number, error: string) => ({ status, ...(isHead ? {} : { error }) })
  const broken = { json: method === 'POST' ? '{' : undefined, fetch: sendWith({ NOTE_VAULTS: untouchable }) }

  it('returns 401 without a credential', async () => {
    expect(await ask(null, method, vaultPath(owner, rest), broken)).toMatchObject(refusedWith(401, 'unauthorized'))
  })

  it('returns 403 for another audience, before any storage access', async () => {
    const fetch = sendWith({ NOTE_VAULTS: untouchable, IDENTITIES: untouchable, CACHE: null })
    const refused = await ask(owner, method, vaultPath(owner, rest), { ...broken, aud: 'chain', fetch })
    expect(refused).toMatchObject(refusedWith(403, 'wrong_audience'))
  })

  it('returns 403 to anyone but the owner, before body, parameters and vault are checked', async () => {
    const refused = await ask(stranger, method, vaultPath(owner, rest), broken)
    expect(refused).toMatchObject(refusedWith(403, 'owner_mismatch'))
    const malformed = vaultPath(owner, rest).replace('did:svc:', 'did:svc:!')
    expect(await ask(stranger, method, malformed, broken)).toMatchObject(refusedWith(403, 'owner_mismatch'))
  })

  it('returns 401 for a spent assertion', async () => {
    const nonce = crypto.randomUUID()
    await ask(owner, 'GET', vaultPath(owner), { claims: { nonce } })
    const replayed = await ask(owner, method, vaultPath(owner, rest), { ...broken, claims: { nonce } })
    expect(replayed).toMatchObject(refusedWith(401, 'unauthorized'))
  })
})

it('the owner’s DID is also accepted percent-encoded', async () => {
  const path = vaultPath(owner).replaceAll(':', '%3A')
  expect((await ask(owner, 'GET', path)).status).toBe(200)
  expect(await ask(stranger, 'GET', path)).toMatchObject({ status: 403, error: 'owner_mismatch' })
})

it('other methods get the list of allowed ones', async () => {
  for (const [method, rest, allow] of [
    ['PUT', '', 'GET'],
    ['POST', '/n1', 'DELETE'],
    ['DELETE', '/n1/attachments/a1', 'PUT'],
    ['GET', '/cas/gc/x', null],
    ['DELETE', `/cas/${HASH}`, 'GET'],
  ] as const) {
    const answer = await ask(owner, method, vaultPath(owner, rest))
    expect(answer.status).toBe(allow === null ? 404 : 405)
    expect(answer.headers.get('allow') ?? '').toContain(allow ?? '')
  }
})

describe('a device', () => {
  const may = (capability: Capability | null, method: string) =>
    (method === 'GET' || method === 'HEAD') === (capability === 'notes:read') &&
    (method === 'POST' || method === 'PUT') === (capability === 'notes:write') &&
    (method === 'DELETE') === (capability === 'notes:delete')

  it.each([['notes:read'], ['notes:write'], ['notes:delete'], [null]] as const)(
    'with %s is let through where that is enough, and nowhere else',
    async (capability) => {
      const device = await deviceOf(owner, { fetch: send, capabilities: capability ? [capability] : ['chain:read'] })
      for (const [method, rest] of ROUTES) {
        const path = vaultPath(owner, method === 'DELETE' ? '/never-there' : rest)
        const answer = await ask(device, method, path)
        if (may(capability, method)) expect([200, 400, 404]).toContain(answer.status)
        else
          expect(answer).toMatchObject({ status: 403, ...(method === 'HEAD' ? {} : { error: 'capability_required' }) })
      }
    },
  )

  it('can write only under its own key and name', async () => {
    const author = await freshCaller()
    const [device, sibling]: TestDevice[] = await Promise.all(
      [1, 2].map(() => deviceOf(author, { fetch: send, capabilities: ['notes:write', 'notes:read'] })),
    )
    if (!device || !sibling) throw new Error('no devices')
    const written = await noteBy(device)
    expect((await post(device, written)).status).toBe(200)
    const read = await ask(author, 'GET', vaultPath(author, `/${written.statement.header.noteId}`))
    expect(read.data['statement']).toEqual(written.statement)
    for (const record of [
      await noteBy(author),
      await noteBy(sibling),
      await noteBy(device, { header: { deviceId: sibling.device.deviceId } }),
      await noteBy(device, { header: { deviceId: 'root' } }),
    ]) {
      expect(await post(device, record)).toMatchObject({ status: 403, error: 'not_eligible' })
    }
    expect(await post(author, await noteBy(device))).toMatchObject({ status: 403, error: 'not_eligible' })
  })

  it('of another identity is rejected', async () => {
    const device = await deviceOf(stranger, { fetch: send, capabilities: ['notes:read', 'notes:write'] })
    expect(await ask(device, 'GET', vaultPath(owner))).toMatchObject({ status: 403, error: 'owner_mismatch' })
    expect(await post(device, await noteBy(device))).toMatchObject({ status: 200 })
  })

  it('is rejected once it is revoked', async () => {
    const author = await freshCaller()
    const device = await deviceOf(author, { fetch: send, capabilities: ['notes:write'] })
    await author.client.devices.revoke(device.device.deviceId)
    expect(await post(device, await noteBy(device))).toMatchObject({ status: 401, error: 'unauthorized' })
  })
})

describe('a root key', () => {
  it('that was rotated in has the vault, and the previous one loses access', async () => {
    const former = await freshCaller()
    const first = await stored(former)
    const { noteId } = first.statement.header
    const pending = await noteBy(former, { noteId, operation: 'update' })
    const { next } = await rotated(former)
    expect(vaultPath(next)).toBe(vaultPath(former))
    const { data } = await ask(next, 'GET', vaultPath(next, `/${noteId}`))
    expect(data).toMatchObject({ version: 1, statement: { keyId: former.identity.userId } })
    expect(await post(former, pending)).toMatchObject({ status: 401, error: 'unauthorized' })
    expect(await ask(former, 'GET', vaultPath(former))).toMatchObject({ status: 401, error: 'unauthorized' })
    expect(await post(next, pending)).toMatchObject({ status: 403, error: 'owner_mismatch' })
    const update = await noteBy(next, { noteId, operation: 'update' })
    expect((await post(next, update)).data).toMatchObject({ version: 2 })
  })

  it('of a deactivated identity can neither read nor write', async () => {
    const ended = await freshCaller()
    const { statement } = await stored(ended)
    await ended.client.security.deactivate()
    expect(await post(ended, await noteBy(ended))).toMatchObject({ status: 401, error: 'unauthorized' })
    const path = vaultPath(ended, `/${statement.header.noteId}`)
    expect(await ask(ended, 'GET', path)).toMatchObject({ status: 401, error: 'unauthorized' })
    expect(await ask(ended, 'DELETE', path)).toMatchObject({ status: 401, error: 'unauthorized' })
  })

  it('without an identity is rejected and creates no vault', async () => {
    const nobody = await freshCaller({ genesis: false })
    const asked: string[] = []
    const getByName = (name: string) => {
      asked.push(name)
      return env.NOTE_VAULTS.getByName(name)
    }
    const fetch = sendWith({ NOTE_VAULTS: { getByName } })
    expect(await post(nobody, await noteBy(nobody), { fetch })).toMatchObject({ status: 401, error: 'unauthorized' })
    expect(asked).toEqual([])
  })
})
