import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { hybridCiphertextOf, type KeyPurpose, kemKeyId } from '@svc/protocol/base/key-agreement'
import { type ContactMessage, contactEnvelopeSchema } from '@svc/protocol/inbox/inbox'
import { describe, expect, it } from 'vitest'
import { derivedKey } from '../identity/derived-key.ts'
import { Identity } from '../identity/identity.ts'
import { type HybridEnvelope, openContact, sealContact } from './contact-sealing.ts'

const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const owner = await identityOf(1)
const stranger = await identityOf(2)
const assetId = `asset:sha3-384:${'a7'.repeat(48)}`
const context = { requestId: encodeBase64url(new Uint8Array(60)), assetId, kemKeyId: kemKeyId(owner.kemPublicKeyB64u) }
const message: ContactMessage = { name: 'Ada', email: 'a@example.org', subject: 'Hi', message: 'Hello', assetId }
const sealed = await sealContact(message, owner, context)
/** Node's own HKDF with SHA3-384 and AES-256-GCM made it, from a secret of 0 to 31 and a ciphertext of multiples of 3. */
const THEIRS = [
  '6g-3i0Bqwv1BYEBduZblqXgytk4pHRLXxssrRkCHhARTTXoIR2VeRKy5wTDbK54on3hz0AUoUt1Jitu7rAOPmQFG7FkWK1_R3uC3',
  'EODU1iMK6JjOhL9o3iusfRceakz7mg3Ma7MUikUgfb-mz3-ZQnAfSKdhfLnDf61o1LU0uESmJHumQWmwh0LX9E_xlp6rQCnJk6HZ',
  'F5iEDMbnDHThIAPDXZHjnu1wVlxeU8CJ25XUKMpy_CBe6L6sAxhA_VYKPQhh3WmotFZpPDDpc_l28GRsjZAZq4N-gnAI0IwF_8hi',
  'RCvev5hjT5U2IYrq7rw9R26_nM23MXdKCqchy_2Hp8hgBeURD2sxzuTTfff03uWtL9VsFssKsEARwLhLkDq5wml0v4TfB8yDupxy',
  'Z5YGAiha6SbW_uif5TrRwekHdcdrf8Q2ECYhZ6l0cX6_5VGRMJfK0uUFcf0zGNmX9GQ_TyOuXOIuBMjGzNcIqp3bO78eR85xQf2l',
  'eiofXGzx3li4PaU_Rp3kQPGPr06S_07wrFylbj7blobO2vuqtz2brnFgPTXOCmu2XZgkIuLgEFmv8DWAXs_Dq43ACAqcZQIuJX-Y',
  '97zFgX98ZSCuYKaHfsZHuxXXrxk0Y6fi9ehvdbFvs8xEkuDA2uAbq9YBvS1GOf1SD_Jz8XCPv8141iTWKGW1QVATI2fxlWTZ_86g',
  'RXzre-etAhaqwL-VFylSYtPZWJFqHVS_dArfPHwqYYYwCwINWVnV4UvoqVL42b22HUtxTVGJMsUr41Ylc1uyowgyeQvsgz4nzo3a',
  'UHrydhmXpE5HD8iYjBJ8BP7l3umdfw7cYNxAMstTrIfsU2OSVbpW35Bnz3fb1Bp5oEmMiyaYcxE0vLVqKXgOJYb0gNPp-97ZWaLU',
  '6HMN1XtwRimJ86fTmoG9yxDp5yjLpaaDuPAWAcBg1nmE4xqnc6WYdjs_oHxfaff3Iq0y8kkat-9ob69XdMXeB0d9cznsCKwFZjht',
  'J4MlGr_v5eIiv0nGbcvMxupwOvCzLBmmsc3YFxDQWhC-Oi5_nprbSElZJyYxPD2dsA04xuV_vM8XFvy6E8hqjlQKt1Rw8NsU7WLv',
  'IPLS1F6uLuQIsvDpZ4yaBnokQvPAILyoZab8b-jnKd3-g9hNEhic_HLKbqJqBY4CUJ6cet7RS8Q7qeJPyJpsBVglzCbMuKtHZKu6',
  'nk9kb8VR55C6awYTiJ8TU3YEwzLY3PeTj5zzRgxAsP37vqexeqbnRcz_kBu7wLaw21sHDsSwVyBTpo5ilfEa27qL8x0TXF9ecXFY',
  'VDn7ybaFeOw5NHihKemY1XrsJ_k1guIWUKLI3r8BaN2pBKmoZVmjzsbH-zlVguQ9YVveBAGgfMX3EIx-4HQqAT8',
].join('')
const REFUSED = 'The message was encrypted for another key or request, or it was modified'

function flipped(text: string, position: number): string {
  const bytes = bytesOf(text).slice()
  bytes.set([(bytes.at(position) ?? 0) ^ 1], position < 0 ? bytes.length + position : position)
  return encodeBase64url(bytes)
}

describe('a sealed message', () => {
  it('is opened by the owner, and has the length of a bucket', async () => {
    expect(await openContact(sealed, owner, context)).toEqual(message)
    expect(contactEnvelopeSchema.safeParse(sealed).success).toBe(true)
    expect(bytesOf(sealed.ciphertextB64u)).toHaveLength(1040)
  })

  it('is another text each time', async () => {
    const again = await sealContact(message, owner, context)
    for (const member of ['kemCiphertextB64u', 'ephemeralB64u', 'nonceB64u', 'ciphertextB64u'] as const) {
      expect(again[member]).not.toBe(sealed[member])
    }
  })

  it('is not opened by anybody else', async () => {
    await expect(openContact(sealed, stranger, context)).rejects.toThrow(REFUSED)
  })

  it.each([
    ['request', { requestId: encodeBase64url(new Uint8Array(60).fill(1)) }],
    ['asset', { assetId: `asset:sha3-384:${'b7'.repeat(48)}` }],
    ['key', { kemKeyId: kemKeyId(stranger.kemPublicKeyB64u) }],
  ])('is not opened for another %s', async (_, changed) => {
    await expect(openContact(sealed, owner, { ...context, ...changed })).rejects.toThrow(REFUSED)
  })

  it.each<[keyof HybridEnvelope, number]>([
    ['kemCiphertextB64u', 0],
    ['kemCiphertextB64u', -1],
    ['ephemeralB64u', 0],
    ['nonceB64u', 0],
    ['ciphertextB64u', 0],
    ['ciphertextB64u', 600],
    ['ciphertextB64u', -1],
  ])('is not opened with a bit of %s changed at %i', async (member, position) => {
    const changed = { ...sealed, [member]: flipped(sealed[member], position) }
    await expect(openContact(changed, owner, context)).rejects.toThrow(REFUSED)
  })

  it('is not opened as one of ML-KEM-768 alone', async () => {
    const { ephemeralB64u: _, ...stripped } = sealed
    await expect(openContact(stripped, owner, context)).rejects.toThrow(REFUSED)
  })

  it('that speaks of another asset inside is not believed', async () => {
    const lying = { ...message, assetId: `asset:sha3-384:${'b7'.repeat(48)}` }
    const envelope = await sealContact(lying, owner, context)
    await expect(openContact(envelope, owner, context)).rejects.toThrow('a different asset')
  })

  it('is not made above the largest bucket', async () => {
    const long = { ...message, message: 'x'.repeat(65_536) }
    await expect(sealContact(long, owner, context)).rejects.toThrow(RangeError)
  })

  it('is what another implementation of the page seals', async () => {
    const secret = Uint8Array.from({ length: 32 }, (_, i) => i)
    const holder = { unwrap: async (given: Uint8Array, purpose: KeyPurpose) => derivedKey(secret, given, purpose) }
    const ciphertext = Uint8Array.from({ length: 1120 }, (_, i) => (i * 3) & 255)
    const theirs = {
      kemKeyId: context.kemKeyId,
      ...hybridCiphertextOf(ciphertext),
      nonceB64u: 'AAECAwQFBgcICQoL',
      ciphertextB64u: THEIRS,
    }
    expect(await openContact(theirs, holder, context)).toEqual(message)
  })
})
