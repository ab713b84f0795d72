import { describe, expect, it } from 'vitest'
import { anonymous, call, freshCaller } from './harness.ts'

const deactivate = (body: unknown) => anonymous('POST', '/api/chain/deactivate', body)

describe('POST /api/chain/deactivate', () => {
  it('ends the identity for good: no assertion of it is accepted again', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const ended = await caller.client.security.deactivate()
    expect(ended).toEqual({ did, deactivatedAt: expect.any(Number) })
    expect(await call(caller, 'GET', '/api/chain/head')).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await caller.client.chain.root(did)).toMatchObject({ did, deactivated: true })
    expect(await caller.client.security.deactivate()).toEqual(ended)
  })

  it('takes a statement that was signed long before, also under a hold', async () => {
    const { client, identity } = await freshCaller()
    const signed = await client.security.makeDeactivation()
    await client.security.placeHold()
    expect(await deactivate(signed)).toMatchObject({ status: 200, body: { data: { did: identity.did } } })
  })

  it('refuses a statement of another key, about another scope, or of an identity that does not exist', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const signed = await bob.client.security.makeDeactivation()
    const { did, scope } = alice.identity
    const forged = { ...signed, statement: { ...signed.statement, did, scope } }
    expect(await deactivate(forged)).toMatchObject({ status: 403, body: { error: 'invalid_signature' } })
    const mixed = { ...signed, statement: { ...signed.statement, did } }
    expect(await deactivate(mixed)).toMatchObject({ status: 403, body: { error: 'owner_mismatch' } })
    const nobody = await (await freshCaller({ genesis: false })).client.security.makeDeactivation()
    expect(await deactivate(nobody)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    expect((await call(alice, 'GET', '/api/chain/head')).status).toBe(200)
  })

  it('against twenty appends leaves nothing after itself', async () => {
    const caller = await freshCaller()
    const blocks = await Promise.all(
      Array.from({ length: 20 }, () => caller.client.chain.makeBlock({ index: '0', hash: 'a'.repeat(96) }, {})),
    )
    const [ended, ...answers] = await Promise.all([
      caller.client.security.deactivate(),
      ...blocks.map((block) => call(caller, 'POST', '/api/chain/append', block)),
    ])
    expect(ended.did).toBe(caller.identity.did)
    expect(answers.every(({ status }) => status === 409 || status === 401)).toBe(true)
    expect((await call(caller, 'GET', '/api/chain/head')).status).toBe(401)
  })
})
