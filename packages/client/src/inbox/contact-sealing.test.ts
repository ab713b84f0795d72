import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import { type ContactEnvelope, type ContactMessage, contactEnvelopeSchema } from '@svc/protocol/inbox/inbox'
import { describe, expect, it } from 'vitest'
import { Identity } from '../identity/identity.ts'
import { openContact, sealContact } from './contact-sealing.ts'

const identityOf = (byte: number) =>
  Identity.fromSeeds({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(64).fill(byte) })
const owner = await identityOf(1)
const stranger = await identityOf(2)
const assetId = `asset:sha3-384:${'a7'.repeat(48)}`
const context = { requestId: encodeBase64url(new Uint8Array(60)), assetId, kemKeyId: kemKeyId(owner.kemPublicKeyB64u) }
const message: ContactMessage = { name: 'Ada', email: 'a@example.org', subject: 'Hi', message: 'Hello', assetId }
const sealed = await sealContact(message, owner.kemPublicKeyB64u, context)
/** Node's own SHA3-384 and AES-256-GCM made it, from a shared secret of 0 to 31 and a ciphertext of multiples of 3. */
const THEIRS = [
  'hn-9dBTzbiRygExZEkHnq8pHcuuje_tbisdvEnzA7FfV6XgUPHC_6AxLcl3uJOND1Lfczk-R1W4FhTGiGDBFrAuG2l8y-hyNYYN8',
  'XZUZ12s0WWcL-kzkVE3tvU6aceYf_qmhUGBhvi8ZIC2IHf1Czh5_5L-FreTo72YOh8zM33a190Z03FkPMEH4qjvNKtc9RkK4yagF',
  'HxK737_BZRNSiI0gQHGc-U2usPmhnu2zsoajyfepMMph_ob3ZXdtdvgT8TaDe57nnxpy4wIyZVmi_4FFKWrJEo6xF3Dvf2rZ8i2q',
  'b1-Jm8jG_z7TIh6Pm-xpLGeGyRbfE-J9pI4WIRpDVOwYu5FTwhW6MObPaY9-LnTHhzFBl_OR55PjWINvkcCZuTilvp7bG4teM7ph',
  'Goc4calqFhs98ln3Ew1xAzRj0ln6SEziv87SYJ9GIp5q3yQPZUzf7FmNOzn_htAPnWpm-kPWNMaCw-18UIfKtEPmB6HXc0UGW5qc',
  't97gJEetbA4EVPXUR1zbDiF9o_ZWU3GQoD9bd-_Z7i_IKEaumJEG9SbDpZBHdDIgzIF2HaJIEwD4tHEucRmtjVVtngxswwSFC_Cq',
  'T3f29z90t1HRPy5TMw7Kagb-QsqZ_BogUa4DuxpynP4_KoEg7zCwIYIDzXYDoL52r2jVt8PYPAtYCaV7gC5bO0_VTrGdfbE44oMu',
  'VYBopDksjahMv6dy20Yf9UXfatfzrlPEeUcnwBQZD1_kd8iCve9It6PTNdNw2AWR2kMkwm2d2VFLDpqFDXjCJLbbKQIXsVa3GjcY',
  '33a9N8hGrlynOP9wNxjx0zeWqbSEOsyRGbyIbdXGg9xWsEKB21YNmKQQ1LBrshZkzrnCHlMsIqv5dG8gQgIFhHzWhg0DZs1XdCDp',
  'iCcaiYHSEmz9F1wiWp1ocO5S0ULRsrXwO5j6E33qoxEUuIzQGIig6jRWE6t4-XpcfFzqYB0FGtA965QXdYj5E2iRPp_ttKwMlBCg',
  'O3ADBwoVl6EJZb-_0VASmIjaxHSvTN0ZYx08EYKQOMZg9huCWg1jRwDBM8-cR_A_QKn5AnTJz68YaX_yDYeqtjONnDlrbUf-RCAw',
  'Msg1iQHIhOqRrtDNB8hSjsy8WAkIkVimDMBbbrROOJHY2rpDbIWr7qUDqUaHguYYvpuaYChhn3U3sg27iopD-cS93WEnloShrwTA',
  'EujrpDKGrRzZeqPeLa2duED7tFR3Rp39CmftAgwMM-C6MXULjhxjXELdcNqUU0VBpw5sr0mjpAYKsfaEdKHAhhrcGZ7D6HpqDSHC',
  'XuSktNAVIFA4fpawlKI3Dd7leptiA_UoLw4GHWCg37qSS7cumDXTDlLsEHkffV7CNKFR_leIfbj7BDhPMceyAro',
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
    const again = await sealContact(message, owner.kemPublicKeyB64u, context)
    for (const member of ['kemCiphertextB64u', 'nonceB64u', 'ciphertextB64u'] as const) {
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

  it.each<[keyof ContactEnvelope, number]>([
    ['kemCiphertextB64u', 0],
    ['kemCiphertextB64u', -1],
    ['nonceB64u', 0],
    ['ciphertextB64u', 0],
    ['ciphertextB64u', 600],
    ['ciphertextB64u', -1],
  ])('is not opened with a bit of %s changed at %i', async (member, position) => {
    const changed = { ...sealed, [member]: flipped(sealed[member], position) }
    await expect(openContact(changed, owner, context)).rejects.toThrow(REFUSED)
  })

  it('that speaks of another asset inside is not believed', async () => {
    const lying = { ...message, assetId: `asset:sha3-384:${'b7'.repeat(48)}` }
    const envelope = await sealContact(lying, owner.kemPublicKeyB64u, context)
    await expect(openContact(envelope, owner, context)).rejects.toThrow('a different asset')
  })

  it('is not made above the largest bucket', async () => {
    const long = { ...message, message: 'x'.repeat(65_536) }
    await expect(sealContact(long, owner.kemPublicKeyB64u, context)).rejects.toThrow(RangeError)
  })

  it('is what another implementation of the page seals', async () => {
    const secret = Uint8Array.from({ length: 32 }, (_, i) => i)
    const holder = { decapsulate: () => Promise.resolve(secret) }
    const kemCiphertextB64u = encodeBase64url(Uint8Array.from({ length: 1088 }, (_, i) => (i * 3) & 255))
    const theirs = {
      kemKeyId: context.kemKeyId,
      kemCiphertextB64u,
      nonceB64u: 'AAECAwQFBgcICQoL',
      ciphertextB64u: THEIRS,
    }
    expect(await openContact(theirs, holder, context)).toEqual(message)
  })
})
