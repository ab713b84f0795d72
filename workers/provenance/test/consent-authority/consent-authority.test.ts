import { env } from 'cloudflare:workers'
import { type ConsentQuestion, consentQuestionHash } from '@svc/protocol/consent/authority'
import { coreAnswering, Prober } from '@svc/service/testing'
import { signerOf } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller, device, send } from '../harness.ts'
import { AUTHORITY, ask, declaring, questionOf } from './consent-authority.fixture.ts'

const root = async () => {
  const { identity } = await caller()
  const { did, publicKeyB64u: key } = identity
  return { identity, did, key, sign: signerOf(identity) }
}
const keysOf = ({ device: keys }: Awaited<ReturnType<typeof device>>) => ({
  key: keys.devicePublicKeyB64u,
  sign: signerOf(keys),
})
const consenting = { capabilities: ['consent:write'] } as const
const yes = (question: ConsentQuestion, signer: object) => ({
  status: 200,
  body: { authorized: true, questionHash: consentQuestionHash(question), signer },
})
const no = (question: ConsentQuestion, reason: string) => ({
  status: 200,
  body: { authorized: false, questionHash: consentQuestionHash(question), reason },
})

describe('the consent authority', () => {
  it('is 404 on the public hostname', async () => {
    const body = JSON.stringify(await questionOf(await root(), declaring((await root()).did)))
    const prober = new Prober({ service, send, base: BASE })
    expect((await prober.send({ method: 'POST', path: AUTHORITY, body })).status).toBe(404)
  })

  it.each([
    ['no secret', { secret: null }],
    ['a wrong secret', { secret: 'internal-secret-of-the-tests-onlx' }],
    ['a sibling that has no business here', { sibling: 'pay' }],
    ['provenance itself', { sibling: 'provenance' }],
    ['an unknown caller', { sibling: 'stranger' }],
    ['no caller', { sibling: null }],
    ['a secret that the deployment does not have', { bindings: { SVC_INTERNAL_SECRET: undefined } }],
  ])('refuses %s', async (_, options) => {
    const by = await root()
    const refused = await ask(await questionOf(by, declaring(by.did)), options)
    expect(refused).toMatchObject({ status: 403, body: { success: false, error: 'forbidden' } })
  })

  it('knows a current root key', async () => {
    const by = await root()
    const question = await questionOf(by, declaring(by.did))
    expect(await ask(question)).toEqual(yes(question, { kind: 'root', epoch: 0 }))
  })

  it('knows an active device that may write consent', async () => {
    const own = await device(consenting)
    const question = await questionOf(keysOf(own), declaring(own.owner.identity.did))
    const signer = { kind: 'device', device_id: own.device.deviceId, epoch: 0 }
    expect(await ask(question)).toEqual(yes(question, signer))
  })

  it('reports a wrong signature first, whatever the owner of the key', async () => {
    const [by, other] = [await root(), await root()]
    const message = declaring(by.did)
    const good = await questionOf(by, message)
    const forged = [
      { ...good, signatureB64u: (await questionOf(other, message)).signatureB64u },
      { ...good, message: { ...message, content_hash: 'another identifier of content' } },
      { ...good, message: { ...message, creator_did: other.did } },
      { ...good, publicKeyB64u: other.key },
    ]
    for (const question of forged) expect(await ask(question)).toEqual(no(question, 'invalid_signature'))
  })

  it('lets no key speak for another identity, nor one that nobody knows', async () => {
    const [by, other] = [await root(), await root()]
    const { identity: unknown } = await caller({ genesis: false })
    const stranger = { key: unknown.publicKeyB64u, sign: signerOf(unknown) }
    for (const key of [other, stranger, keysOf(await device(consenting))]) {
      const question = await questionOf(key, declaring(by.did))
      expect(await ask(question)).toEqual(no(question, 'key_not_entitled'))
    }
    const own = await questionOf(stranger, declaring(unknown.did))
    expect(await ask(own)).toEqual(no(own, 'key_not_entitled'))
  })

  it('lets no device speak that may not, is revoked, suspended or expired', async () => {
    const refused = async (own: Awaited<ReturnType<typeof device>>) => {
      const question = await questionOf(keysOf(own), declaring(own.owner.identity.did))
      expect(await ask(question)).toEqual(no(question, 'key_not_entitled'))
    }
    await refused(await device({ capabilities: ['chain:append'] }))
    await refused(await device({ capabilities: [] }))
    await refused(await device({ ...consenting, attested: false }))
    const revoked = await device(consenting)
    await revoked.owner.client.devices.revoke(revoked.device.deviceId)
    await refused(revoked)
    const suspended = await device(consenting)
    await suspended.owner.client.devices.suspend(suspended.device.deviceId)
    await refused(suspended)
  })

  it('lets nobody speak for an identity that has ended', async () => {
    const by = await caller()
    const own = { key: by.identity.publicKeyB64u, sign: signerOf(by.identity) }
    await by.client.security.deactivate()
    const question = await questionOf(own, declaring(by.identity.did))
    expect(await ask(question)).toEqual(no(question, 'key_not_entitled'))
  })

  it('asks for a device past every cache', async () => {
    const own = await device(consenting)
    const asked: string[] = []
    const CORE = coreAnswering((request) => {
      asked.push(request.url)
      return env.CORE.fetch(request)
    })
    await ask(await questionOf(keysOf(own), declaring(own.owner.identity.did)), { bindings: { CORE } })
    expect(asked).toEqual([
      expect.stringMatching(/^https:\/\/internal\/api\/internal\/key-scope\/[0-9a-f]{96}$/),
      `https://internal/api/internal/device/${own.device.deviceId}?consistency=primary`,
    ])
  })

  it('takes no question but one about consent', async () => {
    const by = await root()
    const good = await questionOf(by, declaring(by.did))
    const { message } = good
    for (const wrong of [
      { ...good, message: 'eyJ9' },
      { ...good, message: { ...message, action: 'delete' } },
      { ...good, message: { content_hash: message.content_hash, action: 'create', creator_did: by.did } },
      { ...good, message: { ...message, creator_did: 'did:web:example.com' } },
      { ...good, message: { ...message, more: 1 } },
      { ...good, signatureB64u: 'AAAA' },
      { ...good, publicKeyB64u: 'AAAA' },
      { message },
    ]) {
      expect((await ask(wrong)).body).toMatchObject({ error: 'invalid_request' })
    }
  })
})
