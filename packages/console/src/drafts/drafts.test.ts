import { Device, VolatileStore } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { Drafts } from './drafts.ts'
import { type DraftDevice, openDraft, type SealedDraft, sealDraft } from './sealing.ts'

const OPTIONS = { origin: 'https://console.example', capabilities: [] }

async function member(did = `did:svc:${'A'.repeat(32)}`): Promise<DraftDevice> {
  const device = await Device.create(OPTIONS)
  const { deviceId, kemPublicKeyB64u, x25519B64u } = device
  const unwrap: DraftDevice['unwrap'] = (ciphertext, purpose) => device.unwrap(ciphertext, purpose)
  return { did, deviceId, kemPublicKeyB64u, x25519B64u, unwrap }
}

const DRAFT = { typed: { title: 'Lightship', body: 'anchored off the sandbank', tags: '' }, version: 3 }

describe('a draft', () => {
  it('is there again for the device that typed it, after the page was closed', async () => {
    const [device, store] = [await member(), new VolatileStore()]
    await new Drafts(device, store).keep('note/n1', DRAFT)
    expect(await new Drafts(device, store).read('note/n1')).toEqual(DRAFT)
    expect(await new Drafts(device, store).read('note/n2')).toBeNull()
  })

  it('is encrypted where it is kept', async () => {
    const [device, store] = [await member(), new VolatileStore()]
    await new Drafts(device, store).keep('note/n1', DRAFT)
    const bytes = Object.values((await store.get('note/n1')) as SealedDraft).map((part) => Buffer.from(part).toString())
    expect(bytes).toHaveLength(3)
    for (const secret of ['Lightship', 'sandbank', 'version']) expect(bytes.join()).not.toContain(secret)
  })

  it('opens for no other device, identity or place, and not if it was modified', async () => {
    const device = await member()
    const sealed = await sealDraft(device, 'note/n1', DRAFT)
    expect(await openDraft(device, 'note/n1', sealed)).toEqual(DRAFT)
    const others = [await member(), { ...device, did: `did:svc:${'B'.repeat(32)}` }]
    for (const other of others) await expect(openDraft(other, 'note/n1', sealed)).rejects.toThrow()
    await expect(openDraft(device, 'note/n2', sealed)).rejects.toThrow()
    const modified = { ...sealed, sealed: sealed.sealed.map((byte, at) => (at === 0 ? byte ^ 1 : byte)) }
    await expect(openDraft(device, 'note/n1', modified)).rejects.toThrow()
  })

  it('that does not open is none', async () => {
    const store = new VolatileStore()
    await new Drafts(await member(), store).keep('note/n1', DRAFT)
    expect(await new Drafts(await member(), store).read('note/n1')).toBeNull()
  })

  it('is there at once in the same tab, though it is not written yet', async () => {
    const drafts = new Drafts(await member(), new VolatileStore())
    const written = drafts.keep('note/n1', DRAFT)
    expect(await drafts.read('note/n1')).toEqual(DRAFT)
    await written
  })

  it('is what was typed last, and once saved it is gone, however quickly that follows', async () => {
    const [device, store] = [await member(), new VolatileStore()]
    const drafts = new Drafts(device, store)
    void drafts.keep('reply/m1', 'a')
    void drafts.keep('reply/m1', 'ab')
    await drafts.keep('reply/m1', 'abc')
    expect(await new Drafts(device, store).read('reply/m1')).toBe('abc')
    void drafts.keep('reply/m1', 'abcd')
    await drafts.keep('reply/m1', null)
    expect(await store.keys()).toEqual([])
    expect(await drafts.read('reply/m1')).toBeNull()
  })

  it('lasts as long as the page where the database cannot be written', async () => {
    const store = new VolatileStore()
    store.set = () => Promise.reject(new DOMException('no room', 'QuotaExceededError'))
    const drafts = new Drafts(await member(), store)
    await drafts.keep('reply/m1', 'abc')
    await drafts.keep('reply/m1', 'abcd')
    expect(await drafts.read('reply/m1')).toBe('abcd')
  })
})
