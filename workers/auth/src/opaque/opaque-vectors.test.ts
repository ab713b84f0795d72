import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import vectors from './rfc9807-vectors.json'
import { isFinish } from './rules.ts'
import { server } from './server.fixture.ts'

/** RFC 9807 appendix C, those with ristretto255: C.1.1, C.1.2, and C.2.1 for a user without a record. */
interface Vector {
  readonly config: { readonly Context: string; readonly Fake: string }
  readonly inputs: Record<string, string | undefined>
  readonly outputs: Record<string, string | undefined>
}
const [plain, named, fake] = vectors as unknown as [Vector, Vector, Vector]

const bytes = (text: string | undefined) => {
  if (text === undefined) throw new Error('the vector lacks a value')
  return hexToBytes(text)
}
const keysOf = ({ inputs }: Vector) => ({
  oprfSeed: bytes(inputs['oprf_seed']),
  privateKey: bytes(inputs['server_private_key']),
  publicKey: bytes(inputs['server_public_key']),
})
const partiesOf = ({ config, inputs }: Vector) => ({
  context: bytes(config.Context),
  ...(inputs['client_identity'] === undefined ? {} : { clientIdentity: bytes(inputs['client_identity']) }),
  ...(inputs['server_identity'] === undefined ? {} : { serverIdentity: bytes(inputs['server_identity']) }),
})
const chanceOf = ({ inputs }: Vector) => ({
  maskingNonce: bytes(inputs['masking_nonce']),
  serverNonce: bytes(inputs['server_nonce']),
  keyshareSeed: bytes(inputs['server_keyshare_seed']),
})
const identifierOf = ({ inputs }: Vector) => bytes(inputs['credential_identifier'])

describe.each([
  ['without identities', plain],
  ['with identities', named],
])('the real vector of RFC 9807 %s', (_, vector) => {
  const { outputs } = vector

  it('gives the registration response', () => {
    const answered = server.registrationResponse(
      keysOf(vector),
      identifierOf(vector),
      bytes(outputs['registration_request']),
    )
    expect(answered.ok && bytesToHex(answered.value)).toBe(outputs['registration_response'])
  })

  it('gives KE2 and the session key, and takes KE3', () => {
    const record = server.parseRecord(bytes(outputs['registration_upload']))
    if (!record.ok) throw new Error('no record')
    const answered = server.answerLogin(
      keysOf(vector),
      identifierOf(vector),
      record.value,
      bytes(outputs['KE1']),
      chanceOf(vector),
      partiesOf(vector),
    )
    if (!answered.ok) throw new Error(answered.error.reason)
    expect(bytesToHex(answered.value.ke2)).toBe(outputs['KE2'])
    expect(bytesToHex(answered.value.sessionKey)).toBe(outputs['session_key'])
    expect(bytesToHex(answered.value.expectedClientMac)).toBe(outputs['KE3'])
    expect(isFinish(bytes(outputs['KE3']), answered.value.expectedClientMac)).toBe(true)
  })
})

describe('the fake vector of RFC 9807', () => {
  it('gives KE2 for a user without a record', () => {
    const { inputs, outputs } = fake
    const record = {
      clientPublicKey: bytes(inputs['client_public_key']),
      maskingKey: bytes(inputs['masking_key']),
      envelope: new Uint8Array(96),
    }
    const answered = server.answerLogin(
      keysOf(fake),
      identifierOf(fake),
      record,
      bytes(inputs['KE1']),
      chanceOf(fake),
      partiesOf(fake),
    )
    expect(answered.ok && bytesToHex(answered.value.ke2)).toBe(outputs['KE2'])
  })
})

describe('deriveDiffieHellman', () => {
  it('gives the key pair whose public key stands in KE2', () => {
    const { publicKey } = server.deriveDiffieHellman(chanceOf(plain).keyshareSeed)
    expect(plain.outputs['KE2']).toContain(bytesToHex(publicKey))
  })
})
