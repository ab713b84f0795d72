import { expectRefusal } from '@svc/service/testing'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { dataOf, freshGrant, post } from '../harness.ts'
import {
  Authenticator,
  creationOptions,
  type Faults,
  registerBy,
  requestOptions,
  signInBy,
  verifyCreation,
  verifyRequest,
  withLastBitFlipped,
} from './authenticator.fixture.ts'

const OTHER = 'B'.repeat(42).concat('A')
/** What is wrong in either ceremony, and how the log says it. */
const FAULTS: [string, string, Faults][] = [
  ['another challenge', 'challenge', { challenge: OTHER }],
  ['no challenge', 'challenge', { challenge: '' }],
  ['another origin', 'origin', { origin: 'https://evil.example' }],
  ['an origin that begins like ours', 'origin', { origin: 'http://localhost:3000.evil.example' }],
  ['our origin with a path', 'origin', { origin: 'http://localhost:3000/' }],
  ['another relying party', 'rp_id', { rpId: 'evil.example' }],
  ['the origin for a relying party', 'rp_id', { rpId: 'http://localhost:3000' }],
  ['another type', 'type', { type: 'payment.get' }],
  ['nobody verified', 'verification', { flags: 0x01 }],
  ['nobody there', 'presence', { flags: 0x04 }],
  ['a backup of what cannot be backed up', 'backup_flags', { flags: 0x15 }],
  ['a frame in a page of another origin', 'framed', { page: { crossOrigin: true } }],
  ['such a frame and its page', 'framed', { page: { crossOrigin: true, topOrigin: 'https://evil.example' } }],
]

/** The reasons in the lines of refused requests, and that the lines have nothing of what was sent. */
async function reasonsOf(refused: () => Promise<unknown>): Promise<string[]> {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await refused()
  const lines = log.mock.calls.map(([line]) => String(line))
  log.mockRestore()
  for (const line of lines) expect(line).not.toMatch(/evil|localhost|payment/)
  return lines.flatMap((line) => (JSON.parse(line) as { reason?: string }).reason ?? [])
}

describe('a registration', () => {
  it.each([...FAULTS, ['the type of a sign-in', 'type', { type: 'webauthn.get' }]] as typeof FAULTS)(
    'with %s is refused, logged as %s, and spends its grant',
    async (_, code, faults) => {
      const begun = await creationOptions(await freshGrant())
      const authenticator = await Authenticator.create()
      const response = await authenticator.create(begun, faults)
      const refused = async () => expectRefusal(await verifyCreation(begun, response), 'passkey_rejected')
      expect(await reasonsOf(refused)).toEqual([`passkey: ${code}`])
      expectRefusal(await verifyCreation(begun, await authenticator.create(begun)), 'code_unusable')
      expectRefusal(await signInBy(authenticator), 'sign_in_rejected')
    },
  )

  it.each([-48, -49, -35, -37, -65_535, -47])('with a key of algorithm %d is refused', async (alg) => {
    const begun = await creationOptions(await freshGrant())
    const response = await (await Authenticator.create()).create(begun, { alg })
    const refused = async () => expectRefusal(await verifyCreation(begun, response), 'passkey_rejected')
    expect(await reasonsOf(refused)).toEqual(['passkey: algorithm'])
  })

  it('with results of PRF is refused before anything looks at it', async () => {
    const begun = await creationOptions(await freshGrant())
    const authenticator = await Authenticator.create()
    const prf = { enabled: true, results: { first: 'AAAA' } }
    const response = await authenticator.create(begun, { members: { clientExtensionResults: { prf } } })
    expectRefusal(await verifyCreation(begun, response), 'invalid_request')
    expect((await verifyCreation(begun, await authenticator.create(begun))).status).toBe(200)
  })

  it('with results of extensions that nobody asked for is taken', async () => {
    const begun = await creationOptions(await freshGrant())
    const clientExtensionResults = {
      prf: { enabled: true },
      credProps: { rk: true, authenticatorDisplayName: 'Key' },
      appid: false,
      hmacCreateSecret: true,
      largeBlob: { supported: true },
      uvm: [[2, 4, 2]],
    }
    const authenticator = await Authenticator.create()
    const response = await authenticator.create(begun, { members: { clientExtensionResults } })
    expect((await verifyCreation(begun, response)).status).toBe(200)
    expect((await signInBy(authenticator)).status).toBe(200)
  })

  it('of a registered credential is refused, whichever account has it', async () => {
    const authenticator = await Authenticator.create()
    dataOf(await registerBy(authenticator))
    expectRefusal(await registerBy(authenticator), 'passkey_exists')
    expect((await signInBy(authenticator)).status).toBe(401)
  })

  it('without options, or with a made-up grant, is refused', async () => {
    const grant = await freshGrant()
    const begun = { ceremonyId: grant, options: { challenge: OTHER } }
    const response = await (await Authenticator.create()).create(begun)
    expectRefusal(await verifyCreation(begun, response), 'code_unusable')
    for (const made of [OTHER, 'A'.repeat(43)]) {
      expectRefusal(await post('passkey/register', { step: 'options', grant: made, name: 'x' }), 'code_unusable')
      expectRefusal(await verifyCreation({ ...begun, ceremonyId: made }, response), 'code_unusable')
    }
  })
})

describe('a sign-in', () => {
  let authenticator: Authenticator
  beforeAll(async () => {
    authenticator = await Authenticator.create(-7, 0)
    dataOf(await registerBy(authenticator))
  })

  it.each([
    ...FAULTS,
    ['the type of a registration', 'type', { type: 'webauthn.create' }],
    ['another person’s handle', 'handle', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ['no handle', 'handle', { userHandle: null }],
    ['a broken signature', 'signature', { signature: withLastBitFlipped }],
    ['a signature that is not DER', 'unreadable', { signature: () => new Uint8Array(64) }],
    ['no signature', 'unreadable', { signature: () => new Uint8Array() }],
  ] as typeof FAULTS)('with %s is refused, logged as %s, and spends its ceremony', async (_, code, faults) => {
    const begun = await requestOptions()
    const response = await authenticator.get(begun, faults)
    const refused = async () => expectRefusal(await verifyRequest(begun, response), 'sign_in_rejected')
    expect(await reasonsOf(refused)).toEqual([`passkey: ${code}`])
    expectRefusal(await verifyRequest(begun, await authenticator.get(begun)), 'sign_in_rejected')
  })

  it('whose answer leaves the handle out is refused', async () => {
    const begun = await requestOptions()
    const answer = await authenticator.get(begun)
    const { userHandle: _, ...response } = answer.response
    expectRefusal(await verifyRequest(begun, { ...answer, response }), 'sign_in_rejected')
  })

  it('by a credential that nobody registered is refused like any other', async () => {
    const refused = await signInBy(await Authenticator.create())
    expectRefusal(refused, 'sign_in_rejected')
    const wrong = await signInBy(authenticator, { origin: 'https://evil.example' })
    expect({ ...(refused.body as object), timestamp: 0 }).toEqual({ ...(wrong.body as object), timestamp: 0 })
  })

  it('by the ceremony of a registration is refused', async () => {
    const begun = await creationOptions(await freshGrant())
    expectRefusal(await verifyRequest(begun, await authenticator.get(begun)), 'sign_in_rejected')
  })

  it.each([
    ['an unknown step', { step: 'finish' }],
    ['no step', {}],
    ['a ceremony beside options', { step: 'options', ceremonyId: OTHER }],
    ['no response', { step: 'verify', ceremonyId: OTHER }],
  ])('with %s is refused by its form', async (_, body) => {
    expectRefusal(await post('passkey/authenticate', body), 'invalid_request')
    expectRefusal(await post('passkey/register', body), 'invalid_request')
  })
})
