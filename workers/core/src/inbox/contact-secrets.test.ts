import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { describe, expect, it } from 'vitest'
import { ContactSecrets, drawCode } from './contact-secrets.ts'

const DID = `did:svc:${'PDw8'.repeat(8)}`
const OTHER = `did:svc:${'AAAA'.repeat(8)}`
const secrets = new ContactSecrets('the secret of one deployment only')
const others = new ContactSecrets('the secret of another deployment!')

describe('the id of a contact request', () => {
  it('says whose inbox it is for, to whoever minted it', async () => {
    const id = await secrets.mint(DID)
    expect(id).toMatch(/^[A-Za-z0-9_-]{80}$/)
    expect(await secrets.ownerOf(id)).toBe(DID)
    expect(await others.ownerOf(id)).toBeNull()
    expect(await secrets.mint(DID)).not.toBe(id)
  })

  it('is refused with any bit of it changed, and in any other form', async () => {
    const id = await secrets.mint(DID)
    for (let position = 0; position < 60; position += 1) {
      const bytes = bytesOf(id).slice()
      bytes.set([(bytes[position] ?? 0) ^ 1], position)
      expect(await secrets.ownerOf(encodeBase64url(bytes)), String(position)).toBeNull()
    }
    for (const text of ['', 'x', id.slice(1), `${id}A`, `${id.slice(0, 79)}=`, OTHER]) {
      expect(await secrets.ownerOf(text), text).toBeNull()
    }
  })

  it('is not carried over to another owner', async () => {
    const [mine, theirs] = [await secrets.mint(DID), await secrets.mint(OTHER)]
    expect(await secrets.ownerOf(mine.slice(0, 32) + theirs.slice(32))).toBeNull()
  })
})

describe('what is kept of a code and an address', () => {
  it('differs by request, code and deployment', async () => {
    const hash = await secrets.codeHash('r1', '123456')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(await secrets.codeHash('r1', '123456')).toBe(hash)
    expect(await secrets.codeHash('r2', '123456')).not.toBe(hash)
    expect(await secrets.codeHash('r1', '123457')).not.toBe(hash)
    expect(await others.codeHash('r1', '123456')).not.toBe(hash)
  })

  it('counts spellings of one mailbox together, and says nothing of it', async () => {
    const name = await secrets.addressName('ada@example.org')
    for (const same of ['Ada@Example.ORG', 'ada+one@example.org', 'ADA+two+three@example.org']) {
      expect(await secrets.addressName(same)).toBe(name)
    }
    for (const other of ['adb@example.org', 'ada@example.com', 'a.da@example.org']) {
      expect(await secrets.addressName(other)).not.toBe(name)
    }
    expect(await others.addressName('ada@example.org')).not.toBe(name)
    expect(name).toMatch(/^[0-9a-f]{64}$/)
  })

  it('cannot be made without a secret', async () => {
    for (const secret of [undefined, '']) {
      const none = new ContactSecrets(secret)
      await expect(none.mint(DID)).rejects.toThrow('contact secrets is unavailable')
      await expect(none.codeHash('r', '000000')).rejects.toThrow('contact secrets is unavailable')
    }
  })
})

it('draws six digits, every first digit about as often', () => {
  const codes = Array.from({ length: 5000 }, drawCode)
  for (const code of codes) expect(code).toMatch(/^[0-9]{6}$/)
  const counts = Map.groupBy(codes, (code) => code[0])
  for (const digit of '0123456789') expect(counts.get(digit)?.length).toBeGreaterThan(350)
  expect(new Set(codes).size).toBeGreaterThan(4900)
})
