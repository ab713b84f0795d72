import { signStatement } from '@svc/protocol/base/statement'
import { REALM, signerOf, type TestCaller } from '@svc/testing'
import { expect, it } from 'vitest'
import { call, freshCaller, sendWith } from '../harness.ts'
import { interposed, memberOf } from '../rotation/rotation.fixture.ts'

const DEACTIVATE = '/api/chain/deactivate'

function deactivationBy({ identity }: TestCaller) {
  const { did, scope, epoch } = identity
  const issuedAt = Date.now()
  const statement = {
    type: 'svc/did-deactivate/v1' as const,
    realm: REALM,
    did,
    scope,
    epoch,
    inception: null,
    issuedAt,
  }
  return signStatement(statement, signerOf(identity))
}

const isEnded = async ({ client, identity: { did } }: TestCaller) => (await client.chain.root(did)).deactivated

const rounds = Array.from({ length: 20 }, (_, i) => [i, i % 2 === 0 ? 'the root key' : 'a device'] as const)

it.each(rounds)(
  'round %i: of a hold by %s and a deactivation in one instant, the first decides',
  async (round, who) => {
    const caller = await freshCaller()
    const by = who === 'the root key' ? caller : await memberOf(caller)
    const signed = await deactivationBy(caller)
    const hold = () => by.client.security.placeHold().catch((error: unknown) => error)
    const end = () => call(caller, 'POST', DEACTIVATE, signed)
    const isHoldFirst = round % 4 < 2
    const [a, b] = await Promise.all(isHoldFirst ? [hold(), end()] : [end(), hold()])
    const [held, ended] = (isHoldFirst ? [a, b] : [b, a]) as [object, Awaited<ReturnType<typeof end>>]
    const isHeld = 'held' in held && held.held === true
    expect(ended.status).toBe(200)
    expect(ended.body['data']).toMatchObject({ status: isHeld ? 'pending' : 'deactivated' })
    expect(await isEnded(caller)).toBe(!isHeld)
    if (!isHeld) expect(held).toMatchObject({ status: 401 })
  },
)

it('a hold that was placed while the deactivation was verified stops it', async () => {
  const caller = await freshCaller()
  const device = await memberOf(caller)
  const held = sendWith(interposed({ before: { deactivate: () => device.client.security.placeHold() } }))
  expect(await call(caller, 'POST', DEACTIVATE, await deactivationBy(caller), held)).toMatchObject({
    status: 200,
    body: { data: { status: 'pending', deactivatedAt: null } },
  })
  expect(await isEnded(caller)).toBe(false)
})
